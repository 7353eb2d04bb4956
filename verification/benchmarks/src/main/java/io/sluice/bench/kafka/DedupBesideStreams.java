/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.kafka.CopyingProgram.Started;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Figure;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * The job that deduplicates a topic beside an application of Kafka Streams that does the same: how
 * fast they read a filled topic, what they keep on disk, how late records come out at a steady
 * rate, and how long a restart takes. One of them runs at a time.
 */
final class DedupBesideStreams {
    /** Sent while a program is stopped: what it has to read and commit after its restart. */
    private static final long RECORDS_MISSED = 1000;

    /** Of the steady rate, which both can follow. */
    private static final int RECORDS_PER_SECOND = 5000;

    private static final Duration LIMIT = Duration.ofHours(3);

    /** Time that the records of the filled topic are spread over: half of the window holds them. */
    private static final Duration SPAN = DedupEndToEnd.WINDOW.dividedBy(2);

    private static final int SECONDS = 60;
    private static final int QUICK_SECONDS = 5;

    private final BenchReport report;
    private final Table table;
    private final EmbeddedKafka kafka;

    /** In the names of figures, since the topic grows meanwhile. */
    private final int size;

    /** Different ids on the topic. */
    private int ids;

    private DedupBesideStreams(BenchReport report, Table table, EmbeddedKafka kafka, int size) {
        this.report = report;
        this.table = table;
        this.kafka = kafka;
        this.size = size;
    }

