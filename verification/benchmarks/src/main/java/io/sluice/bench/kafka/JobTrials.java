/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Figure;
import io.sluice.bench.report.Spread;
import io.sluice.bench.run.Rates;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Jobs over one topic, in turns: the machine's good and bad minutes meet all of them. Round 0 warms
 * up and does not count.
 */
public final class JobTrials {
    private final BenchReport report;
    private final String prefix;
    private final long records;
    private final String span;
    private final Rates<String> rates = new Rates<>();
    private final Rates<String> cores = new Rates<>();

    /**
     * A job that is compared with others.
     *
     * @param id a word for tables and topics
     * @param figure the name of its median rate
     * @param peer what it is compared with, empty if nothing
     * @param goal of the figure, empty if there is none
     */
    public record Trial(
            String id, String title, String figure, String peer, String goal, Run run) {}

    /** Runs a job once. */
    @FunctionalInterface
    public interface Run {
        /**
         * Runs it.
         *
         * @param name of the job and of the topics that it writes to; different each time
         */
        TimedJob once(String name, int round) throws IOException;
    }

    /**
     * No trial yet.
     *
     * @param prefix of the names of jobs
     * @param records on the topic
     * @param span of the measured time, in words
     */
    public JobTrials(BenchReport report, String prefix, long records, String span) {
        this.report = report;
        this.prefix = prefix;
        this.records = records;
        this.span = span;
    }

    /** From all tasks running to the last commit. */
    public JobTrials(BenchReport report, String prefix, long records) {
        this(report, prefix, records, "from all tasks running to the last commit");
    }

    /**
     * Runs those of {@code warmUp} once, and then all {@code trials} in each round; adds their
     * figures to the report. Returns all runs, the warm-up included.
     */
    public Table run(List<Trial> trials, List<Trial> warmUp, int rounds) throws IOException {
        Table table = Table.of("variant,round,records,records_per_second,cores".split(","));
        for (int round = 0; round <= rounds; round++) {
            for (Trial trial : round == 0 ? warmUp : trials) {
                TimedJob job = trial.run.once(prefix + trial.id + "-" + round, round);
                report.progress(
                        "    %-16s round %d: %,9.0f records/s, %.2f cores",
                        trial.id, round, job.recordsPerSecond(), job.cores());
                table.add(trial.id, round, records, job.recordsPerSecond(), job.cores());
                if (round > 0) {
                    rates.add(trial.id, job.recordsPerSecond());
                    cores.add(trial.id, job.cores());
                }
            }
        }
        for (Trial trial : trials) {
            String note =
                    String.format(
                            Locale.ROOT,
                            "%s; %d records; %s; %.2f cores busy, broker included; %s",
                            trial.title,
                            records,
                            rates.of(trial.id),
                            cores.median(trial.id),
                            span);
            double rate = rates.median(trial.id);
            report.add(new Figure(trial.figure, rate, "records/s", trial.peer, trial.goal, note));
        }
        return table;
    }

    /** The rate of one trial over that of another, both by id, round by round. */
    public Spread ratio(String id, String peer) {
        return rates.ratio(id, peer);
    }
}
