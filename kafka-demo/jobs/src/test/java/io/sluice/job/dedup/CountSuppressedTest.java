/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.TestSeed;
import io.sluice.capture.traffic.SplitMix64;
import io.sluice.flink.Backends;
import io.sluice.flink.dedup.WindowTimers;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every suppressed duplicate is in exactly one count. */
class CountSuppressedTest {
    private static final long WITHIN = 1000;
    private static final long MAX_AHEAD = 10_000;

    private Subtasks<String, Suppressed, Suppressed> subtasks;

    @AfterEach
    void close() throws Exception {
        subtasks.close();
    }

    private void start(Backends backend, int maxParallelism) {
        subtasks = new Subtasks<>(Suppressed::id, Types.STRING, maxParallelism, backend);
    }

    private void run(int parallelism, boolean processingTime) throws Exception {
        WindowTimers windows =
                new WindowTimers(
                        Duration.ofMillis(WITHIN), Duration.ofMillis(MAX_AHEAD), processingTime);
        subtasks.start(parallelism, () -> new KeyedProcessOperator<>(new CountSuppressed(windows)));
    }

    private void suppress(String id, long time, long offset) throws Exception {
        assertThat(subtasks.process(new Suppressed(id, 1, time, time, "t", 0, offset), time))
                .isEmpty();
    }

    @Test
    void aCountLeavesWhenItsWindowHasPassed() throws Exception {
        start(Backends.HASHMAP, 8);
        run(1, false);
        subtasks.processingTime(1_000_000);
        suppress("a", 5000, 1);
        suppress("a", 4900, 2);
        suppress("b", 5500, 3);
        suppress("a", 5900, 4);

        assertThat(subtasks.advance(5999)).isEmpty();
        assertThat(subtasks.advance(6000))
                .containsExactly(new Suppressed("a", 3, 4900, 5900, "t", 0, 1));
        suppress("a", 6100, 5);
        assertThat(subtasks.advance(Long.MAX_VALUE))
                .as("the end of the input")
                .containsExactlyInAnyOrder(
                        new Suppressed("a", 1, 6100, 6100, "t", 0, 5),
                        new Suppressed("b", 1, 5500, 5500, "t", 0, 3));
    }

    @Test
    void aLateOneLeavesWithTheNextWatermark() throws Exception {
        start(Backends.HASHMAP, 8);
        run(1, false);
        subtasks.processingTime(1_000_000);
        subtasks.watermark(50_000);
        suppress("a", 10, 1);
        suppress("a", 20, 2);

        assertThat(subtasks.advance(50_001))
                .containsExactly(new Suppressed("a", 2, 10, 20, "t", 0, 1));
    }

    /** Its window ends when event time can have come to where it is believed to be. */
    @Test
    void aWildTimestampDoesNotHoldItsCountForEver() throws Exception {
        start(Backends.HASHMAP, 8);
        run(1, false);
        subtasks.processingTime(5000);
        suppress("a", Long.MAX_VALUE - 5, 1);
        suppress("a", 5100, 2);

        assertThat(subtasks.advance(5000 + MAX_AHEAD + WITHIN))
                .containsExactly(new Suppressed("a", 2, 5100, Long.MAX_VALUE - 5, "t", 0, 1));
    }

    @Test
    void inProcessingTimeTheClockIsThatOfArrivalAndTheEndOfTheInputCountsToo() throws Exception {
        start(Backends.HASHMAP, 8);
        run(1, true);
        subtasks.processingTime(5000);
        suppress("a", Long.MIN_VALUE, 1);
        subtasks.processingTime(5400);
        suppress("a", Long.MIN_VALUE, 2);
        suppress("b", Long.MIN_VALUE, 3);
        assertThat(emittedAt(5999)).isEmpty();
        assertThat(emittedAt(6000)).containsExactly(new Suppressed("a", 2, 5000, 5400, "t", 0, 1));
        suppress("a", Long.MIN_VALUE, 4);

        assertThat(subtasks.advance(Long.MAX_VALUE))
                .containsExactlyInAnyOrder(
                        new Suppressed("b", 1, 5400, 5400, "t", 0, 3),
                        new Suppressed("a", 1, 6000, 6000, "t", 0, 4));
        assertThat(emittedAt(9000)).isEmpty();
    }

    private List<Suppressed> emittedAt(long time) throws Exception {
        subtasks.harnesses().get(0).getOutput().clear();
        subtasks.processingTime(time);
        return subtasks.harnesses().get(0).extractOutputValues();
    }

    /** Committed output only: what follows the last checkpoint is done again. */
    @ParameterizedTest
    @EnumSource(Backends.class)
    void theSumIsThatOfTheInputThroughFailuresAndRescaling(Backends backend) throws Exception {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        start(backend, random.nextInt(2) == 0 ? 1 : 1024);
        Map<String, Long> expected = new HashMap<>();
        Map<String, Long> committed = new HashMap<>();
        run(1, false);
        subtasks.processingTime(1_000_000);
        long clock = 0;
        for (int epoch = 0; epoch < 30; epoch++) {
            boolean fails = epoch > 0 && random.nextInt(3) == 0;
            List<Suppressed> emitted = new ArrayList<>();
            long epochClock = clock;
            for (int i = 0; i < 60; i++) {
                String id = "k" + random.nextInt(20);
                suppress(id, epochClock + random.nextInt(800) - 400, i);
                if (!fails) {
                    expected.merge(id, 1L, Long::sum);
                }
                epochClock += random.nextInt(50);
                if (random.nextInt(5) == 0) {
                    emitted.addAll(subtasks.advance(epochClock - 100));
                }
            }
            if (!fails) {
                clock = epochClock;
                emitted.addAll(subtasks.snapshot());
                emitted.forEach(count -> committed.merge(count.id(), count.count(), Long::sum));
            }
            if (fails || random.nextInt(3) == 0) {
                run(1 + (backend == Backends.HASHMAP ? random.nextInt(3) : 0), false);
            }
        }
        subtasks.advance(Long.MAX_VALUE)
                .forEach(count -> committed.merge(count.id(), count.count(), Long::sum));

        assertThat(committed).as(TestSeed.reproduce()).isEqualTo(expected);
    }
}
