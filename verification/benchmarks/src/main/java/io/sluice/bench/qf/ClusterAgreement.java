/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.bench.qf.ClusterPicture.Column;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.run.Agreement;
import io.sluice.bench.run.ReferenceTables;
import io.sluice.capture.SplitMix64;
import io.sluice.filter.quotient.QuotientFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Clusters, runs and shifts of the filter's fingerprints, compared with formula and reference, and
 * their counterparts in blocks.
 */
final class ClusterAgreement {
    static final String FILE = "qf_clusters.csv";

    private static final double[] LOADS = {0.5, 0.75, 0.9, 0.95};
    private static final int REMAINDER_BITS = 8;

    private final BenchReport report;
    private final Optional<ReferenceTables> reference;
    private final long seed;

    /** By quotient bits and load. */
    private final Map<String, Map<Column, Estimate>> estimates = new HashMap<>();

    private Agreement agreement = new Agreement();

    private ClusterAgreement(BenchReport report, Optional<ReferenceTables> reference, long seed) {
        this.report = report;
        this.reference = reference;
        this.seed = seed;
    }

    static void run(BenchReport report, Optional<ReferenceTables> reference, long seed)
            throws IOException {
        new ClusterAgreement(report, reference, seed).run();
    }

    /** Mean over several filters, and standard deviation of a single one. */
    private record Estimate(double mean, double deviation, int filters) {
        static Estimate of(List<Double> values) {
            double mean = values.stream().mapToDouble(v -> v).average().orElseThrow();
            double squares = values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
            return new Estimate(mean, Math.sqrt(squares / (values.size() - 1)), values.size());
        }
    }

    private void run() throws IOException {
        report.progress("clusters of the paper's layout, and blocks");
        CsvTable table =
                new CsvTable(
                        "q,alpha,filters,mean_cluster_theory,mean_cluster,sizebiased_cluster,"
                                + "mean_supercluster,mean_run,mean_shift,frac_slots_run_len1,"
                                + "slots_to_free,spilled_share,full_blocks");
        for (int quotientBits : report.quick() ? new int[] {16, 20} : new int[] {16, 20, 24}) {
            for (double load : LOADS) {
                measure(table, quotientBits, load);
            }
        }
        report.table(FILE, table);
        check("theory", "of mean cluster lengths agree with load / ((1 - load)(e^load - 1))");
        if (reference.isPresent()) {
            compare(reference.get().table(FILE));
            check("reference", "agree with the independent implementation");
        }
    }

    private void measure(CsvTable table, int quotientBits, double load) {
        int filters = quotientBits == 24 ? 3 : quotientBits == 20 ? 8 : 32;
        Map<Column, List<Double>> values = new EnumMap<>(Column.class);
        double toFree = 0;
        double spilled = 0;
        double full = 0;
        for (int i = 0; i < filters; i++) {
            ClusterPicture picture = ClusterPicture.of(filled(quotientBits, load, i));
            for (Column column : Column.values()) {
                values.computeIfAbsent(column, c -> new ArrayList<>()).add(picture.value(column));
            }
            toFree += picture.slotsToFree() / filters;
            spilled += picture.spilledShare() / filters;
            full += picture.fullBlocks() / filters;
        }
        Map<Column, Estimate> found = new EnumMap<>(Column.class);
        values.forEach((column, list) -> found.put(column, Estimate.of(list)));
        estimates.put(quotientBits + "/" + load, found);
        double theory = load / ((1 - load) * Math.expm1(load));
        Estimate cluster = found.get(Column.MEAN_CLUSTER);
        count(
                "q " + quotientBits + " load " + load,
                cluster,
                theory,
                cluster.deviation / Math.sqrt(filters));
        table.add(
                quotientBits,
                load,
                filters,
                theory,
                cluster.mean,
                found.get(Column.SIZE_BIASED).mean,
                found.get(Column.MEAN_SUPERCLUSTER).mean,
                found.get(Column.MEAN_RUN).mean,
                found.get(Column.MEAN_SHIFT).mean,
                found.get(Column.RUNS_OF_ONE).mean,
                toFree,
                spilled,
                full);
        report.progress(
                "    2^%d slots, load %.2f: mean cluster %6.3f (theory %6.3f), of a lookup"
                        + " %6.1f; next free slot %5.1f away; spilled %4.1f %%, through"
                        + " %.2f full blocks",
                quotientBits,
                load,
                cluster.mean,
                theory,
                found.get(Column.SIZE_BIASED).mean,
                toFree,
                100 * spilled,
                full);
    }

    private QuotientFilter filled(int quotientBits, double load, int number) {
        QuotientFilter filter = QuotientStructure.create(quotientBits, REMAINDER_BITS);
        long keys = (long) (load * (1L << quotientBits));
        long first = SplitMix64.mix(seed + 1000L * quotientBits + number);
        for (long i = 0; i < keys; i++) {
            filter.insert(SplitMix64.mix(first + i * SplitMix64.GAMMA));
        }
        return filter;
    }

    private void compare(CsvTable theirs) {
        for (int row = 0; row < theirs.size(); row++) {
            int quotientBits = (int) theirs.number(row, "q");
            double load = theirs.number(row, "alpha");
            Map<Column, Estimate> found = estimates.get(quotientBits + "/" + load);
            if (found == null) {
                continue;
            }
            for (Column column : Column.values()) {
                Estimate estimate = found.get(column);
                String name = column == Column.MEAN_CLUSTER ? "mean_cluster_mc" : column.word;
                double value = theirs.number(row, name);
                // One filter of theirs, several of ours, and four digits.
                double deviation =
                        Math.hypot(
                                estimate.deviation * Math.sqrt(1 + 1.0 / estimate.filters),
                                1e-4 * value);
                count(
                        column.word + " q " + quotientBits + " load " + load,
                        estimate,
                        value,
                        deviation);
            }
        }
    }

    private void count(String at, Estimate estimate, double expected, double deviation) {
        agreement.count(
                at, Math.abs(estimate.mean - expected) / deviation, estimate.mean, expected);
    }

    private void check(String name, String claim) {
        agreement.report(report, "qf.clusters." + name, "points " + claim, "");
        agreement = new Agreement();
    }
}
