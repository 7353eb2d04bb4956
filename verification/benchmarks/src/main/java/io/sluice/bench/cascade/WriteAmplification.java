/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.peer.Keys;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.filter.cascade.CascadeStatistics;
import io.sluice.filter.cascade.MergePolicy;
import io.sluice.filter.storage.NioDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Counted writes per entry by merge policy, compared with the policy's formula. */
final class WriteAmplification {
    private static final int[] FAN_OUTS = {2, 4, 8, 16};
    private static final int[] FILES = {2, 3, 4, 6, 8};
    private static final int DEFAULT_FILES = 4;

    /** Keys between two checks of how many buffers were filled; far fewer than a buffer holds. */
    private static final int STEP = 512;

    private final BenchReport report;
    private final Path directory;
    private final long buffers;
    private final long buffered;
    private final double fpp;
    private final CsvTable table =
            new CsvTable(
                    "policy,parameter,buffers,writesCounted,writesFormula,ratio,"
                            + "paperFormula,meanFiles,mostFiles,bytesWrittenPerKey");

    /**
     * For filters with {@code buffers} times {@code buffered} keys.
     *
     * @param buffered approximate number of keys in a buffer
     */
    WriteAmplification(
            BenchReport report, Path directory, long buffers, long buffered, double fpp) {
        this.report = report;
        this.directory = directory;
        this.buffers = buffers;
        this.buffered = buffered;
        this.fpp = fpp;
    }

    private record Counted(double writes, double formula, double meanFiles) {}

    void run() throws IOException {
        report.progress("write amplification, " + buffers + " buffers");
        List<double[]> counted = new ArrayList<>();
        List<double[]> formula = new ArrayList<>();
        for (int files : FILES) {
            Counted one =
                    count(
                            "few files",
                            files,
                            MergePolicy.fewFiles(files),
                            t -> WriteFormula.fewFiles(t, files));
            counted.add(new double[] {one.meanFiles, one.writes});
            formula.add(new double[] {one.meanFiles, one.formula});
            if (files == DEFAULT_FILES) {
                report.add(
                        "cascade.writeAmplification",
                        one.writes,
                        "writes",
                        "",
                        "of a key, %d buffers, at most %d files; formula %.3f",
                        buffers,
                        files,
                        one.formula);
                report.add(
                        "cascade.writeAmplification.ratioToFormula",
                        one.writes / one.formula,
                        "ratio",
                        "<= 1.1",
                        "default policy");
            }
        }
        Chart chart =
                Chart.linear(
                        "Writes of a key by merge policy, " + buffers + " buffers",
                        "files that a lookup of an absent key asks, on average",
                        "writes");
        chart.measured("few files (2, 3, 4, 6, 8)", counted).formula("few files, formula", formula);
        counted = new ArrayList<>();
        formula = new ArrayList<>();
        for (int fanOut : FAN_OUTS) {
            Counted one =
                    count(
                            "doubling",
                            fanOut,
                            MergePolicy.doubling(fanOut),
                            t -> WriteFormula.doubling(t, fanOut));
            counted.add(new double[] {one.meanFiles, one.writes});
            formula.add(new double[] {one.meanFiles, one.formula});
        }
        chart.measured("levels, fan-out 2, 4, 8, 16", counted).formula("levels, formula", formula);
        report.add(chart);
        report.table("cascade_write_amplification.csv", table);
    }

    private interface Formula {
        double writes(long buffers);
    }

    private Counted count(String policy, int parameter, MergePolicy merging, Formula formula)
            throws IOException {
        Path files = Files.createDirectory(directory.resolve("writes"));
        long keys = buffers * buffered;
        try (CascadeSet set =
                new CascadeSet(
                        "cascade",
                        "cascade filter",
                        new NioDirectory(files),
                        Scale.of(keys, true, fpp, null)
                                .options()
                                .bufferBytes(Scale.bufferBytes(keys, fpp, buffered))
                                .mergePolicy(merging)
                                .build())) {
            double sum = 0;
            long looks = 0;
            int most = 0;
            long next = 0;
            long[] some = new long[STEP];
            while (set.statistics().flushes() < buffers) {
                for (int i = 0; i < STEP; i++) {
                    some[i] = Keys.key(next++);
                }
                set.add(some, 0, STEP);
                int now = set.statistics().files();
                sum += now;
                looks++;
                most = Math.max(most, now);
            }
            set.awaitMerges();
            CascadeStatistics done = set.statistics();
            double writes = done.writeAmplification();
            double expected = formula.writes(done.flushes());
            double bytes =
                    (double) (done.flushedBytes() + done.mergedBytes()) / done.flushedEntries();
            table.add(
                    policy,
                    parameter,
                    done.flushes(),
                    writes,
                    expected,
                    writes / expected,
                    WriteFormula.paper(done.flushes()),
                    sum / looks,
                    most,
                    bytes);
            report.progress(
                    "    %-10s %2d  %4d buffers  counted %6.3f  formula %6.3f  files %.2f"
                            + " on average, at most %d",
                    policy, parameter, done.flushes(), writes, expected, sum / looks, most);
            return new Counted(writes, expected, sum / looks);
        } finally {
            Trees.delete(files);
        }
    }
}
