/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Both phases of counters, one behind the other: each phase's records and watermarks go to the
 * second as Flink would send them. An operation is 8 times its id plus its counter, so all counters
 * have operations with the same ids.
 */
class TwoPhaseCountersTest {

    private static final long COUNTERS = 8;
    private static final long EMIT_MILLIS = 100;
    private static final int MAX_PARALLELISM = 90;

    private final Subtasks<Long, Long, CounterUpdate<Long>> first =
            new Subtasks<>(
                    TwoPhaseCountersTest::idOf, Types.LONG, MAX_PARALLELISM, Backends.HASHMAP);

    private final Subtasks<Long, CounterUpdate<Long>, CounterValue<Long>> second =
            new Subtasks<>(CounterUpdate::counter, Types.LONG, MAX_PARALLELISM, Backends.HASHMAP);

    private final CountersFixture fixture = new CountersFixture(operation -> operation % COUNTERS);
    private final Map<Long, CounterValue<Long>> values = new HashMap<>();

    private long watermark = Long.MIN_VALUE;
    private long updates;
    private long now;

    TwoPhaseCountersTest() {
        fixture.id = TwoPhaseCountersTest::idOf;
        fixture.delta = TwoPhaseCountersTest::deltaOf;
        fixture.emitMillis = EMIT_MILLIS;
        fixture.window = Duration.ofSeconds(1000);
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    private static long idOf(long operation) {
        return operation / COUNTERS;
    }

    private static long deltaOf(long operation) {
        return operation % 11 - 3;
    }

    private void start(int parallelism, int parallelismOfTotals) throws Exception {
        first.start(parallelism, fixture.sums());
        second.start(parallelismOfTotals, fixture.totals());
    }

    private void process(long operation, long timestamp) throws Exception {
        first.process(operation, timestamp);
        forwardSums();
    }

    private void watermark(long timestamp) throws Exception {
        first.watermark(timestamp);
        forwardSums();
        second.watermark(timestamp);
        takeValues();
        watermark = timestamp;
    }

    private void processingTime(long millis) throws Exception {
        now += millis;
        first.processingTime(now);
        forwardSums();
        second.processingTime(now);
        takeValues();
    }

    private void snapshot() throws Exception {
        first.snapshot();
        forwardSums();
        second.snapshot();
        takeValues();
    }

    private void endInput() throws Exception {
        watermark(Long.MAX_VALUE);
        first.endInput();
        forwardSums();
        second.endInput();
        takeValues();
    }

    /** Sends what the first phase has emitted to the second. */
    @SuppressWarnings("unchecked")
    private void forwardSums() throws Exception {
        for (var harness : first.harnesses()) {
            List<Object> emitted = new ArrayList<>(harness.getOutput());
            harness.getOutput().clear();
            for (Object element : emitted) {
                if (element instanceof StreamRecord<?> record) {
                    updates++;
                    second.process((StreamRecord<CounterUpdate<Long>>) record);
                    takeValues();
                }
            }
        }
    }

    /** Takes what the second phase has emitted, which must not be behind a watermark. */
    @SuppressWarnings("unchecked")
    private void takeValues() {
        for (var harness : second.harnesses()) {
            long passed = watermark;
            for (Object element : harness.getOutput()) {
                if (element instanceof Watermark mark) {
                    passed = mark.getTimestamp();
                } else if (element instanceof StreamRecord<?> record) {
                    assertThat(record.getTimestamp())
                            .isGreaterThanOrEqualTo(passed == Long.MAX_VALUE ? passed : passed + 1);
                    CounterValue<Long> value = (CounterValue<Long>) record.getValue();
                    values.put(value.counter(), value);
                }
            }
            harness.getOutput().clear();
        }
    }

    private Map<Long, Long> totals() {
        Map<Long, Long> totals = new HashMap<>();
        values.forEach((counter, value) -> totals.put(counter, value.value()));
        return totals;
    }

    /** Operations and what they add, through everything that may happen to a job. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void eachOperationCountsOnceThroughRetriesFailuresAndRescaling(long seed) throws Exception {
        Random random = new Random(seed);
        fixture.batching = random.nextBoolean() ? Batching.OFF : new Batching(16, 5);
        fixture.expireAfter = random.nextBoolean() ? null : Duration.ofDays(1);
        start(3, 2);
        Map<Long, Long> truth = new HashMap<>();
        Set<Long> counted = new HashSet<>();
        List<Long> sinceSnapshot = new ArrayList<>();
        snapshot();
        long latest = 0;
        for (int step = 0; step < 4_000; step++) {
            int action = random.nextInt(200);
            if (action == 0) {
                snapshot();
                assertThat(totals()).as("before a barrier nothing waits").isEqualTo(truth);
                sinceSnapshot.clear();
            } else if (action == 1) {
                first.downUntil(now);
                second.downUntil(now);
                watermark = Long.MIN_VALUE;
                start(1 + random.nextInt(5), 1 + random.nextInt(5));
                for (long operation : sinceSnapshot) {
                    process(operation, latest);
                }
            } else if (action < 10) {
                watermark(latest - random.nextInt(200));
            } else if (action < 20) {
                processingTime(random.nextInt(80));
            } else {
                long operation = random.nextInt(500) * COUNTERS + random.nextInt((int) COUNTERS);
                latest = step;
                process(operation, step - random.nextInt(100));
                sinceSnapshot.add(operation);
                if (counted.add(operation)) {
                    truth.merge(operation % COUNTERS, deltaOf(operation), Long::sum);
                }
            }
        }
        endInput();
        assertThat(totals()).isEqualTo(truth);
        assertThat(values.values())
                .allSatisfy(
                        value -> assertThat(value.expectedUndercount()).isCloseTo(0, within(1e-3)));
    }

    @Test
    void aSubtaskSendsOneSumOfAllOperationsOfACounter() throws Exception {
        start(4, 4);
        for (long id = 0; id < 40_000; id++) {
            first.process(id * COUNTERS, 0);
            first.process(id * COUNTERS, 1);
        }
        assertThat(first.counter(DeduplicateMetrics.RECORDS)).isEqualTo(80_000);
        assertThat(first.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(40_000);
        processingTime(EMIT_MILLIS);
        assertThat(updates).as("one sum of each subtask").isEqualTo(4);
        endInput();
        assertThat(totals().get(0L)).isEqualTo(sumOfDeltas(40_000));
    }

    private static long sumOfDeltas(long ids) {
        long sum = 0;
        for (long id = 0; id < ids; id++) {
            sum += deltaOf(id * COUNTERS);
        }
        return sum;
    }

    @Test
    void aValueWaitsForTheIntervalAtMost() throws Exception {
        start(2, 2);
        processingTime(EMIT_MILLIS);
        process(COUNTERS, 10);
        processingTime(EMIT_MILLIS / 2);
        processingTime(EMIT_MILLIS / 2);
        assertThat(values.get(0L).timestamp()).isEqualTo(10);
    }

    @Test
    void anOperationBehindTheWatermarkKeepsItsOwnTimeAndItsRecordIsNotLate() throws Exception {
        start(2, 2);
        watermark(5_000);
        process(COUNTERS, 4_000);
        watermark(5_001);
        assertThat(values.get(0L).timestamp()).isEqualTo(4_000);
    }

    /**
     * The sum would wait for its youngest operation, and the total expire for want of the other.
     */
    @Test
    void aCounterThatExpiresHearsOfAnOperationThatIsSummedWithOneFarAhead() throws Exception {
        fixture.expireAfter = Duration.ofSeconds(10);
        start(1, 1);
        process(COUNTERS, 0);
        watermark(0);
        process(2 * COUNTERS, 5_000);
        process(3 * COUNTERS, 100_000);
        watermark(14_000);
        process(4 * COUNTERS, 14_500);
        endInput();
        assertThat(totals().get(0L)).isEqualTo(sumOfDeltas(5) - deltaOf(0));
    }

    /** In one phase an operation that waits for its emission keeps its counter. */
    @Test
    void anOperationAheadOfAWatermarkKeepsItsCounterFromExpiring() throws Exception {
        fixture.expireAfter = Duration.ofSeconds(10);
        start(1, 1);
        process(COUNTERS, 0);
        watermark(0);
        process(2 * COUNTERS, 12_000);
        watermark(11_000);
        endInput();
        assertThat(totals().get(0L)).isEqualTo(deltaOf(COUNTERS) + deltaOf(2 * COUNTERS));
    }

    @Test
    void aCounterThatIsNotTouchedExpires() throws Exception {
        fixture.expireAfter = Duration.ofSeconds(10);
        start(2, 2);
        process(COUNTERS, 0);
        watermark(0);
        watermark(10_001);
        process(2 * COUNTERS, 10_001);
        endInput();
        assertThat(totals().get(0L)).isEqualTo(deltaOf(2 * COUNTERS));
    }

    @Test
    void stateOfOnePhaseIsRefusedNamingBoth() throws Exception {
        Subtasks<Long, Long, CounterValue<Long>> onePhase =
                new Subtasks<>(
                        operation -> operation % COUNTERS,
                        Types.LONG,
                        MAX_PARALLELISM,
                        Backends.HASHMAP);
        try (onePhase) {
            onePhase.start(2, fixture.withFilter());
            onePhase.process(1L, 0);
            onePhase.snapshot();
            second.setState(onePhase.state(), 2);
        }
        assertThatThrownBy(() -> second.start(2, fixture.totals()))
                .hasMessageContainingAll(
                        CounterStore.FILTERED_ENGINE, GlobalCounterOperator.ENGINE, "uid");
    }
}
