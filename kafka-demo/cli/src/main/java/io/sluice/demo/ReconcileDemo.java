/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.demo.ReconcileReport.Failures;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.reconcile.ReconcileJob;
import io.sluice.job.reconcile.ReconcileOptions;
import io.sluice.kafka.Brokers;
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
 * Two replicas agree: a capture is sent to both, each time with different losses and repetitions;
 * one starts long after the other has closed its windows, the other is killed in the middle of the
 * exchange, and in the end both have the union of what either saw, at maximum multiplicity.
 */
public final class ReconcileDemo {
    private static final List<String> NAMES = List.of("east", "west");
    private static final int PARTITIONS = 2;
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(300);
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int GROUPS = 4;
    private static final String OPERATOR = "Reconcile: reconcile";

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
        ReconcileOptions job = job(servers, survey, window);
        ReconcileOptions peer = job.mirrored(input(1));
        ReconcileJob.prepare(job);
        ReconcileJob.prepare(peer);

        RunningJob first = start(east, job);
        await(first, "through its input", () -> sent(east) > 0);
        await(first, "in need of the peer", () -> waiting(east) >= (long) GROUPS);
        long behind = waiting(east) / GROUPS;
        console.accept(
                String.format("replica east has closed %d windows and waits; west starts", behind));
        RunningJob other = start(west, peer);
        await(other, "exchanging", () -> sent(west) > 0);
        console.accept("replica east is killed in the middle of the exchange");
        east.replaceTaskManager(0);
        await(first, "restored", () -> first.restored() > 0);

        ReconcileProgress progress = new ReconcileProgress(servers, List.of(job, peer), window);
        await(other, "agreed with its peer", progress::isOver);
        console.accept("both are done; reading the results and judging them");
        long restored = first.restored();
        // What they emitted is committed when they have stopped.
        first.stopWithSavepoint(false);
        other.stopWithSavepoint(false);
        return progress.judge().report(new Failures(1, restored, behind));
    }

    private static void await(RunningJob job, String what, BooleanSupplier condition)
            throws IOException {
        try {
            job.await(what, LIMIT, condition);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static long sent(LocalFlink flink) {
        return flink.metrics().total(OPERATOR, "sentBytes");
    }

    private static long waiting(LocalFlink flink) {
        return flink
                .metrics()
                .valuesBy(OPERATOR, "waitingWindows", "<subtask_index>")
                .values()
                .stream()
                .mapToLong(Double::longValue)
                .sum();
    }

    private static RunningJob start(LocalFlink flink, ReconcileOptions job) throws IOException {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(1);
        ReconcileJob.define(env, job);
        return flink.submit(env, "reconcile " + job.replica());
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

    private ReconcileOptions job(List<String> servers, CaptureSurvey survey, Duration window) {
        long outOfOrder = survey.disorderMillis() + window.toMillis() / 4 + 1;
        return ReconcileOptions.parse(
                List.of(
                        ReconcileOptions.BOOTSTRAP_SERVERS + "=" + servers.get(0),
                        ReconcileOptions.PEER_BOOTSTRAP + "=" + servers.get(1),
                        ReconcileOptions.REPLICA + "=" + NAMES.get(0),
                        ReconcileOptions.PEER + "=" + NAMES.get(1),
                        ReconcileOptions.INPUT_TOPIC + "=" + input(0),
                        ReconcileOptions.BOUNDED,
                        ReconcileOptions.WRITE_ELEMENTS,
                        ReconcileOptions.GROUPS + "=" + GROUPS,
                        ReconcileOptions.WINDOW + "=" + window.toMillis() + "ms",
                        ReconcileOptions.METHOD + "=" + options.method(),
                        ReconcileOptions.FPP + "=" + options.fpp(),
                        ReconcileOptions.SEED + "=" + options.seed(),
                        ReconcileOptions.TTL + "=" + options.ttl().toMillis() + "ms",
                        ReconcileOptions.RETRY_AFTER + "=2s",
                        ReconcileOptions.OUT_OF_ORDERNESS + "=" + outOfOrder + "ms",
                        ReconcileOptions.CHECKPOINT_INTERVAL
                                + "="
                                + CHECKPOINT_INTERVAL.toMillis()
                                + "ms"));
    }
}
