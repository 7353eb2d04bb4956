/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.run.Agreement;
import io.sluice.bench.run.ReferenceTables;
import io.sluice.capture.SplitMix64;
import io.sluice.filter.FilterSizing;
import io.sluice.filter.quotient.QuotientFilter;
import io.sluice.filter.quotient.QuotientSizing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Measured false positives compared with 1 - e^(-load / 2^r) and the reference; and bits per key
 * with 2 and 3 bits of metadata per slot, with ours, and for a Bloom filter of the same error.
 */
final class ErrorAgreement {
    static final String FILE = "qf_fpr.csv";

    private static final int QUOTIENT_BITS = 18;
    private static final int[] REMAINDER_BITS = {4, 6, 8, 9, 10, 11, 13, 16};
    private static final double[] LOADS = {0.25, 0.5, 0.75, 0.9, 0.95};
    private static final double ROUNDING = 6e-4;

    private final BenchReport report;
    private final long probes;
    private final long seed;
    private Agreement agreement = new Agreement();

    private ErrorAgreement(BenchReport report, long seed) {
        this.report = report;
        this.probes = report.quick() ? 500_000 : 4_000_000;
        this.seed = seed;
    }

    static void run(BenchReport report, Optional<ReferenceTables> reference, long seed)
            throws IOException {
        new ErrorAgreement(report, seed).run(reference);
    }

    private void run(Optional<ReferenceTables> reference) throws IOException {
        report.progress("false positives and bits per key, 2^" + QUOTIENT_BITS + " slots");
        CsvTable table =
                new CsvTable(
                        "q,r,alpha,n,fpr_formula,fpr_mc,queries,bits_per_key_ours,"
                                + "bits_per_key_3,bits_per_key_2,bloom_bits_per_key_same_fpr,"
                                + "ratio_ours_to_bloom,ratio3_to_bloom");
        for (int remainderBits : REMAINDER_BITS) {
            for (double load : LOADS) {
                measure(table, remainderBits, load);
            }
        }
        report.table(FILE, table);
        chart(table);
        check("model", "measured probabilities agree with 1 - e^(-load / 2^r)");
        if (reference.isPresent()) {
            compare(table, reference.get().table(FILE));
            check("reference", "numbers agree with the independent implementation");
        }
    }

    private void measure(CsvTable table, int remainderBits, double load) {
        QuotientFilter filter = QuotientStructure.create(QUOTIENT_BITS, remainderBits);
        long keys = (long) (load * (1L << QUOTIENT_BITS));
        long first = SplitMix64.mix(seed + remainderBits * 1000L + Math.round(100 * load));
        for (long i = 0; i < keys; i++) {
            filter.insert(SplitMix64.mix(first + i * SplitMix64.GAMMA));
        }
        long hits = 0;
        for (long i = keys; i < keys + probes; i++) {
            hits += filter.mightContain(SplitMix64.mix(first + i * SplitMix64.GAMMA)) ? 1 : 0;
        }
        double model = QuotientSizing.fpp(keys, QUOTIENT_BITS + remainderBits);
        double measured = (double) hits / probes;
        compare("r " + remainderBits + " load " + load, measured, probes, model, 0, model, keys);
        double bloom = -Math.log(model) / (Math.log(2) * Math.log(2));
        double ours = QuotientSizing.bitsPerSlot(remainderBits) / load;
        double three = (remainderBits + 3) / load;
        table.add(
                QUOTIENT_BITS,
                remainderBits,
                load,
                keys,
                model,
                measured,
                probes,
                ours,
                three,
                (remainderBits + 2) / load,
                bloom,
                ours / bloom,
                three / bloom);
    }

    /** Bits per key over error: what a filter costs. */
    private void chart(CsvTable table) {
        Chart chart =
                Chart.linear(
                        "Bits per key over error",
                        "log2 of 1 / false-positive probability",
                        "bits per key");
        for (double load : new double[] {0.75, 0.95}) {
            List<double[]> ours = new ArrayList<>();
            for (int row = 0; row < table.size(); row++) {
                if (table.number(row, "alpha") == load) {
                    ours.add(
                            new double[] {
                                -Math.log(table.number(row, "fpr_formula")) / Math.log(2),
                                table.number(row, "bits_per_key_ours")
                            });
                }
            }
            chart.measured("quotient filter, load " + load, ours);
        }
        List<double[]> bloom = new ArrayList<>();
        for (int log = 4; log <= 16; log++) {
            double fpp = Math.pow(2, -log);
            bloom.add(
                    new double[] {
                        log, FilterSizing.bitsPerKey(fpp, FilterSizing.optimalProbes(fpp))
                    });
        }
        chart.formula("Bloom filter", bloom);
        report.add(chart);
    }

    private void compare(CsvTable ours, CsvTable theirs) {
        for (int row = 0; row < theirs.size(); row++) {
            int same = find(ours, theirs, row);
            if (same < 0) {
                continue;
            }
            String at = "r " + ours.text(same, "r") + " load " + ours.text(same, "alpha");
            formula(at, ours.number(same, "fpr_formula"), theirs.number(row, FORMULA));
            for (String column :
                    new String[] {
                        "bits_per_key_3",
                        "bits_per_key_2",
                        "bloom_bits_per_key_same_fpr",
                        "ratio3_to_bloom"
                    }) {
                formula(at, ours.number(same, column), theirs.number(row, column));
            }
            compare(
                    at,
                    ours.number(same, "fpr_mc"),
                    probes,
                    theirs.number(row, "fpr_mc"),
                    (long) theirs.number(row, "queries"),
                    ours.number(same, "fpr_formula"),
                    (long) ours.number(same, "n"));
        }
    }

    private static final String FORMULA = "fpr_formula_1-exp(-a/2^r)";

    private static int find(CsvTable ours, CsvTable theirs, int row) {
        for (int i = 0; i < ours.size(); i++) {
            if (ours.number(i, "q") == theirs.number(row, "q")
                    && ours.number(i, "r") == theirs.number(row, "r")
                    && ours.number(i, "alpha") == theirs.number(row, "alpha")) {
                return i;
            }
        }
        return -1;
    }

    private void formula(String at, double ours, double theirs) {
        agreement.count(
                at,
                Math.abs(ours - theirs) / (ROUNDING * Math.abs(theirs)) * Agreement.SIGMAS,
                ours,
                theirs);
    }

    /**
     * Standard errors of both sides' probes, and of the distinct fingerprints among each side's
     * keys; three hits are always allowed if few are expected.
     *
     * @param theirProbes 0 for a formula
     */
    private void compare(
            String at,
            double ours,
            long ourProbes,
            double theirs,
            long theirProbes,
            double model,
            long keys) {
        double ofProbes =
                model * (1 - model) * (1.0 / ourProbes + (theirProbes > 0 ? 1.0 / theirProbes : 0));
        double ofKeys = (theirProbes > 0 ? 2 : 1) * model * model * model / keys;
        double free = 3.0 / ourProbes;
        double distance = Math.max(0, Math.abs(ours - theirs) - free);
        agreement.count(at, distance / Math.sqrt(ofProbes + ofKeys), ours, theirs);
    }

    private void check(String name, String claim) {
        agreement.report(report, "qf.fpp." + name, claim, "");
        agreement = new Agreement();
    }
}
