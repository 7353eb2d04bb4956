/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.Rates;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Variants of a job over one topic, in turns: the machine's good and bad minutes meet all of them.
 * Round 0 warms up and does not count.
 *
 * @param <V> the variants
 */
public final class JobsInTurns<V extends JobsInTurns.Variant> {
    private final BenchReport report;
    private final long records;
    private final CsvTable table = new CsvTable("variant,round,records,records_per_second,cores");
    private final Rates<V> rates = new Rates<>();
    private final Rates<V> cores = new Rates<>();

    /** A job that is compared with others. */
    public interface Variant {
        /** A word for tables and topics. */
        String id();

        /** What it is, for readers. */
        String title();
    }

    /** Runs one variant. */
    public interface Once<V> {
        /**
         * Runs it.
         *
         * @param round 0 for the warm-up
         */
        TimedJob run(V variant, int round) throws IOException;
    }

    /**
     * @param records on the topic
     */
    public JobsInTurns(BenchReport report, long records) {
        this.report = report;
        this.records = records;
    }

    /** Runs those of {@code warmUp} once, and then all variants {@code rounds} times. */
    public void run(List<V> variants, List<V> warmUp, int rounds, Once<V> once) throws IOException {
        for (int round = 0; round <= rounds; round++) {
            for (V variant : round == 0 ? warmUp : variants) {
                TimedJob run = once.run(variant, round);
                report.progress(
                        "    %-16s round %d: %,9.0f records/s, %.2f cores",
                        variant.id(), round, run.recordsPerSecond(), run.cores());
                table.add(variant.id(), round, records, run.recordsPerSecond(), run.cores());
                if (round > 0) {
                    rates.add(variant, run.recordsPerSecond());
                    cores.add(variant, run.cores());
                }
            }
        }
    }

    /** All runs, the warm-up included. */
    CsvTable table() {
        return table;
    }

    /** Adds the median rate of a variant to the report. */
    public void figure(V variant, String name, String peer, String goal) {
        report.add(
                new Figure(
                        name,
                        rates.median(variant),
                        "records/s",
                        peer,
                        goal,
                        String.format(
                                Locale.ROOT,
                                "%s; %d records; %s; %.2f cores busy, broker included; from all"
                                        + " tasks running to the last commit",
                                variant.title(),
                                records,
                                rates.of(variant),
                                cores.median(variant))));
    }
}
