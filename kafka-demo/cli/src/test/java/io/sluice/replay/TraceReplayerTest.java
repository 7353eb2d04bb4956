/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.CaptureException;
import io.sluice.capture.CaptureSet;
import io.sluice.capture.PacketSource;
import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.kafka.Brokers;
import io.sluice.record.CounterKind;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The replayer against Kafka's mock producer; {@link TraceReplayerIT} has a real broker. */
class TraceReplayerTest {
    private static final int PACKETS = 3_000;
    private static final Faults FAULTS =
            Faults.builder()
                    .seed(11)
                    .retryShare(0.2)
                    .dropShare(0.02)
                    .reorder(0.05, Duration.ofMillis(500))
                    .beyondWindowShare(0.1)
                    .build();

    @TempDir private Path directory;
    private Path capture;

    /** Copies what is sent, as the real producer does before it returns. */
    private static class CopyingProducer extends MockProducer<byte[], byte[]> {
        private int failAfter = Integer.MAX_VALUE;

        CopyingProducer() {
            super(CLUSTER, true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public synchronized Future<RecordMetadata> send(
                ProducerRecord<byte[], byte[]> record, Callback callback) {
            if (failAfter-- == 0) {
                sendException = new TimeoutException("60 ms have passed");
            }
            return super.send(
                    new ProducerRecord<>(
                            record.topic(),
                            record.partition(),
                            record.timestamp(),
                            copy(record.key()),
                            copy(record.value())),
                    callback);
        }

        private static byte[] copy(byte[] bytes) {
            return bytes == null ? null : bytes.clone();
        }
    }

    private static final Cluster CLUSTER =
            new Cluster(
                    "mock",
                    List.of(Node.noNode()),
                    List.of(new PartitionInfo("packets", 0, null, null, null)),
                    Set.of(),
                    Set.of());

    @BeforeEach
    void writeCapture() throws IOException {
        capture = directory.resolve("trace.pcap");
        LoadGenerator.write(LoadOptions.builder(PACKETS).seed(4).build(), capture);
    }

    @Test
    void theTruthIsWhatIsOnTheTopic() throws IOException {
        CopyingProducer producer = new CopyingProducer();
        ReplayOptions options = options().faults(FAULTS).malformed(100).build();

        Truth truth = replay(options, producer);

        Map<Long, Integer> sends = new HashMap<>();
        CounterTotals sources = new CounterTotals();
        Map<String, Long> refused = new HashMap<>();
        PacketRecord operation = new PacketRecord();
        PacketRecordCodec codec = new PacketRecordCodec();
        for (ProducerRecord<byte[], byte[]> record : producer.history()) {
            DecodeResult result = codec.decode(record.value(), operation);
            if (result.isOk()) {
                int before = sends.merge(operation.operationId(), 1, Integer::sum) - 1;
                sources.add(
                        CounterKind.SOURCE.keyOf(operation),
                        before == 0 ? SendKind.FIRST : SendKind.RETRY,
                        operation.wireLength());
                assertThat(record.timestamp()).isGreaterThanOrEqualTo(operation.timestampMillis());
                assertThat(ByteBuffer.wrap(record.key()).getLong()).isEqualTo(operation.flowHash());
            } else {
                refused.merge(result.code(), 1L, Long::sum);
            }
        }
        TruthSummary summary = truth.summary();
        for (long id = 0; id < PACKETS; id++) {
            assertThat(sends.getOrDefault(id, 0)).isEqualTo(FAULTS.sends(id));
        }
        assertThat(summary.operations()).isEqualTo(PACKETS);
        assertThat(summary.operationsSent()).isEqualTo(sends.size());
        assertThat(summary.sends())
                .isEqualTo(sends.values().stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(
                        summary.operationsSent()
                                + summary.retriesWithinWindow()
                                + summary.retriesBeyondWindow());
        assertThat(summary.malformed()).isEqualTo(refused);
        assertThat(summary.malformedRecords()).isEqualTo(100);
        assertThat(summary.recordsOnTopic()).isEqualTo(producer.history().size());
        assertThat(truth.counters(CounterKind.SOURCE).size()).isEqualTo(sources.size());
        sources.forEach(
                (key, operations, bytes, all, beyond) -> {
                    CounterTotals totals = truth.counters(CounterKind.SOURCE);
                    assertThat(totals.operations(key)).isEqualTo(operations);
                    assertThat(totals.bytes(key)).isEqualTo(bytes);
                    assertThat(totals.sends(key)).isEqualTo(all);
                });
    }

    @Test
    void outOfOrderTimestampsAreMeasured() throws IOException {
        CopyingProducer producer = new CopyingProducer();

        Truth truth = replay(options().faults(FAULTS).build(), producer);

        long largest = Long.MIN_VALUE;
        long worst = 0;
        for (ProducerRecord<byte[], byte[]> record : producer.history()) {
            largest = Math.max(largest, record.timestamp());
            worst = Math.max(worst, largest - record.timestamp());
        }
        assertThat(truth.summary().maxOutOfOrderMillis()).isEqualTo(worst).isBetween(1L, 500L);
        assertThat(truth.summary().lastTimestampMillis()).isEqualTo(largest);
    }

    @Test
    void aResumedReplaySendsExactlyTheRest() throws IOException {
        ReplayOptions.Builder options = options().faults(FAULTS).malformed(20);
        CopyingProducer whole = new CopyingProducer();
        Truth truth = replay(options.build(), whole);
        CopyingProducer rest = new CopyingProducer();

        Truth resumed = replay(options.resumeFromRecord(1_234).build(), rest);

        List<ProducerRecord<byte[], byte[]>> expected =
                whole.history().subList(1_234, whole.history().size());
        assertThat(rest.history()).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(rest.history().get(i).value()).isEqualTo(expected.get(i).value());
            assertThat(rest.history().get(i).timestamp()).isEqualTo(expected.get(i).timestamp());
        }
        assertThat(resumed.summary().sends()).isEqualTo(truth.summary().sends());
        assertThat(resumed.summary().resumedFromRecord()).isEqualTo(1_234);
    }

    @Test
    void loopsGoOnInTimeWithNewOperations() throws IOException {
        CopyingProducer producer = new CopyingProducer();

        Truth truth = replay(options().loops(3).build(), producer);

        long last = Long.MIN_VALUE;
        long id = 0;
        PacketRecord operation = new PacketRecord();
        for (ProducerRecord<byte[], byte[]> record : producer.history()) {
            assertThat(new PacketRecordCodec().decode(record.value(), operation).isOk()).isTrue();
            assertThat(operation.operationId()).isEqualTo(id++);
            assertThat(record.timestamp()).isGreaterThanOrEqualTo(last);
            last = record.timestamp();
        }
        assertThat(id).isEqualTo(3L * PACKETS);
        assertThat(truth.summary().packets()).isEqualTo(3L * PACKETS);
    }

    @Test
    void aCutCaptureIsReplayedUpToTheCutAndSaysSo() throws IOException {
        byte[] bytes = Files.readAllBytes(capture);
        Files.write(capture, Arrays.copyOf(bytes, bytes.length - 1));
        CopyingProducer producer = new CopyingProducer();

        Truth truth = replay(options().build(), producer);

        assertThat(producer.history()).hasSize(PACKETS - 1);
        assertThat(truth.summary().captureEnd()).isEqualTo("cut");
        assertThat(truth.summary().captureProblem()).contains("cut within");
    }

    @Test
    void progressEndsWithEverythingAcknowledged() throws IOException {
        List<ReplayProgress> reports = new ArrayList<>();
        replay(options().build(), new CopyingProducer(), reports::add);

        ReplayProgress last = reports.get(reports.size() - 1);
        assertThat(last.records()).isEqualTo(PACKETS);
        assertThat(last.resumePoint()).isEqualTo(PACKETS);
        assertThat(last.bytes()).isGreaterThan(PACKETS * 48L);
        assertThat(last.shareRead()).isEqualTo(1);
        assertThat(last.secondsLeft()).isZero();
    }

    @Test
    void aFailedSendEndsTheReplayWithTheFix() {
        CopyingProducer producer = new CopyingProducer();
        producer.failAfter = 500;

        assertThatThrownBy(() -> replay(options().build(), producer))
                .isInstanceOf(ReplayException.class)
                .hasMessageContaining("127.0.0.1:1")
                .hasMessageContaining("--bootstrap-servers")
                .hasMessageContaining("--resume-from");
        assertThat(producer.closed()).isTrue();
    }

    @Test
    void anUnreachableBrokerIsNamedWithinTheTimeout() throws IOException {
        int unusedPort;
        try (ServerSocket socket = new ServerSocket(0)) {
            unusedPort = socket.getLocalPort();
        }
        ReplayOptions options =
                ReplayOptions.builder(Brokers.at("127.0.0.1:" + unusedPort), "packets")
                        .brokerTimeout(Duration.ofMillis(500))
                        .build();

        assertThatThrownBy(() -> new TraceReplayer(options, progress -> {}).replay(capture))
                .isInstanceOf(ReplayException.class)
                .hasMessageContaining("no Kafka broker answers at 127.0.0.1:" + unusedPort)
                .hasMessageContaining("--bootstrap-servers");
    }

    @Test
    void anAddressThatCannotBeOneIsNamed() {
        ReplayOptions options =
                ReplayOptions.builder(Brokers.at("nowhere"), "packets")
                        .brokerTimeout(Duration.ofMillis(500))
                        .build();

        assertThatThrownBy(() -> new TraceReplayer(options, progress -> {}).replay(capture))
                .isInstanceOf(ReplayException.class)
                .hasMessageContaining("no Kafka client can be made for nowhere")
                .hasMessageContaining("--bootstrap-servers");
    }

    @Test
    void aFileThatIsNoCaptureIsToldBeforeTheBrokerIsAsked() throws IOException {
        Files.writeString(capture, "this is text");

        assertThatThrownBy(() -> new TraceReplayer(options().build(), p -> {}).replay(capture))
                .isInstanceOf(CaptureException.class);
    }

    @Test
    void paceFollowsTheCapture() throws IOException {
        FakeClock clock = new FakeClock();
        ReplayOptions options = options().pace(Pace.parse("10x")).build();
        List<Long> sentAt = new ArrayList<>();
        CopyingProducer producer =
                new CopyingProducer() {
                    @Override
                    public synchronized Future<RecordMetadata> send(
                            ProducerRecord<byte[], byte[]> record, Callback callback) {
                        sentAt.add(clock.now);
                        return super.send(record, callback);
                    }
                };
        CaptureSet captures = CaptureSet.of(capture);
        Truth truth;
        try (PacketSource source = captures.open()) {
            truth =
                    new TraceReplayer(options, progress -> {}, clock)
                            .replay(captures, source, producer);
        }

        long start = truth.summary().firstTimestampMillis();
        for (int i = 0; i < PACKETS; i++) {
            long captureMillis = producer.history().get(i).timestamp() - start;
            assertThat(sentAt.get(i) / 1e6)
                    .isBetween(captureMillis / 10.0 - 2.0, captureMillis / 10.0 + 2.0);
        }
    }

    @Test
    void onePacketFarAheadDoesNotLetAllOthersRun() {
        FakeClock clock = new FakeClock();
        Pacer pacer = new Pacer(Pace.parse("1x"), clock);
        long second = 1_000_000_000L;

        assertThat(pacer.waitFor(0)).isZero();
        assertThat(pacer.waitFor(second)).isEqualTo(second);
        // A step years ahead counts as a minute, and the step back as nothing.
        assertThat(pacer.waitFor(1L << 60)).isEqualTo(61 * second);
        assertThat(pacer.waitFor(2 * second)).isEqualTo(61 * second);
        assertThat(pacer.waitFor(3 * second)).isEqualTo(62 * second);
        // A step of less than a minute back is just disorder.
        assertThat(pacer.waitFor(second)).isEqualTo(62 * second);
        assertThat(pacer.waitFor(4 * second)).isEqualTo(63 * second);
    }

    @Test
    void aReplayThatDiedGoesOnWhereItsResumeFileSays() throws IOException {
        CaptureSet captures = CaptureSet.of(capture);
        ReplayOptions options = options().faults(FAULTS).malformed(20).loops(2).build();
        CopyingProducer whole = new CopyingProducer();
        replay(options, whole);
        Path file = directory.resolve("resume.json");
        ResumeFile before = ResumeFile.open(file, captures, options, ResumeFileTest.TOPIC);
        CopyingProducer dying = new CopyingProducer();
        dying.failAfter = 5_000;

        assertThatThrownBy(() -> replay(options, dying, keepingIn(before)))
                .isInstanceOf(ReplayException.class);
        ResumeFile after = ResumeFile.open(file, captures, options, ResumeFileTest.TOPIC);
        CopyingProducer rest = new CopyingProducer();
        replay(options.resumedFrom(after.record()), rest, keepingIn(after));

        // Acknowledgements are counted in chunks of this many: the records since then come twice.
        assertThat(before.record()).isEqualTo(4_096);
        assertThat(dying.history()).hasSize(5_000);
        assertThat(after.record()).isEqualTo(whole.history().size());
        List<ProducerRecord<byte[], byte[]>> both =
                new ArrayList<>(dying.history().subList(0, 4_096));
        both.addAll(rest.history());
        assertThat(both).hasSameSizeAs(whole.history());
        for (int i = 0; i < both.size(); i++) {
            assertThat(both.get(i).value()).isEqualTo(whole.history().get(i).value());
        }
    }

    /** Notes the resume point in {@code file}. */
    static Consumer<ReplayProgress> keepingIn(ResumeFile file) {
        return progress -> {
            try {
                file.reached(progress.resumePoint());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    @Test
    void bothDirectionsAreReplayedAsOneInTheOrderOfTime() throws IOException {
        Path other = directory.resolve("other.pcap");
        LoadGenerator.write(LoadOptions.builder(PACKETS / 2).seed(5).build(), other);
        CaptureSet both = CaptureSet.of(List.of(capture, other), List.of(), false);
        CopyingProducer producer = new CopyingProducer();
        TraceReplayer replayer = new TraceReplayer(options().loops(2).build(), progress -> {});

        Truth truth;
        try (PacketSource source = both.open()) {
            truth = replayer.replay(both, source, producer);
        }

        assertThat(producer.history()).hasSize(2 * (PACKETS + PACKETS / 2));
        long last = Long.MIN_VALUE;
        for (ProducerRecord<byte[], byte[]> record : producer.history()) {
            assertThat(record.timestamp()).isGreaterThanOrEqualTo(last);
            last = record.timestamp();
        }
        assertThat(truth.summary().capture()).isEqualTo(capture + ", " + other);
        assertThat(replayer.tally().packets()).isEqualTo(2 * (PACKETS + PACKETS / 2));
        assertThat(replayer.tally().exceptions()).isEmpty();
    }

    @Test
    void speedsAreReadAndWrongOnesRefused() {
        assertThat(Pace.parse("max").isMax()).isTrue();
        assertThat(Pace.parse("2.5x").factor()).isEqualTo(2.5);
        for (String wrong : List.of("", "x", "10", "-1x", "0x", "fast")) {
            assertThatThrownBy(() -> Pace.parse(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("speed");
        }
    }

    private static final class FakeClock implements Pacer.Clock {
        private long now;

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void park(long nanos) {
            now += nanos;
        }
    }

    private static ReplayOptions.Builder options() {
        return ReplayOptions.builder(Brokers.at("127.0.0.1:1"), "packets")
                .brokerTimeout(Duration.ofMillis(500));
    }

    private Truth replay(ReplayOptions options, CopyingProducer producer) throws IOException {
        return replay(options, producer, progress -> {});
    }

    private Truth replay(
            ReplayOptions options, CopyingProducer producer, Consumer<ReplayProgress> progress)
            throws IOException {
        CaptureSet captures = CaptureSet.of(capture);
        try (PacketSource source = captures.open()) {
            return new TraceReplayer(options, progress).replay(captures, source, producer);
        }
    }
}
