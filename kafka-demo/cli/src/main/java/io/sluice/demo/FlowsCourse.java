/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.capture.traffic.TrafficGenerator;
import io.sluice.capture.traffic.TrafficOptions;
import io.sluice.capture.traffic.TrafficTruth;
import io.sluice.filter.memory.Storage;
import io.sluice.flink.flow.ConnState;
import io.sluice.flink.flow.FlowMetrics;
import io.sluice.flink.flow.FlowTimeouts;
import io.sluice.flink.flow.IdleClass;
import io.sluice.flink.machine.store.KeyValueGenerations;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.JobTopics;
import io.sluice.job.flows.FlowArguments;
import io.sluice.job.flows.FlowsJob;
import io.sluice.job.flows.FlowsOptions;
import io.sluice.kafka.Brokers;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.TraceReplayer;
import io.sluice.report.DemoReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Follows the TCP flows of a capture, given or generated, once with the exact store and once with
 * the key-value filter, and compares the two with each other and with what the generator made.
 */
final class FlowsCourse {
    private static final String INPUT = "flow-packets";
    private static final int PARTITIONS = 4;
    private static final double BITS_PER_FLOW = 96;
    private static final FlowTimeouts TIMEOUTS =
            new FlowTimeouts(
                    FlowTimeouts.DEFAULT.opening(),
                    FlowTimeouts.DEFAULT.open(),
                    Duration.ofMinutes(2),
                    FlowTimeouts.DEFAULT.slices());
    private static final int PACKETS_FOR_A_FLOW = 50;
    private static final int MIN_FLOWS = 200;
    private static final int ILLEGAL_PACKETS = 20;
    private static final Duration LIMIT = Duration.ofMinutes(10);

    /** Longer than all timeouts of the jobs together. */
    private static final Duration LATER = Duration.ofHours(1);

    private final EmbeddedKafka kafka;
    private final LocalFlink flink;
    private final DemoOptions options;
    private final Consumer<String> console;

    /**
     * Its part of the report.
     *
     * @param complaints empty if every promise was kept
     */
    record Outcome(DemoReport.Flows flows, DemoReport.Kbf kbf, List<String> complaints) {}

    FlowsCourse(
            EmbeddedKafka kafka, LocalFlink flink, DemoOptions options, Consumer<String> console) {
        this.kafka = kafka;
        this.flink = flink;
        this.options = options;
        this.console = console;
    }

    /**
     * Runs all of it.
     *
     * @param given the capture, or null to generate one in {@code work}
     */
    Outcome run(@Nullable Path given, Path work, boolean acceptDamaged) throws IOException {
        Path capture = given;
        TrafficTruth truth = null;
        if (given == null) {
            capture = work.resolve("flows.pcap");
            truth = TrafficGenerator.write(traffic(), capture, flow -> {});
        }
        CaptureSurvey survey = CaptureSurvey.of(capture, acceptDamaged);
        ReplayTopic.create(Brokers.at(kafka.bootstrapServers()), INPUT, PARTITIONS, LIMIT);
        new TraceReplayer(
                        ReplayOptions.builder(Brokers.at(kafka.bootstrapServers()), INPUT).build(),
                        progress -> {})
                .replay(capture);
        sendMarkers(kafka, INPUT, PARTITIONS, survey.lastMillis() + LATER.toMillis());
        console.accept(
                String.format("following the TCP flows of %,d packets", survey.operations()));
        Map<String, Long> exact = follow("exact", survey);
        Map<String, Long> filter = follow("kbf", survey);
        return compare(capture, survey, exact, filter, truth);
    }

    private TrafficOptions traffic() {
        long flows = Math.max(MIN_FLOWS, options.packets() / PACKETS_FOR_A_FLOW);
        return TrafficOptions.builder(flows)
                .seed(options.seed())
                .view(new TrafficOptions.View(0.05, 0.1, 0, 0.01))
                .attacks(new TrafficOptions.Attacks(1, MIN_FLOWS, 1, MIN_FLOWS, ILLEGAL_PACKETS))
                .build();
    }

    /** Advances event time to {@code millis} in every partition. */
    static void sendMarkers(EmbeddedKafka kafka, String topic, int partitions, long millis)
            throws IOException {
        PacketRecord marker = PacketRecord.marker(Duration.ofMillis(millis).toNanos());
        byte[] value = new byte[PacketRecordCodec.encodedLength(marker)];
        new PacketRecordCodec().encode(marker, value, 0);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (int partition = 0; partition < partitions; partition++) {
                producer.send(new ProducerRecord<>(topic, partition, null, value)).get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while sending to '" + topic + "'", e);
        } catch (ExecutionException e) {
            throw new IOException("topic '" + topic + "' takes no records: " + e.getMessage(), e);
        }
    }

