/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Backends;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counters whose filter has far less memory than their operations need. */
class CounterOverloadTest {
    private static final double FPP = 1e-3;
    private static final int COUNTERS = 300;
    private static final long OPERATIONS = 600_000;

    private Subtasks<Long, Long, CounterValue<Long>> stream;

    @AfterEach
    void close() throws Exception {
        if (stream != null) {
            stream.close();
        }
    }

    private static Supplier<OneInputStreamOperator<Long, CounterValue<Long>>> counters() {
        CountersFixture fixture = new CountersFixture(CounterOverloadTest::counter);
        fixture.window = Duration.ofSeconds(10);
        fixture.fpp = FPP;
        fixture.idsPerSecond = 100_000;
        fixture.memory = MemorySize.ofMebiBytes(1);
        fixture.overflow = OverflowPolicy.FORGET_OLDEST;
        return fixture.withFilter();
    }

    private static Long counter(long operation) {
        return operation % COUNTERS;
    }

    /**
     * A quarter of the memory, with watermarks and before any; then, at the cap, with other
     * parallelisms.
     */
    @ParameterizedTest(name = "{0} key groups, watermarks: {1}")
    @CsvSource({"1, true", "1, false", "128, true", "128, false"})
    void noMoreOperationsAreLostThanAllowedAndTheErrorBarSaysHowMany(
            int maxParallelism, boolean watermarks) throws Exception {
        stream =
                new Subtasks<>(
                        CounterOverloadTest::counter, Types.LONG, maxParallelism, Backends.HASHMAP);
        stream.start(1, counters());
        Map<Long, CounterValue<Long>> last = new HashMap<>();
        for (long operation = 0; operation < OPERATIONS; operation++) {
            long time = operation / 100;
            if (watermarks && operation % 10_000 == 0) {
                stream.watermark(time - 50);
            }
            if (operation == OPERATIONS / 2) {
                stream.snapshot();
                stream.start(Math.min(2, maxParallelism), counters());
            }
            stream.process(operation, time).forEach(value -> last.put(value.counter(), value));
        }
        long counted = last.values().stream().mapToLong(CounterValue::value).sum();
        double expected =
                last.values().stream().mapToDouble(CounterValue::expectedUndercount).sum();
        double lost = OPERATIONS - counted;
        assertThat(stream.gaugeSum(DeduplicateMetrics.OVERFLOWS)).isPositive();
        // The loss may be ten times the probability, plus five sigma.
        assertThat(lost)
                .isBetween(0.0, 10 * FPP * OPERATIONS + 5 * Math.sqrt(10 * FPP * OPERATIONS));
        // The metric is of the subtasks that run now; the values are of all.
        assertThat(stream.gauge(0, CounterOperator.EXPECTED_UNDERCOUNT, Double.class))
                .isBetween(0.0, expected);
        assertThat(expected).isCloseTo(lost, within(5 * Math.sqrt(lost) + lost / 10 + 1));
    }
}
