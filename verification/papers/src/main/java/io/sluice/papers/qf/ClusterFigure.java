/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.qf;

import io.sluice.filter.quotient.QuotientFilter;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/** Lengths of clusters and runs in the paper's layout, beside a formula for the mean. */
public record ClusterFigure(int item) implements PaperFigure {

    /** A column: its name here and there, and its value. */
    private record Column(String name, String theirs, ToDoubleFunction<SlotPicture> value) {}

    private static final String OF_KEY = "cluster of a key";
    private static final Column[] COLUMNS = {
        new Column("mean cluster", "mean_cluster_mc", SlotPicture::meanCluster),
        new Column(OF_KEY, "sizebiased_cluster", SlotPicture::clusterOfAKey),
        new Column("mean run", "mean_run", SlotPicture::meanRun),
        new Column("mean shift", "mean_shift", SlotPicture::meanShift)
    };

    @Override
    public Table table(Run run) throws IOException {
        Table table =
                Table.of("q", "load", "formula", "mean cluster", OF_KEY, "mean run", "mean shift");
        Table theirs = run.reference("qf_clusters.csv");
        Agreement agreement = new Agreement();
        for (int q : new int[] {16, 20}) {
            int fillings = q == 16 ? run.size(32, 16) : run.size(8, 4);
            for (double load : new double[] {0.5, 0.75, 0.9, 0.95}) {
                double[] mean = new double[COLUMNS.length];
                double[] squares = new double[COLUMNS.length];
                for (int filling = 0; filling < fillings; filling++) {
                    SlotPicture picture = fill(run.random(q * 1000L + filling), q, load);
                    for (int i = 0; i < COLUMNS.length; i++) {
                        double value = COLUMNS[i].value.applyAsDouble(picture);
                        mean[i] += value / fillings;
                        squares[i] += value * value / fillings;
                    }
                }
                double formula = load / ((1 - load) * Math.expm1(load));
                table.add(q, load, formula, mean[0], mean[1], mean[2], mean[3]);
                for (int i = 0; i < COLUMNS.length; i++) {
                    double variance =
                            Math.max(0, squares[i] - mean[i] * mean[i]) * fillings / (fillings - 1);
                    String at = COLUMNS[i].name + " q=" + q + " load=" + load;
                    if (i == 0) {
                        double deviation = Math.sqrt(variance / fillings) + 1e-4 * formula;
                        agreement.near(at + " formula", mean[i], formula, deviation);
                    }
                    int row = theirs.row("q", q, "alpha", load);
                    double their = theirs.number(row, COLUMNS[i].theirs);
                    // One filling of theirs, several of ours, and four digits.
                    double deviation =
                            Math.hypot(Math.sqrt(variance * (1 + 1.0 / fillings)), 2e-3 * their);
                    agreement.near(at, mean[i], their, deviation);
                }
            }
        }
        table.plot("load", "q", false, "mean cluster", OF_KEY);
        table.finding(
                "The paper bounds runs by O(log m); what an operation costs is the cluster of its"
                        + " key, which at a load of 0.95 is %.0f long where the mean cluster is"
                        + " %.0f.",
                table.at(OF_KEY, 20, 0.95), table.at("mean cluster", 20, 0.95));
        agreement.addTo(table, run);
        table.parameters(
                "2^16 and 2^20 slots, r = 8; the mean of "
                        + run.size(32, 16)
                        + " and "
                        + run.size(8, 4)
                        + " fillings");
        return table;
    }

    private static SlotPicture fill(SplittableRandom random, int q, double load) {
        QuotientFilter filter = QuotientFilter.builder().bits(q, 8).maxLoad(0.97).build();
        for (long i = 0; i < (long) (load * (1L << q)); i++) {
            filter.insert(random.nextLong());
        }
        return new SlotPicture(filter);
    }
}
