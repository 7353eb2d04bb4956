/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.demo.ReconcileReport.Failures;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.inspect.CheckpointLocation;
import io.sluice.inspect.StateReconciler;
import io.sluice.inspect.StoredCheckpoint;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.job.reconcile.AgreementArguments;
import io.sluice.job.reconcile.ReplicaArguments;
import io.sluice.kafka.Brokers;
import io.sluice.record.CounterKind;
import io.sluice.replay.Faults;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.TraceReplayer;
import io.sluice.report.OutputFolder;
import io.sluice.report.ReportFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Two regions count the same: a capture is sent to both, each time with different losses and
 * repetitions. One starts so long after the other that the windows of the first are suspended; the
 * first is killed in the middle of the exchange; and in the end both have counted each operation
 * that either got, once, and have seen the same.
 */
public final class ReconcileDemo {
    private static final List<String> NAMES = List.of("east", "west");
    private static final int PARTITIONS = 2;
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(300);
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int GROUPS = 4;
    private static final String OPERATOR = "Reconcile: agree";
    private static final CounterKind KIND = CounterKind.SOURCE;

    /** Far fewer operations are taken for retries than one in any demonstration. */
    private static final String FPP = "1e-10";

    private final ReconcileDemoOptions options;
    private final Consumer<String> console;

    private ReconcileDemo(ReconcileDemoOptions options, Consumer<String> console) {
        this.options = options;
        this.console = console;
    }

    /**
     * Runs the demonstration: some ten seconds for a hundred thousand packets.
     *
     * @param console takes lines about the progress
     * @return the result, whose verdict may be a failure
     * @throws IOException with one readable line, if input or environment do not allow a run
     */
    public static ReconcileReport run(ReconcileDemoOptions options, Consumer<String> console)
            throws IOException {
        return new ReconcileDemo(options, console).run();
    }

