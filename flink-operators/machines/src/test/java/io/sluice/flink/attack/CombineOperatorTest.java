/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static io.sluice.flink.attack.Attempts.ME;
import static io.sluice.flink.attack.Attempts.address;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.flink.flow.Attempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is combined before the exchange, and when it is sent on. */
class CombineOperatorTest {

    private OneInputStreamOperatorTestHarness<Attempt, Tally> harness;

    private static AttackSettings settings(AttackKind kind, boolean oneSided) {
        return new AttackSettings(
                kind, Duration.ofSeconds(2), 12, 0.25, Duration.ofSeconds(5), 1_000, oneSided);
    }

    private void open(AttackSettings settings) throws Exception {
        harness = new OneInputStreamOperatorTestHarness<>(new CombineOperator(settings));
        harness.setup(TallySerializer.INSTANCE);
        harness.open();
    }

    private void open(AttackKind kind) throws Exception {
        open(settings(kind, false));
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    private void add(List<Attempt> attempts) throws Exception {
        for (Attempt each : attempts) {
            harness.processElement(each, each.millis());
        }
    }

    private List<Tally> out() {
        List<Tally> tallies = new ArrayList<>(harness.extractOutputValues());
        harness.getOutput().clear();
        return tallies;
    }

    @Test
    void attemptsOfOnePartyAndPaneAreOneTally() throws Exception {
        open(AttackKind.SYN_FLOOD);
        add(Attempts.flood(ME, 80, 900, 0));
        add(Attempts.flood(ME, 81, 10, 0));
        add(Attempts.flood(ME, 80, 10, 1_500));
        harness.processWatermark(998);
        assertThat(out()).isEmpty();
        harness.processWatermark(999);
        assertThat(out()).extracting(Tally::attempts).containsExactlyInAnyOrder(900L, 10L);
        harness.processWatermark(1_999);
        List<Tally> rest = out();
        assertThat(rest).extracting(Tally::firstMillis).containsExactly(1_500L);
        assertThat(rest).extracting(Tally::lastMillis).containsExactly(1_509L);
    }

    @Test
    void nothingIsHeldOverACheckpointIdlenessAndTheEnd() throws Exception {
        open(AttackKind.SCAN);
        add(Attempts.scan(ME, 20, 5_000));
        harness.prepareSnapshotPreBarrier(1);
        assertThat(out()).hasSize(1);
        add(Attempts.scan(ME, 20, 5_000));
        harness.getOperator().processWatermarkStatus(WatermarkStatus.IDLE);
        assertThat(harness.getOutput().poll()).isInstanceOf(StreamRecord.class);
        assertThat(harness.getOutput().poll()).isEqualTo(WatermarkStatus.IDLE);
        add(Attempts.scan(ME, 20, 5_000));
        harness.processWatermark(Watermark.MAX_WATERMARK);
        assertThat(harness.getOutput().poll()).isInstanceOf(StreamRecord.class);
        assertThat(harness.getOutput().poll()).isEqualTo(Watermark.MAX_WATERMARK);
        add(Attempts.scan(ME, 20, 5_000));
        harness.endInput();
        harness.getOneInputOperator().finish();
        assertThat(out()).extracting(Tally::targets).containsExactly(20L);
    }

    @Test
    void madeUpSourcesTakeBoundedMemoryAndNoneIsLost() throws Exception {
        open(AttackKind.SCAN);
        int sources = 5 * Combiner.MOST / 2;
        for (int i = 0; i < sources; i++) {
            harness.processElement(Attempts.started(address(i), ME, 80, i), i);
        }
        assertThat(harness.getOutput()).hasSize(2 * Combiner.MOST);
        harness.processWatermark(sources + 1_000);
        assertThat(new HashSet<>(out().stream().map(Tally::party).toList())).hasSize(sources);
    }

    @Test
    void whatIsClaimedCountsInOneSidedCapturesOnly() throws Exception {
        open(AttackKind.SYN_FLOOD);
        List<Attempt> attempts = new ArrayList<>(Attempts.flood(ME, 80, 30, 0));
        for (int i = 0; i < 10; i++) {
            attempts.add(new Attempt(Attempt.Kind.CLAIMED, address(i), ME, 80, 40));
        }
        add(attempts);
        harness.processWatermark(999);
        assertThat(out()).extracting(Tally::completed).containsExactly(0L);
        harness.close();
        open(settings(AttackKind.SYN_FLOOD, true));
        add(attempts);
        harness.processWatermark(999);
        assertThat(out()).extracting(Tally::completed).containsExactly(10L);
    }

    @Test
    void talliesAreNeverBehindAWatermarkThatWasForwarded() throws Exception {
        open(AttackKind.SYN_FLOOD);
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 3_000; i++) {
            long millis = 5L * i + random.nextInt(3_000);
            harness.processElement(
                    Attempts.started(address(i), ME, random.nextInt(20), millis), millis);
            if (i % 50 == 0) {
                harness.processWatermark(5L * i - 1);
            }
        }
        harness.processWatermark(30_000);
        long watermark = Long.MIN_VALUE;
        int records = 0;
        for (Object each : harness.getOutput()) {
            if (each instanceof Watermark mark) {
                watermark = mark.getTimestamp();
            } else {
                records++;
                assertThat(((StreamRecord<?>) each).getTimestamp()).isGreaterThan(watermark);
            }
        }
        assertThat(records).isBetween(200, 1_000);
    }

