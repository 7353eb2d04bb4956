/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static io.sluice.message.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.SplitMix64;
import io.sluice.capture.TestSeed;
import io.sluice.flink.Backends;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.testkit.Subtasks;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One record of an id leaves a window: the last. */
class KeepLastTest {
    private static final long WITHIN = 1000;
    private static final long MAX_AHEAD = 10_000;
    private static final OutputTag<KafkaMessage> EARLIER =
            new OutputTag<>("earlier", MessageTypeInfoFactory.TYPE);
    private static final OutputTag<KafkaMessage> LATE =
            new OutputTag<>("late", MessageTypeInfoFactory.TYPE);

    private Subtasks<String, KafkaMessage, KafkaMessage> subtasks =
            new Subtasks<>(KafkaMessage::id, Types.STRING, 8, Backends.HASHMAP);

    @AfterEach
    void close() throws Exception {
        subtasks.close();
    }

    private void run(int parallelism, boolean processingTime, OnLate<KafkaMessage> onLate)
            throws Exception {
        run(parallelism, processingTime, onLate, WITHIN);
    }

    private void run(
            int parallelism, boolean processingTime, OnLate<KafkaMessage> onLate, long within)
            throws Exception {
        WindowTimers windows =
                new WindowTimers(
                        Duration.ofMillis(within), Duration.ofMillis(MAX_AHEAD), processingTime);
        subtasks.start(
                parallelism,
                () ->
                        new KeyedProcessOperator<>(
                                new KeepLast(windows, OnDuplicate.sideOutput(EARLIER), onLate)));
    }

    private void inEventTime() throws Exception {
        run(1, false, OnLate.forward());
        subtasks.processingTime(1_000_000);
    }

    /** Nothing leaves at once. */
    private KafkaMessage hold(String id, long time, long offset) throws Exception {
        KafkaMessage message = message(id, time, offset);
        assertThat(subtasks.process(message, time)).isEmpty();
        return message;
    }