    private ReconcileReport run() throws IOException {
        try (OutputFolder folder = OutputFolder.open(options.out())) {
            Path capture = options.capture().orElse(folder.work().resolve("generated.pcap"));
            if (options.capture().isEmpty()) {
                LoadGenerator.write(
                        LoadOptions.builder(options.packets()).seed(options.seed()).build(),
                        capture);
            }
            CaptureSurvey survey = CaptureSurvey.of(capture, false);
            console.accept(
                    String.format(
                            "%,d packets over %.1f s; starting brokers and clusters",
                            survey.operations(), survey.seconds()));
            try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.work());
                    EmbeddedKafka second =
                            options.twoBrokers() ? EmbeddedKafka.start(folder.work()) : null;
                    LocalFlink east = LocalFlink.start(folder.work(), 1, 1);
                    LocalFlink west = LocalFlink.start(folder.work(), 1, 1)) {
                List<String> servers =
                        List.of(
                                kafka.bootstrapServers(),
                                (second == null ? kafka : second).bootstrapServers());
                ReconcileReport report = run(capture, survey, servers, east, west);
                ReportFiles.write(report, ReportFiles.RECONCILE, folder.work());
                folder.publish(List.of(ReportFiles.HTML, ReportFiles.JSON));
                return report;
            } catch (IOException e) {
                throw folder.explain(e);
            }
        }
    }

    private ReconcileReport run(
            Path capture,
            CaptureSurvey survey,
            List<String> servers,
            LocalFlink east,
            LocalFlink west)
            throws IOException {
        Duration window =
                Duration.ofMillis(
                        Math.max(10, (long) (survey.seconds() * 1000 / options.windows())));
        for (int replica = 0; replica < NAMES.size(); replica++) {
            replay(capture, servers.get(replica), replica, window);
        }
        List<CountersOptions> jobs =
                List.of(job(0, servers, survey, window), job(1, servers, survey, window));
        for (CountersOptions job : jobs) {
            job.prepare(false).forEach(console);
        }

        RunningJob first = start(east, jobs.get(0));
        await(first, "in need of the peer", () -> total(east, "suspended") >= (long) GROUPS);
        long behind = total(east, "suspended") / GROUPS;
        console.accept(
                String.format(
                        "replica east has closed %d windows, and suspended them; west starts",
                        behind));
        RunningJob other = start(west, jobs.get(1));
        await(other, "exchanging", () -> total(west, "sentBytes") > 0);
        console.accept("replica east is killed in the middle of the exchange");
        east.replaceTaskManager(0);
        await(first, "restored", () -> first.restored() > 0);

        ReconcileProgress progress =
                new ReconcileProgress(servers, jobs, new ReplicaCounts(window.toMillis(), KIND));
        await(other, "agreed with its peer", progress::isOver);
        console.accept("both are done; comparing their counters and their savepoints");
        long restored = first.restored();
        // What they emitted is committed when they have stopped.
        String stateOfFirst = first.stopWithSavepoint(false);
        String stateOfOther = other.stopWithSavepoint(false);
        ReconcileJudge judge = progress.judge();
        judge.states(agree(stateOfFirst, stateOfOther));
        return judge.report(new Failures(1, restored, behind));
    }

    /** Compares totals and seen sets of two savepoints, as {@code sluice reconcile} does. */
    private static boolean agree(String first, String second) throws IOException {
        return StateReconciler.compare(load(first), load(second), 0).agree();
    }

    private static StoredCheckpoint load(String savepoint) throws IOException {
        return StoredCheckpoint.load(
                CheckpointLocation.find(savepoint), ReconcileDemo.class.getClassLoader());
    }

    private static void await(RunningJob job, String what, BooleanSupplier condition)
            throws IOException {
        try {
            job.await(what, LIMIT, condition);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static long total(LocalFlink flink, String metric) {
        return flink.metrics().total(OPERATOR, metric);
    }

    private static RunningJob start(LocalFlink flink, CountersOptions job) throws IOException {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(1);
        CountersJob.define(env, job);
        return flink.submit(env, "counters of " + job.replica());
    }

    private static String input(int replica) {
        return "packets-" + NAMES.get(replica);
    }

    private void replay(Path capture, String servers, int replica, Duration window)
            throws IOException {
        ReplayTopic.create(Brokers.at(servers), input(replica), PARTITIONS, BROKER_TIMEOUT);
        Faults faults =
                Faults.builder()
                        .seed(options.seed() + 1 + replica)
                        .dropShare(options.losses())
                        .retryShare(options.retries())
                        .window(window)
                        .retryDelay(window.dividedBy(20), window.dividedBy(4))
                        .build();
        ReplayOptions replay =
                ReplayOptions.builder(Brokers.at(servers), input(replica))
                        .faults(faults)
                        .brokerTimeout(BROKER_TIMEOUT)
                        .build();
        new TraceReplayer(replay, ignored -> {}).replay(capture);
    }

    private CountersOptions job(
            int replica, List<String> servers, CaptureSurvey survey, Duration window) {
        long outOfOrder = survey.disorderMillis() + window.toMillis() / 4 + 1;
        String name = NAMES.get(replica);
        return CountersOptions.parse(
                CountersOptions.BOOTSTRAP_SERVERS + "=" + servers.get(replica),
                ReplicaArguments.PEER_BOOTSTRAP + "=" + servers.get(1 - replica),
                ReplicaArguments.REPLICA + "=" + name,
                AgreementArguments.AGREE_PREFIX + "=agree",
                CountersOptions.WITHIN + "=1d",
                ReplicaArguments.PEER + "=" + NAMES.get(1 - replica),
                CountersOptions.INPUT_TOPIC + "=" + input(replica),
                CountersOptions.FORMAT + "=packets",
                CountersOptions.COUNT_BY + "=" + KIND.code(),
                CountersOptions.OUTPUT_TOPIC + "=counters-" + name,
                CountersOptions.DUPLICATES_TOPIC + "=duplicates-" + name,
                CountersOptions.LATE_TOPIC + "=late-" + name,
                CountersOptions.DEAD_LETTER_TOPIC + "=dead-letters-" + name,
                CountersOptions.GROUP + "=" + name,
                CountersOptions.BOUNDED,
                CountersOptions.FPP + "=" + FPP,
                CountersOptions.EXPECTING + "=" + Math.max(1000, survey.operations()),
                AgreementArguments.AGREE_GROUPS + "=" + GROUPS,
                AgreementArguments.AGREE_WINDOW + "=" + window.toMillis() + "ms",
                AgreementArguments.AGREE_METHOD + "=" + options.method(),
                AgreementArguments.AGREE_TTL + "=" + options.ttl().toMillis() + "ms",
                AgreementArguments.RESUME_WITHIN + "=1h",
                AgreementArguments.RETRY_AFTER + "=2s",
                CountersOptions.OUT_OF_ORDERNESS + "=" + outOfOrder + "ms",
                CountersOptions.CHECKPOINT_INTERVAL + "=" + CHECKPOINT_INTERVAL.toMillis() + "ms");
    }
}
