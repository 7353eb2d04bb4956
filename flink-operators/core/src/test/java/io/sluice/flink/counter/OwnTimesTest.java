/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Criterion;
import io.sluice.filter.Occurrence;
import io.sluice.filter.Seeds;
import io.sluice.filter.Topics;
import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which operations are retries is judged by their own times, in whichever order they come, wherever
 * the watermark is, across restarts with another parallelism.
 */
class OwnTimesTest {

    private static final long WINDOW = Duration.ofHours(1).toMillis();
    private static final long SLICE = WINDOW / 8;
    private static final long START = 1_700_000_000_000L;
    private static final int RECORDS = 3_000;
    private static final int COUNTERS = 7;
    private static final int RUNS = 5;
    private static final int MANY_RUNS = 200;

    private final CountersFixture fixture = new CountersFixture(OwnTimesTest::counter);

    private static Long counter(long operation) {
        return operation % COUNTERS;
    }

    private static long delta(long operation) {
        return 1 + operation % 5;
    }

    /** What a counter may be: the least and the most of its operations that the rule allows. */
    private record Bounds(long least, long most) {
        Bounds plus(Bounds other) {
            return new Bounds(least + other.least, most + other.most);
        }

        /** Of an operation with these times. */
        static Bounds of(long operation, TreeMap<Long, Integer> times, long slice) {
            long most = 0;
            for (Long at = times.firstKey(); at != null; at = times.higherKey(at + WINDOW)) {
                most++;
            }
            long least = 0;
            long reach = WINDOW + slice;
            for (Long at = times.firstKey(); at != null; least++) {
                // The latest that accounts for this one accounts for the most after it.
                long counted = times.floorKey(at + reach);
                at = times.higherKey(counted + reach);
            }
            return new Bounds(least * delta(operation), most * delta(operation));
        }
    }

    private static Map<Long, Bounds> bounds(List<Occurrence> operations, long slice) {
        Map<Long, TreeMap<Long, Integer>> times = new HashMap<>();
        for (Occurrence each : operations) {
            times.computeIfAbsent(each.id(), id -> new TreeMap<>())
                    .merge(each.time(), 1, Integer::sum);
        }
        Map<Long, Bounds> bounds = new HashMap<>();
        times.forEach(
                (operation, its) ->
                        bounds.merge(
                                counter(operation),
                                Bounds.of(operation, its, slice),
                                Bounds::plus));
        return bounds;
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1000, 1", "0, 16", "1000, 16"})
    void countersOfAnyTopicAreBetweenTheBoundsThatTheTimesOfItsOperationsAllow(
            long emitMillis, int batch) throws Exception {
        judge(RUNS, emitMillis, batch);
    }

    @Test
    @Tag("long")
    void countersOfManyTopicsAreBetweenTheirBounds() throws Exception {
        judge(MANY_RUNS, 0, 1);
        judge(MANY_RUNS, 1_000, 16);
    }

    private void judge(int runs, long emitMillis, int batch) throws Exception {
        fixture.emitMillis = emitMillis;
        fixture.batching = new Batching(batch, 5);
        configure();
        for (int i = 0; i < runs; i++) {
            SplittableRandom random = new SplittableRandom(Seeds.seed(i));
            Topics topics = Topics.random(random, WINDOW, START, RECORDS);
            try {
                judge(topics, random);
            } catch (AssertionError e) {
                throw new AssertionError(Seeds.describe(Seeds.seed(i)), e);
            }
        }
    }

    private void configure() {
        fixture.window = Duration.ofMillis(WINDOW);
        fixture.idsPerSecond = 1;
        fixture.delta = OwnTimesTest::delta;
    }

    private void judge(Topics topics, SplittableRandom random) throws Exception {
        Supplier<OneInputStreamOperator<Long, CounterValue<Long>>> operator = fixture.withFilter();
        int maxParallelism = 1 + random.nextInt(60);
        Map<Long, Long> totals = new HashMap<>();
        BitSet counted = new BitSet();
        try (Subtasks<Long, Long, CounterValue<Long>> stream = subtasks(maxParallelism)) {
            stream.processingTime(START + 1_000 * WINDOW);
            stream.start(1 + random.nextInt(Math.min(4, maxParallelism)), operator);
            List<Occurrence> arrivals = topics.arrivals();
            long watermark = Long.MIN_VALUE;
            for (int i = 0; i < arrivals.size(); i++) {
                Occurrence next = arrivals.get(i);
                var emitted = stream.process(next.id(), next.time());
                counted.set(next.number(), !emitted.isEmpty());
                put(emitted, totals);
                if (topics.watermarkAfter(i + 1) > watermark) {
                    watermark = topics.watermarkAfter(i + 1);
                    put(stream.advance(watermark), totals);
                }
                if (random.nextInt(RECORDS) == 0) {
                    put(stream.snapshot(), totals);
                    stream.start(1 + random.nextInt(Math.min(4, maxParallelism)), operator);
                }
            }
            put(stream.endInput(), totals);
            assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
            assertThat(stream.counter(DeduplicateMetrics.UNDECIDED)).isZero();
        }
        if (fixture.emitMillis == 0 && fixture.batching.records() == 1) {
            Criterion.ofFilters(WINDOW).judge(topics.arrivals(), counted).require();
        }
        assertBetween(totals, bounds(topics.arrivals(), SLICE));
    }

    private static Subtasks<Long, Long, CounterValue<Long>> subtasks(int maxParallelism) {
        return new Subtasks<>(OwnTimesTest::counter, Types.LONG, maxParallelism, Backends.HASHMAP);
    }

    private static void put(List<CounterValue<Long>> emitted, Map<Long, Long> totals) {
        emitted.forEach(value -> totals.put(value.counter(), value.value()));
    }

    private static void assertBetween(Map<Long, Long> totals, Map<Long, Bounds> bounds) {
        assertThat(totals).containsOnlyKeys(bounds.keySet());
        bounds.forEach(
                (counter, its) ->
                        assertThat(totals.get(counter))
                                .as("counter %d", counter)
                                .isBetween(its.least(), its.most()));
    }

    /** Exactly: of times in their order, as many pass as can. */
    @Test
    void countersOfBatchExecutionAreTheMostThatTheTimesAllow() throws Exception {
        configure();
        for (int i = 0; i < RUNS; i++) {
            Topics topics =
                    Topics.random(new SplittableRandom(Seeds.seed(i)), WINDOW, START, RECORDS);
            List<Occurrence> sorted =
                    topics.arrivals().stream()
                            .sorted(
                                    Comparator.comparing((Occurrence each) -> counter(each.id()))
                                            .thenComparingLong(Occurrence::time))
                            .toList();
            Map<Long, Long> totals = new HashMap<>();
            try (Subtasks<Long, Long, CounterValue<Long>> stream = subtasks(1)) {
                stream.start(1, fixture.sorted());
                for (Occurrence next : sorted) {
                    put(stream.process(next.id(), next.time()), totals);
                }
                put(stream.endInput(), totals);
            }
            bounds(topics.arrivals(), 0)
                    .forEach(
                            (counter, its) ->
                                    assertThat(totals).containsEntry(counter, its.most()));
        }
    }
}
