/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.filter.cascade.CascadeStatistics;
import io.sluice.filter.cascade.MergePolicy;
import io.sluice.filter.storage.NioDirectory;
import io.sluice.flink.testkit.local.Directories;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongUnaryOperator;
import org.apache.commons.math3.util.CombinatoricsUtils;

/**
 * Counted writes per entry by merge policy, compared with the policy's formula, which is computed
 * independently of the filter's own planner, so that the two can disagree.
 *
 * <p>A schedule says which files exist after t buffers. From one t to the next only the youngest
 * file changes, so y(t) buffers are written, where y(t) is its size. A buffer is always first
 * written as its own file; if y(t) = 1, that is all. So t buffers cost t + (the sum of y over those
 * with y greater than 1) writes of a buffer.
 */
final class WriteAmplification {
    private static final String FEW = "few files";
    private static final int DEFAULT_FILES = 4;

    /** The most buffers that a count of writes fills. */
    private static final long MAX_BUFFERS = 120;

    private static final long MIN_BUFFERED = 10_000;
    private static final long MAX_BUFFERED = 120_000;

    /** Keys between two checks of how many buffers were filled; far fewer than a buffer holds. */
    private static final int STEP = 512;

    private final BenchReport report;
    private final Path directory;
    private final long buffers;
    private final long buffered;
    private final double fpp;
    private final Chart chart;
    private final Table table =
            Table.of(
                    ("policy,parameter,buffers,writesCounted,writesFormula,ratio,"
                                    + "paperFormula,meanFiles,mostFiles,bytesWrittenPerKey")
                            .split(","));

    /** Small filters have fewer buffers, not smaller ones. */
    WriteAmplification(BenchReport report, Scale scale, Path directory) {
        this.report = report;
        this.directory = directory;
        this.fpp = scale.fpp();
        buffers = Math.min(MAX_BUFFERS, scale.keys() / MIN_BUFFERED);
        buffered = Math.min(MAX_BUFFERED, scale.keys() / buffers + 1);
        chart =
                Chart.linear(
                        "Writes of a key by merge policy, " + buffers + " buffers",
                        "files that a lookup of an absent key asks, on average",
                        "writes");
    }

    void run() throws IOException {
        report.progress("write amplification, " + buffers + " buffers");
        policy(
                FEW,
                MergePolicy::fewFiles,
                files -> t -> youngestOfFew(t, files),
                new int[] {2, 3, 4, 6, 8});
        policy(
                "levels",
                MergePolicy::doubling,
                fanOut -> t -> youngestOfLevels(t, fanOut),
                new int[] {2, 4, 8, 16});
        report.add(chart);
        report.table("cascade_write_amplification.csv", table);
    }

    private void policy(
            String name,
            IntFunction<MergePolicy> merging,
            IntFunction<LongUnaryOperator> youngest,
            int... parameters)
            throws IOException {
        List<double[]> counted = new ArrayList<>();
        List<double[]> formula = new ArrayList<>();
        for (int parameter : parameters) {
            count(
                    name,
                    parameter,
                    merging.apply(parameter),
                    youngest.apply(parameter),
                    counted,
                    formula);
        }
        chart.measured(name, counted).formula(name + ", formula", formula);
    }

    private void count(
            String policy,
            int parameter,
            MergePolicy merging,
            LongUnaryOperator youngest,
            List<double[]> counted,
            List<double[]> formula)
            throws IOException {
        Path files = Files.createDirectory(directory.resolve("writes"));
        long keys = buffers * buffered;
        try (CascadeSet set =
                new CascadeSet(
                        files,
                        NioDirectory.Reads.CACHED,
                        Scale.of(keys, true, fpp, null)
                                .options()
                                .bufferBytes(Scale.bufferBytes(keys, fpp, buffered))
                                .mergePolicy(merging)
                                .build())) {
            double sum = 0;
            long looks = 0;
            int most = 0;
            KeySource source = new KeySource(0);
            long[] some = new long[STEP];
            while (set.statistics().flushes() < buffers) {
                source.fill(some);
                set.add(some);
                int now = set.statistics().files();
                sum += now;
                looks++;
                most = Math.max(most, now);
            }
            set.awaitMerges();
            CascadeStatistics done = set.statistics();
            long flushes = done.flushes();
            double writes = done.writeAmplification();
            double expected = writes(flushes, youngest);
            double ratio = writes / expected;
            double mean = sum / looks;
            // The paper merges the buffer directly with the files, at a fan-out of 2.
            double paper = Math.log((double) flushes) / Math.log(2) / 2 + 1;
            double bytes = (double) set.bytesWritten() / done.flushedEntries();
            table.add(
                    policy, parameter, flushes, writes, expected, ratio, paper, mean, most, bytes);
            report.progress(
                    "    %-10s %2d  %4d buffers  counted %6.3f  formula %6.3f  files %.2f"
                            + " on average, at most %d",
                    policy, parameter, flushes, writes, expected, mean, most);
            counted.add(new double[] {mean, writes});
            formula.add(new double[] {mean, expected});
            if (policy.equals(FEW) && parameter == DEFAULT_FILES) {
                String name = "cascade.writeAmplification";
                String of = flushes + " buffers, at most 4 files, the default; formula " + expected;
                report.add(name, writes, "writes", "", of);
                report.add(name + ".ratioToFormula", ratio, "ratio", "<= 1.1", "default policy");
            }
        } finally {
            Directories.deleteRecursively(files);
        }
    }

    /** Writes per entry under a schedule, including 1 for its flush. */
    static double writes(long buffers, LongUnaryOperator youngest) {
        double merged = 0;
        for (long t = 1; t <= buffers; t++) {
            long size = youngest.applyAsLong(t);
            merged += size > 1 ? size : 0;
        }
        return 1 + merged / buffers;
    }

    /**
     * The youngest of at most {@code files} files. Their sizes are the largest binomials C(c,
     * files), C(c', files - 1), ... that fit into what is left (the combinatorial number system).
     */
    static long youngestOfFew(long buffers, int files) {
        long left = buffers;
        long youngest = 0;
        for (int k = files; k >= 1 && left > 0; k--) {
            int c = k;
            while (CombinatoricsUtils.binomialCoefficient(c + 1, k) <= left) {
                c++;
            }
            youngest = CombinatoricsUtils.binomialCoefficient(c, k);
            left -= youngest;
        }
        return youngest;
    }

    /**
     * The youngest file if each level is {@code fanOut} times the one before: the files are the
     * digits of the number of buffers in that base, and the youngest is the lowest non-zero digit.
     */
    static long youngestOfLevels(long buffers, int fanOut) {
        long unit = 1;
        long rest = buffers;
        while (rest % fanOut == 0) {
            rest /= fanOut;
            unit *= fanOut;
        }
        return rest % fanOut * unit;
    }
}