    @Test
    void theLastByTimeLeavesWhenTheWindowOfTheFirstHasPassed() throws Exception {
        inEventTime();
        KafkaMessage first = hold("a", 5000, 1);
        KafkaMessage last = hold("a", 5900, 2);
        KafkaMessage between = hold("a", 5500, 3);
        KafkaMessage next = hold("a", 6001, 4);
        KafkaMessage other = hold("b", 5200, 5);

        assertThat(subtasks.advance(5999)).isEmpty();
        assertThat(subtasks.advance(6000)).containsExactly(last);
        assertThat(subtasks.advance(Long.MAX_VALUE)).containsExactly(other, next);
        assertThat(subtasks.sideOutput(EARLIER)).containsExactly(first, between);
        assertThat(subtasks.counter(DeduplicateMetrics.RECORDS)).isEqualTo(5);
        assertThat(subtasks.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(2);
    }

    @Test
    void ofEqualTimesTheOneThatCameLastLeaves() throws Exception {
        inEventTime();
        hold("a", 5000, 1);
        KafkaMessage last = hold("a", 5000, 2);

        assertThat(subtasks.advance(Long.MAX_VALUE)).containsExactly(last);
    }

    /** Otherwise two records far apart would be one, as one partition may be read first. */
    @Test
    void aRecordFarBeforeAnOpenWindowHasItsOwn() throws Exception {
        inEventTime();
        KafkaMessage later = hold("a", 50_000, 1);
        hold("a", 49_000, 2);
        KafkaMessage early = hold("a", 10_000, 3);
        KafkaMessage afterThat = hold("a", 10_999, 4);

        assertThat(subtasks.advance(11_000)).containsExactly(afterThat);
        assertThat(subtasks.advance(51_000)).containsExactly(later);
        assertThat(subtasks.sideOutput(EARLIER)).hasSize(2).contains(early);
    }

    @Test
    void aWildTimestampDoesNotHoldItsRecordForEver() throws Exception {
        inEventTime();
        KafkaMessage wild = hold("a", Long.MAX_VALUE - 3, 1);
        KafkaMessage sane = hold("a", 5000, 2);

        assertThat(subtasks.advance(6000)).containsExactly(sane);
        assertThat(subtasks.advance(1_000_000 + MAX_AHEAD + WITHIN)).containsExactly(wild);
    }

    @Test
    void aLateRecordIsForwardedOrDivertedAndCounted() throws Exception {
        inEventTime();
        subtasks.watermark(6000);
        KafkaMessage late = message("a", 5000, 1);
        assertThat(subtasks.process(late, 5000)).containsExactly(late);
        hold("a", 5001, 2);
        assertThat(subtasks.counter(DeduplicateMetrics.LATE)).isEqualTo(1);

        run(1, false, OnLate.sideOutput(LATE));
        subtasks.watermark(6000);
        assertThat(subtasks.process(late, 5000)).isEmpty();
        assertThat(subtasks.sideOutput(LATE)).containsExactly(late);

        run(1, false, OnLate.drop());
        subtasks.watermark(6000);
        assertThat(subtasks.process(late, 5000)).isEmpty();
        assertThat(subtasks.counter(DeduplicateMetrics.LATE)).isEqualTo(1);
    }

    @Test
    void inProcessingTimeTheLastIsTheOneThatCameLast() throws Exception {
        run(1, true, OnLate.forward());
        subtasks.processingTime(5000);
        hold("a", 9000, 1);
        subtasks.processingTime(6000 - 1);
        KafkaMessage last = hold("a", 10, 2);
        KafkaMessage other = hold("b", 10, 3);
        subtasks.harnesses().get(0).getOutput().clear();
        subtasks.processingTime(6000);

        assertThat(subtasks.harnesses().get(0).extractOutputValues()).containsExactly(last);
        assertThat(subtasks.advance(Long.MAX_VALUE)).containsExactly(other);
    }

    /** Otherwise the output would end with a record that is not the last. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterARestoreWithAShorterWindowNoRecordFollowsALaterOne(boolean processingTime)
            throws Exception {
        run(1, processingTime, OnLate.forward());
        subtasks.processingTime(5000);
        KafkaMessage first = hold("a", 5000, 1);
        subtasks.snapshot();
        run(1, processingTime, OnLate.forward(), WITHIN / 10);
        subtasks.processingTime(5500);
        KafkaMessage last = hold("a", 5500, 2);

        assertThat(subtasks.advance(5900)).isEmpty();
        assertThat(subtasks.advance(Long.MAX_VALUE)).containsExactly(last);
        assertThat(subtasks.sideOutput(EARLIER)).containsExactly(first);
    }

    /** A window that was longer before the restore is no reason to hold back other records. */
    @Test
    void afterARestoreWithAShorterWindowARecordBeforeTheLastHasItsOwn() throws Exception {
        inEventTime();
        hold("a", 5000, 1);
        KafkaMessage last = hold("a", 5800, 2);
        subtasks.snapshot();
        run(1, false, OnLate.forward(), WITHIN / 10);
        subtasks.processingTime(1_000_000);
        KafkaMessage before = hold("a", 5500, 3);

        assertThat(subtasks.advance(5600)).containsExactly(before);
        assertThat(subtasks.advance(6000)).containsExactly(last);
    }

    /** The windows of one id, as the documentation describes them. */
    private static final class Model {
        private final List<KafkaMessage> emitted = new ArrayList<>();
        private final Map<String, Map<Long, KafkaMessage>> open = new HashMap<>();
        private long watermark = Long.MIN_VALUE;

        void process(KafkaMessage message) {
            Map<Long, KafkaMessage> windows =
                    open.computeIfAbsent(message.id(), id -> new HashMap<>());
            long time = message.time();
            Long start =
                    windows.keySet().stream()
                            .filter(s -> Math.abs(s - time) <= WITHIN)
                            .min(Long::compare)
                            .orElse(null);
            if (start != null) {
                windows.merge(start, message, (a, b) -> b.time() >= a.time() ? b : a);
            } else if (time + WITHIN <= watermark) {
                emitted.add(message);
            } else {
                windows.put(time, message);
            }
        }

        void advance(long to) {
            watermark = Math.max(watermark, to);
            for (Map<Long, KafkaMessage> windows : open.values()) {
                windows.entrySet()
                        .removeIf(
                                window -> {
                                    boolean over =
                                            to == Long.MAX_VALUE || window.getKey() + WITHIN <= to;
                                    if (over) {
                                        emitted.add(window.getValue());
                                    }
                                    return over;
                                });
            }
        }
    }

    /** Committed output only: what follows the last checkpoint is done again. */
    @ParameterizedTest
    @EnumSource(Backends.class)
    void itDoesWhatAnExactModelDoesThroughFailuresAndRescaling(Backends backend) throws Exception {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        int groups = random.nextInt(2) == 0 ? 1 : 1024;
        subtasks = new Subtasks<>(KafkaMessage::id, Types.STRING, groups, backend);
        Model model = new Model();
        List<KafkaMessage> committed = new ArrayList<>();
        inEventTime();
        long clock = 0;
        for (int epoch = 0; epoch < 30; epoch++) {
            boolean fails = epoch > 0 && random.nextInt(3) == 0;
            List<KafkaMessage> emitted = new ArrayList<>();
            long epochClock = clock;
            for (int i = 0; i < 60; i++) {
                KafkaMessage message =
                        message(
                                "k" + random.nextInt(20),
                                epochClock + random.nextInt(3000) - 2500,
                                epoch * 60 + i);
                emitted.addAll(subtasks.process(message, message.time()));
                if (!fails) {
                    model.process(message);
                }
                epochClock += random.nextInt(50);
                if (random.nextInt(5) == 0) {
                    emitted.addAll(subtasks.advance(epochClock - 100));
                    if (!fails) {
                        model.advance(epochClock - 100);
                    }
                }
            }
            if (!fails) {
                clock = epochClock;
                emitted.addAll(subtasks.snapshot());
                committed.addAll(emitted);
            }
            if (fails || random.nextInt(3) == 0) {
                run(1 + random.nextInt(3), false, OnLate.forward());
                // A restored operator gets the watermark from its source.
                committed.addAll(subtasks.advance(model.watermark));
            }
        }
        committed.addAll(subtasks.advance(Long.MAX_VALUE));
        model.advance(Long.MAX_VALUE);

        assertThat(committed)
                .as(TestSeed.reproduce())
                .containsExactlyInAnyOrderElementsOf(model.emitted);
    }
}
