/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The event time of what counters emit, relative to the watermarks that they forward. */
class CounterEventTimeTest {

    private static final long NEVER = 1_000_000;
    private static final int COUNTERS = 7;

    private final Subtasks<Long, Long, CounterValue<Long>> stream =
            new Subtasks<>(counter(), Types.LONG, 90, Backends.HASHMAP);

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private boolean resetClock;

    private static KeySelector<Long, Long> counter() {
        return operation -> operation % COUNTERS;
    }

    private Supplier<OneInputStreamOperator<Long, CounterValue<Long>>> counters(
            boolean withFilter, long emitMillis, Batching batching) {
        CountersFixture fixture = new CountersFixture(counter());
        fixture.emitMillis = emitMillis;
        fixture.batching = batching;
        fixture.resetClock = resetClock;
        return withFilter ? fixture.withFilter() : fixture.withoutFilter();
    }

    /** What a subtask has emitted, in order: values and watermarks. */
    private List<Object> emitted() {
        return List.copyOf(stream.harnesses().get(0).getOutput());
    }

    private static void assertNothingIsBehindAWatermark(List<Object> emitted) {
        long watermark = Long.MIN_VALUE;
        for (Object element : emitted) {
            if (element instanceof Watermark mark) {
                watermark = mark.getTimestamp();
            } else {
                assertThat(((StreamRecord<?>) element).getTimestamp()).isGreaterThan(watermark);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static List<CounterValue<Long>> values(List<Object> emitted) {
        List<CounterValue<Long>> values = new ArrayList<>();
        for (Object element : emitted) {
            if (element instanceof StreamRecord<?> record) {
                CounterValue<Long> value = (CounterValue<Long>) record.getValue();
                // Its expected undercount is almost 0.
                assertThat(value.expectedUndercount()).isLessThan(1e-9);
                values.add(
                        new CounterValue<>(value.counter(), value.value(), 0, value.timestamp()));
            }
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTimestampThatSourcesGiveForNoneIsRefusedInEventTime(boolean withFilter)
            throws Exception {
        stream.start(1, counters(withFilter, 0, Batching.OFF));
        assertThatThrownBy(() -> stream.process(1L, Long.MIN_VALUE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "operator under test", "no timestamp", "timeDomain(PROCESSING)");
    }

    @ParameterizedTest
    @CsvSource({"true, 1", "true, 16", "false, 1"})
    void updatesLeaveBeforeAWatermarkThatPassesThem(boolean withFilter, int batch)
            throws Exception {
        stream.start(1, counters(withFilter, NEVER, new Batching(batch, 5)));
        var harness = stream.harnesses().get(0);
        harness.processElement(new StreamRecord<>(1L, 10));
        harness.processElement(new StreamRecord<>(2L, 20));
        harness.processElement(new StreamRecord<>(3L, 30));
        harness.processElement(new StreamRecord<>(1L + COUNTERS, 21));
        stream.watermark(20);
        assertThat(emitted()).hasSize(2);
        assertThat(values(emitted())).containsExactly(new CounterValue<>(2L, 1, 0, 20));
        assertThat(emitted().get(1)).isEqualTo(new Watermark(20));
        stream.watermark(29);
        assertThat(values(emitted())).hasSize(2).contains(new CounterValue<>(1L, 2, 0, 21));
        harness.processElement(new StreamRecord<>(2L + COUNTERS, 50));
        stream.watermark(Long.MAX_VALUE);
        assertThat(values(emitted()))
                .hasSize(4)
                .contains(new CounterValue<>(3L, 1, 0, 30), new CounterValue<>(2L, 2, 0, 50));
        assertNothingIsBehindAWatermark(emitted());
        assertThat(stream.endInput()).isEmpty();
    }

    @Test
    void afterADrainARetryIsNotCounted() throws Exception {
        stream.start(2, counters(true, NEVER, Batching.OFF));
        for (long operation = 0; operation < 1000; operation++) {
            stream.process(operation, 100);
        }
        stream.watermark(100);
        assertThat(stream.advance(Long.MAX_VALUE)).isEmpty();
        stream.endInput();
        stream.snapshot();
        stream.start(3, counters(true, NEVER, Batching.OFF));
        stream.watermark(1100);
        for (long operation = 0; operation < 1000; operation++) {
            stream.process(operation, 1100);
        }
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(1000);
        assertThat(stream.endInput()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRestoreWithResetClockCountsNoRetryAfterAWildWatermark(boolean reset) throws Exception {
        resetClock = reset;
        stream.start(1, counters(true, 0, Batching.OFF));
        stream.watermark(10_000);
        stream.process(1L, 10_000);
        stream.watermark(Duration.ofDays(365).toMillis());
        stream.snapshot();
        stream.start(1, counters(true, 0, Batching.OFF));
        stream.watermark(10_200);
        for (int copy = 0; copy < 6; copy++) {
            stream.process(1L + COUNTERS, 10_200);
        }
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(5);
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isEqualTo(reset ? 0 : 1);
    }

    @ParameterizedTest
    @CsvSource({"true, 0", "true, 1000000", "false, 0", "false, 1000000"})
    void aValueOfALateOperationIsNotBehindTheWatermark(boolean withFilter, long emitMillis)
            throws Exception {
        stream.start(1, counters(withFilter, emitMillis, Batching.OFF));
        var harness = stream.harnesses().get(0);
        stream.watermark(50_000);
        harness.processElement(new StreamRecord<>(1L, 10));
        stream.watermark(50_000);
        harness.processElement(new StreamRecord<>(2L, 49_990));
        harness.prepareSnapshotPreBarrier(1);
        harness.processElement(new StreamRecord<>(3L, 11));
        stream.watermark(Long.MAX_VALUE);
        harness.getOneInputOperator().finish();
        assertThat(values(emitted()))
                .extracting(CounterValue::timestamp)
                .containsExactly(10L, 49_990L, 11L);
        assertNothingIsBehindAWatermark(emitted());
    }
}
