/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.CsvTable;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.code.CodeKind;
import java.io.IOException;
import java.util.List;

/**
 * The paper's own sizing: as many cells as a Bloom filter of false-positive probability p has bits
 * (rho = 1), or half as many (rho = 2). Its memory is of another order of magnitude: 14.4 cells per
 * key at 1e-3.
 */
final class PaperExperiment {

    private static final String FILE = "kbf_paper_experiment.csv";
    private static final double[] PROBABILITIES = {1e-3, 1e-4, 1e-5, 1e-6};
    private static final String STATE_BLOOM = "sBF";
    private static final String PAPER = "kBF-XOR-t2(paper)";

    /** The reference's names; all codes for sums of two behave alike. */
    private static final List<Variant> VARIANTS =
            List.of(
                    Variant.of(PAPER, CodeKind.BCH_PAIRS, 0),
                    Variant.of("XOR-BCH-t3", CodeKind.BCH_TRIPLES, 0),
                    Variant.of("BoseChowla-h2", CodeKind.PRODUCT_PAIRS, 0),
                    Variant.of("BoseChowla-h3", CodeKind.PRODUCT_TRIPLES, 0),
                    Variant.of("tag2+BC-h2", CodeKind.PRODUCT_PAIRS, 2),
                    Variant.of("tag2+BC-h3", CodeKind.PRODUCT_TRIPLES, 2));

    private final KbfRun run;
    private final CsvTable table =
            new CsvTable("workload,n,p,rho,k,variant,FN,FP_intersect,FP_any,FP_firsthit,wrong");
    private final KbfAgreement tally = new KbfAgreement("paperExperiment");
    private final CsvTable theirs;
    private int wrong;

    private PaperExperiment(KbfRun run) throws IOException {
        this.run = run;
        theirs =
                run.reference().isPresent()
                        ? run.reference().get().table("kbf_paper_experiment_small.csv")
                        : null;
    }

    /** Returns how many held keys got a wrong value, or were denied. */
    static int run(KbfRun run) throws IOException {
        run.report().progress("the paper's experiment: cells by the Bloom filter formula");
        PaperExperiment experiment = new PaperExperiment(run);
        for (Workload workload : List.of(Workload.UNIFORM, Workload.TCP)) {
            for (double p : PROBABILITIES) {
                experiment.point(workload, p, 1);
                experiment.point(workload, p, 2);
            }
        }
        run.report().table(FILE, experiment.table);
        if (experiment.theirs != null) {
            experiment.tally.report(run.report());
        }
        return experiment.wrong;
    }

    private void point(Workload workload, double p, int rho) {
        double log = -Math.log(p) / Math.log(2);
        int k = (int) Math.round(log);
        double cells = log / Math.log(2) / rho;
        PartitionedCells positions = PartitionedCells.of(cells, k, run.keys());
        StaticErrors state = measure(workload, new StateBloomFilter(positions, workload.values()));
        row(workload, p, rho, k, STATE_BLOOM, state, Double.NaN);
        for (Variant variant : VARIANTS) {
            StaticErrors errors = measure(workload, variant.filter(workload, cells, k, run.keys()));
            double firstHit = Double.NaN;
            if (variant.name().equals(PAPER)) {
                KeyValueFilter paper =
                        new PaperKeyValueFilter(
                                positions, variant.code().create(workload.values()));
                firstHit = measure(workload, paper).falseValueShare();
            }
            row(workload, p, rho, k, variant.name(), errors, firstHit);
        }
    }

    private StaticErrors measure(Workload workload, KeyValueFilter filter) {
        StaticErrors errors = StaticErrors.measure(filter, workload, run.keys(), run.seed());
        wrong += errors.wrong();
        return errors;
    }

    private void row(
            Workload workload,
            double p,
            int rho,
            int k,
            String variant,
            StaticErrors errors,
            double firstHit) {
        table.add(
                workload.name(),
                errors.keys(),
                p,
                rho,
                k,
                variant,
                errors.ambiguousShare(),
                errors.falseValueShare(),
                errors.falsePositiveShare(),
                Double.isNaN(firstHit) ? "" : firstHit,
                errors.wrong());
        for (int i = 0; theirs != null && i < theirs.size(); i++) {
            if (theirs.text(i, "workload").equals(workload.name())
                    && theirs.text(i, "variant").equals(variant)
                    && theirs.number(i, "p") == p
                    && theirs.number(i, "rho") == rho) {
                String at = workload.name() + " p=" + p + " rho=" + rho + " " + variant;
                double sample = theirs.number(i, "n");
                tally.share(
                        at + " FN",
                        errors.ambiguousShare(),
                        errors.keys(),
                        theirs.number(i, "FN"),
                        sample);
                tally.share(
                        at + " FP",
                        errors.falseValueShare(),
                        errors.keys(),
                        theirs.number(i, "FP_intersect"),
                        sample);
                if (!Double.isNaN(firstHit)) {
                    tally.share(
                            at + " FP of rule 1",
                            firstHit,
                            errors.keys(),
                            theirs.number(i, "FP_firsthit(paper rule1)"),
                            sample);
                }
            }
        }
    }
}
