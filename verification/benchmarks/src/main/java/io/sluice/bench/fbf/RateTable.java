/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.fbf.MonteCarlo.Estimate;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The table of figure 11 or 12, with a comparison if there is a reference. */
final class RateTable {
    private final FbfRun run;
    private final String file;
    private final boolean slicesRule;
    private final CsvTable theirs;
    private final FbfAgreement measured;
    private final FbfAgreement formulas;
    private final CsvTable table;

    /**
     * @param figure the name in checks, such as {@code fig11}
     * @param slicesRule whether the rule of this library is measured too
     */
    RateTable(FbfRun run, String figure, String file, boolean slicesRule) throws IOException {
        this.run = run;
        this.file = file;
        this.slicesRule = slicesRule;
        theirs = run.reference().isPresent() ? run.reference().get().table(file) : null;
        measured = run.reference().map(r -> new FbfAgreement(figure + ".measured")).orElse(null);
        formulas = run.reference().map(r -> new FbfAgreement(figure + ".formulas")).orElse(null);
        String rule = slicesRule ? ",mc_slices_rule" : "";
        table =
                new CsvTable(
                        "model,m,filters,t,rate_at,time,eq3_phaseavg,exactpair_phaseavg,mc_opt,"
                                + "mc_opt_stderr,mc_simple,mc_opt_plain"
                                + rule
                                + ",queries");
    }

    /**
     * Measures a point, adds its row and compares it; returns the measurement of the optimised
     * check.
     */
    double add(String model, int rate, RatePoint point) {
        Estimate optimised = point.optimised(run);
        Estimate simple = point.simple(run);
        Estimate plain = point.plainOptimised(run);
        List<Object> cells =
                new ArrayList<>(
                        List.of(
                                model,
                                point.bits(),
                                point.filters(),
                                point.period(),
                                rate,
                                point.now(),
                                point.equationThree(),
                                point.exact(),
                                optimised.mean(),
                                optimised.standardError(),
                                simple.mean(),
                                plain.mean()));
        if (slicesRule) {
            cells.add(point.slicesRule(run).mean());
        }
        cells.add(optimised.probes());
        table.add(cells.toArray());
        if (theirs != null) {
            compare(model, rate, point, optimised, plain, simple);
        }
        return optimised.mean();
    }

    private void compare(
            String model,
            int rate,
            RatePoint point,
            Estimate optimised,
            Estimate plain,
            Estimate simple) {
        int row = row(theirs, model, point.filters(), point.period(), rate);
        String at =
                String.format(
                        "%s filters=%d t=%.0f at %d", model, point.filters(), point.period(), rate);
        long probes = (long) theirs.number(row, "queries");
        int realisations = (int) (probes / FbfAgreement.PROBES_A_FILLING);
        double other = theirs.number(row, "mc_opt");
        measured.measured(at + " plain optimised", plain, other, probes, realisations);
        measured.measured(
                at + " simple", simple, theirs.number(row, "mc_simple"), probes, realisations);
        if (other < FbfAgreement.FEW_DROPPED) {
            measured.measured(
                    at + " optimised", point.forBitsAsked(optimised), other, probes, realisations);
        }
        point.compare(
                formulas,
                at,
                theirs.number(row, "eq3_phaseavg"),
                theirs.number(row, "exactpair_phaseavg"));
    }

    /** A number in an added row. */
    double number(String model, int filters, double period, int rate, String column) {
        return table.number(row(table, model, filters, period, rate), column);
    }

    private int row(CsvTable where, String model, int filters, double period, int rate) {
        for (int i = 0; i < where.size(); i++) {
            if (where.text(i, "model").equals(model)
                    && where.number(i, "filters") == filters
                    && where.number(i, "t") == period
                    && where.number(i, "rate_at") == rate) {
                return i;
            }
        }
        throw new IllegalArgumentException(
                String.format(
                        "%s has no point %s with %d filters, t=%.0f, at %d: name another reference",
                        file, model, filters, period, rate));
    }

    /** Writes the table; reports whether the sides agree. */
    void finish() throws IOException {
        run.report().table(file, table);
        if (theirs != null) {
            measured.report(run.report());
            formulas.report(run.report());
        }
    }
}