    /** Measures with each number of ids, on a broker of its own. */
    static void run(BenchReport report, Path directory, List<Integer> sizes)
            throws IOException, InterruptedException {
        Table table = Table.of("ids,program,figure,value,unit".split(","));
        for (int size : sizes) {
            report.progress("beside Kafka Streams: a topic of %,d ids", size);
            try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
                new DedupBesideStreams(report, table, kafka, size).run(directory);
            }
        }
        report.table("kafka-streams.csv", table);
    }

    private void run(Path directory) throws IOException, InterruptedException {
        long records = OrdersTopic.recordsOf(size);
        long begin = System.currentTimeMillis() - SPAN.toMillis();
        ids = OrdersTopic.fill(kafka, records, each -> begin + each * SPAN.toMillis() / records);
        long idsPerSecond = size / SPAN.toSeconds() + 1;
        try (DedupProgram dedup = DedupProgram.create(kafka, directory, idsPerSecond);
                StreamsProgram streams = StreamsProgram.create(kafka, directory);
                CommittedIds ofDedup = new CommittedIds(kafka, dedup.output());
                CommittedIds ofStreams = new CommittedIds(kafka, streams.output())) {
            readAll(dedup, ofDedup);
            bytes(dedup, "checkpointBytes", dedup.checkpointBytes(), "the last checkpoint");
            readAll(streams, ofStreams);
            bytes(streams, "stateBytes", streams.stateBytes(), "the state directory");
            bytes(
                    streams,
                    "changelogBytes",
                    streams.changelogBytes(),
                    "the changelog topic, one replica");

            restart(dedup, ofDedup, "restartMillis", "from the last checkpoint");
            steadily(dedup, ofDedup);
            dedup.stop();

            catchUp(streams, ofStreams);
            restart(
                    streams,
                    ofStreams,
                    "restartMillis",
                    "closed in good order, state directory kept");
            steadily(streams, ofStreams);
            streams.kill();
            restart(
                    streams,
                    ofStreams,
                    "restartKilledMillis",
                    "killed with signal 9, state directory kept");
            streams.stop();
            streams.wipe();
            restart(streams, ofStreams, "restartWipedMillis", "state directory removed");
            streams.stop();

            catchUp(dedup, ofDedup);
            check(dedup, ofDedup, DedupEndToEnd.allowedMissing(ids));
            check(streams, ofStreams, 0);
        }
    }

    private void readAll(CopyingProgram program, CommittedIds committed)
            throws IOException, InterruptedException {
        Started started = program.start();
        long millis = awaitAll(program, committed, timestamp -> {}) - started.running();
        long records = OrdersTopic.recordsOf(size);
        add(
                program,
                "perSecond",
                records * 1e3 / millis,
                "records/s",
                records
                        + " records; once, not warmed up; from all tasks running until a reader of"
                        + " committed records had the last");
        program.stop();
    }

    /** Passes what was sent for the other program. */
    private void catchUp(CopyingProgram program, CommittedIds committed)
            throws IOException, InterruptedException {
        program.start();
        awaitAll(program, committed, timestamp -> {});
        program.stop();
    }

    /** Leaves the program running. */
    private void restart(CopyingProgram program, CommittedIds committed, String figure, String how)
            throws IOException, InterruptedException {
        ids = OrdersTopic.append(kafka, ids, RECORDS_MISSED, record -> System.currentTimeMillis());
        Started started = program.start();
        long millis = awaitAll(program, committed, timestamp -> {}) - started.begun();
        add(
                program,
                figure,
                (double) millis,
                "ms",
                how
                        + "; from the start to the commit of "
                        + RECORDS_MISSED
                        + " records sent before, without the start of the process or cluster");
    }

    /** Waits until everything that was sent is committed; returns when, in ms since 1970. */
    private long awaitAll(CopyingProgram program, CommittedIds committed, LongConsumer timestamps)
            throws IOException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!committed.hasLastOf(ids)) {
            program.requireAlive();
            if (System.nanoTime() > deadline) {
                throw new IOException(
                        program.title() + " was not done within " + LIMIT.toHours() + " h");
            }
            committed.poll(timestamps);
        }
        return System.currentTimeMillis();
    }

    /** Measures latency in a program that runs and has nothing to catch up with. */
    private void steadily(CopyingProgram program, CommittedIds committed) throws IOException {
        int seconds = report.quick() ? QUICK_SECONDS : SECONDS;
        List<Long> latencies = new ArrayList<>();
        // Both programs keep the timestamps of records.
        LongConsumer taken = sentAt -> latencies.add(System.currentTimeMillis() - sentAt);
        int before = ids;
        CompletableFuture<Integer> sent =
                CompletableFuture.supplyAsync(
                        () -> sendSteadily(before, seconds),
                        sender -> new Thread(sender, "sender").start());
        while (!sent.isDone()) {
            program.requireAlive();
            committed.poll(taken);
        }
        ids = sent.join();
        awaitAll(program, committed, taken);
        String note =
                String.format(
                        Locale.ROOT,
                        "%d records, %d records/s sent for %d s; from sending a record to reading"
                                + " its committed copy; a commit every %d s",
                        latencies.size(),
                        RECORDS_PER_SECOND,
                        seconds,
                        Duration.ofMillis(DedupEndToEnd.CHECKPOINT_MILLIS).toSeconds());
        latencies.sort(null);
        add(program, "latencyMedianMillis", percentile(latencies, 0.5), "ms", note);
        add(program, "latencyP99Millis", percentile(latencies, 0.99), "ms", note);
    }

    private int sendSteadily(int before, int seconds) {
        long start = System.nanoTime();
        return OrdersTopic.append(
                kafka,
                before,
                (long) seconds * RECORDS_PER_SECOND,
                record -> {
                    long due = start + record * 1_000_000_000L / RECORDS_PER_SECOND;
                    for (long left; (left = due - System.nanoTime()) > 0; ) {
                        LockSupport.parkNanos(left);
                    }
                    return System.currentTimeMillis();
                });
    }

    /** A fast program that loses ids, or lets them pass twice, would be worthless. */
    private void check(CopyingProgram program, CommittedIds committed, double allowedMissing) {
        committed.pollAll();
        CommittedIds.Count count = committed.count(ids);
        DedupEndToEnd.check(report, name(program, "ids"), count, ids, allowedMissing);
    }

    private static double percentile(List<Long> sorted, double share) {
        return sorted.get((int) (sorted.size() * share));
    }

    private void bytes(CopyingProgram program, String figure, long bytes, String what) {
        add(program, figure, (double) bytes, "bytes", what);
    }

    private void add(
            CopyingProgram program, String figure, double value, String unit, String note) {
        report.add(
                new Figure(
                        name(program, figure), value, unit, "", "", program.title() + "; " + note));
        table.add(size, program.id(), figure, value, unit);
    }

    private String name(CopyingProgram program, String figure) {
        return "kafka.streams." + size + '.' + program.id() + '.' + figure;
    }
}
