/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Variants of a job over one topic, in turns: the machine's good and bad minutes meet all of them.
 * Round 0 warms up, with one variant only, and does not count.
 *
 * @param <V> the variants
 */
final class JobsInTurns<V> {
    private final BenchReport report;
    private final Function<V, String> name;
    private final long records;
    private final CsvTable table = new CsvTable("variant,round,records,records_per_second,cores");
    private final Map<V, List<TimedJob>> runs = new HashMap<>();

    /** Runs one variant. */
    interface Once<V> {
        /**
         * Runs it.
         *
         * @param round 0 for the warm-up
         */
        TimedJob run(V variant, int round) throws IOException;
    }

    /**
     * @param name of a variant, for the table and for lines of progress
     * @param records on the topic
     */
    JobsInTurns(BenchReport report, Function<V, String> name, long records) {
        this.report = report;
        this.name = name;
        this.records = records;
    }

    /** Runs {@code warmUp} once, and then all variants {@code rounds} times. */
    void run(List<V> variants, V warmUp, int rounds, Once<V> once) throws IOException {
        for (int round = 0; round <= rounds; round++) {
            for (V variant : round == 0 ? List.of(warmUp) : variants) {
                TimedJob run = once.run(variant, round);
                report.progress(
                        "    %-16s round %d: %,9.0f records/s, %.2f cores",
                        name.apply(variant), round, run.recordsPerSecond(), run.cores());
                table.add(name.apply(variant), round, records, run.recordsPerSecond(), run.cores());
                if (round > 0) {
                    runs.computeIfAbsent(variant, v -> new ArrayList<>()).add(run);
                }
            }
        }
    }

    /** All runs, the warm-up included. */
    CsvTable table() {
        return table;
    }

    Spread recordsPerSecond(V variant) {
        return Spread.of(runs.get(variant).stream().map(TimedJob::recordsPerSecond).toList());
    }

    Spread cores(V variant) {
        return Spread.of(runs.get(variant).stream().map(TimedJob::cores).toList());
    }
}