    /** Through the serializer, as over the network. */
    private static Tally sent(Tally tally) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        TallySerializer.INSTANCE.serialize(tally, out);
        DataOutputSerializer copied = new DataOutputSerializer(64);
        TallySerializer.INSTANCE.copy(new DataInputDeserializer(out.getCopyOfBuffer()), copied);
        assertThat(copied.getCopyOfBuffer()).isEqualTo(out.getCopyOfBuffer());
        return TallySerializer.INSTANCE.deserialize(
                new DataInputDeserializer(out.getCopyOfBuffer()));
    }

    @ParameterizedTest
    @EnumSource
    void alertsAreTheSameAsWithoutCombining(AttackKind kind) throws Exception {
        SplittableRandom random = Seeds.random();
        int total = 0;
        for (int run = 0; run < 10; run++) {
            List<Attempt> attempts = new ArrayList<>(Attempts.bursts(random, 200, 60_000));
            attempts.addAll(Attempts.scan(ME, 700, 20_000));
            attempts.addAll(Attempts.flood(ME, 443, 700, 30_000));
            attempts.sort((a, b) -> Long.compare(a.millis(), b.millis()));
            AttackSettings settings = settings(kind, false);
            AttackWatch plain = new AttackWatch(settings, new Room(10_000), new AttackCounts());
            AttackWatch combined = new AttackWatch(settings, new Room(10_000), new AttackCounts());
            List<AttackAlert> expected = new ArrayList<>();
            List<AttackAlert> alerts = new ArrayList<>();
            // From two subtasks.
            open(kind);
            var first = harness;
            open(kind);
            var second = harness;
            Map<Boolean, Integer> sent = new HashMap<>();
            for (Attempt each : attempts) {
                Attempts.add(plain, each);
                (random.nextBoolean() ? first : second).processElement(each, each.millis());
                if (random.nextInt(300) == 0) {
                    first.prepareSnapshotPreBarrier(1);
                }
                if (random.nextInt(20) == 0) {
                    long watermark = each.millis() - 1;
                    plain.advance(watermark, expected::add);
                    first.processWatermark(watermark);
                    second.processWatermark(watermark);
                    for (var subtask : List.of(first, second)) {
                        for (Tally tally : subtask.extractOutputValues()) {
                            combined.add(sent(tally));
                            sent.merge(true, 1, Integer::sum);
                        }
                        subtask.getOutput().clear();
                    }
                    combined.advance(watermark, alerts::add);
                }
            }
            first.close();
            assertThat(alerts).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(combined.counts().late).isZero();
            assertThat(sent.get(true)).isLessThan(attempts.size());
            total += alerts.size();
            second.close();
        }
        assertThat(total).isGreaterThan(100);
    }
}