    /** Runs the job until no flow is left, and returns its counts. */
    private Map<String, Long> follow(String store, CaptureSurvey survey) throws IOException {
        FlowsOptions job =
                FlowsOptions.parse(
                        FlowsOptions.BOOTSTRAP_SERVERS + "=" + kafka.bootstrapServers(),
                        FlowsOptions.INPUT_TOPIC + "=" + INPUT,
                        FlowsOptions.FLOWS_TOPIC + "=flows-" + store,
                        FlowsOptions.ALERTS_TOPIC + "=flows-" + store + "-alerts",
                        FlowsOptions.DEAD_LETTER_TOPIC + "=flows-" + store + "-dead-letters",
                        FlowsOptions.GROUP + "=sluice-demo-" + store,
                        FlowsOptions.TRANSACTIONAL_ID_PREFIX + "=sluice-demo-" + store,
                        FlowArguments.STORE + "=" + store,
                        FlowArguments.BITS_PER_FLOW + "=" + BITS_PER_FLOW,
                        FlowArguments.CLOSED_TIMEOUT + "=" + TIMEOUTS.closed().toMillis() + "ms",
                        FlowsOptions.IDLENESS + "=10 min",
                        FlowsOptions.OUT_OF_ORDERNESS + "=" + (survey.disorderMillis() + 1) + "ms",
                        FlowsOptions.CHECKPOINT_INTERVAL + "=500ms");
        JobTopics.prepare(job);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(options.parallelism());
        FlowsJob.define(env, job);
        RunningJob running = flink.submit(env, "flows " + store);
        running.awaitRunning(LIMIT);
        // Without TCP there are only the markers to wait for.
        running.await("through with all flows", LIMIT, () -> isOver(survey));
        Map<String, Long> counts = new TreeMap<>();
        for (String metric : List.of(FlowMetrics.PACKETS, FlowMetrics.AMBIGUOUS)) {
            counts.put(metric, sum(metric));
        }
        for (ConnState state : ConnState.values()) {
            counts.put(FlowMetrics.TIMED_OUT + state, sum(FlowMetrics.TIMED_OUT + state));
        }
        running.stopWithSavepoint(false);
        return counts;
    }

    private boolean isOver(CaptureSurvey survey) {
        long seen = sum(FlowMetrics.PACKETS) + sum(FlowMetrics.SKIPPED);
        return seen >= survey.operations() + PARTITIONS && sum(FlowMetrics.FLOWS) == 0;
    }

    /** The sum over the subtasks of the only running job. */
    private long sum(String metric) {
        return Math.round(
                flink
                        .metrics()
                        .valuesBy("FlowStateMachine", metric, "<subtask_index>")
                        .values()
                        .stream()
                        .mapToDouble(Double::doubleValue)
                        .sum());
    }

    private Outcome compare(
            Path capture,
            CaptureSurvey survey,
            Map<String, Long> exactCounts,
            Map<String, Long> filterCounts,
            @Nullable TrafficTruth truth)
            throws IOException {
        FlowRecords exact = FlowRecords.read(kafka.bootstrapServers(), "flows-exact");
        FlowRecords filter = FlowRecords.read(kafka.bootstrapServers(), "flows-kbf");
        long packets = exactCounts.get(FlowMetrics.PACKETS);
        DemoReport.Flows flows =
                new DemoReport.Flows(
                        packets,
                        exact.ends().size(),
                        truth == null ? -1 : truth.flows().tcp(),
                        truth == null ? 0 : exact.twice(),
                        exact.byState(),
                        exact.timedOut(),
                        AlertRecords.countByKind(kafka.bootstrapServers(), "flows-exact-alerts"),
                        FlowCurve.of(
                                capture, survey, TIMEOUTS, BITS_PER_FLOW, exact.ends().size()));
        DemoReport.Kbf kbf =
                new DemoReport.Kbf(
                        exact.differences(filter),
                        bound(packets),
                        filterCounts.get(FlowMetrics.AMBIGUOUS),
                        BITS_PER_FLOW,
                        byState(filter, filterCounts));
        return new Outcome(flows, kbf, complaints(flows, kbf, truth));
    }

    /** Includes flows that timed out, of which the filter knows only the number. */
    private static Map<String, Long> byState(FlowRecords filter, Map<String, Long> filterCounts) {
        Map<String, Long> byState = new TreeMap<>(filter.byState());
        for (ConnState state : ConnState.values()) {
            long timedOut = filterCounts.get(FlowMetrics.TIMED_OUT + state);
            if (timedOut > 0) {
                byState.merge(state.name(), timedOut, Long::sum);
            }
        }
        return byState;
    }

    private static List<String> complaints(
            DemoReport.Flows flows, DemoReport.Kbf kbf, @Nullable TrafficTruth truth) {
        List<String> complaints = new ArrayList<>();
        if (flows.reportedTwice() > 0) {
            complaints.add(flows.reportedTwice() + " flows were reported twice");
        }
        if (kbf.errors() > kbf.errorsBound()) {
            complaints.add(
                    kbf.errors()
                            + " flows ended differently with the key-value filter; up to "
                            + kbf.errorsBound()
                            + " are credible");
        }
        if (truth != null) {
            long both = flows.alerts().getOrDefault("fin-and-rst", 0L);
            if (flows.total() != truth.flows().tcp() || both != truth.flows().tcpWithFinAndRst()) {
                complaints.add(
                        flows.total()
                                + " flows, "
                                + both
                                + " of them with FIN and RST, were found, but there are "
                                + truth.flows().tcp()
                                + " and "
                                + truth.flows().tcpWithFinAndRst());
            }
        }
        return complaints;
    }

    /**
     * Packets that may have gone wrong with the filter: each looks into two generations of each
     * class, of up to four tables; five standard deviations above the mean.
     */
    static long bound(long packets) {
        KeyValueGenerations filters =
                new KeyValueGenerations(BITS_PER_FLOW, 0, Storage.HEAP, IdleClass.frequencies());
        double perPacket = 0;
        for (IdleClass of : IdleClass.values()) {
            perPacket += 8 * filters.plan(of.code()).totalError();
        }
        double mean = perPacket * packets;
        return (long) Math.ceil(mean + 5 * Math.sqrt(mean));
    }
}
