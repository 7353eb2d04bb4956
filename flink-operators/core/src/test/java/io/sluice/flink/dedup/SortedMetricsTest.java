/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.OnNullId;
import io.sluice.flink.testkit.Subtasks;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** An operator for a sorted input counts under the same names as in a stream. */
class SortedMetricsTest {

    private final DeduplicateFixture fixture = new DeduplicateFixture();

    /** Counters by name after three records of one id and one without. */
    @SuppressWarnings("try") // both close() methods may throw InterruptedException
    private Map<String, Long> counters(Supplier<OneInputStreamOperator<Long, Long>> operator)
            throws Exception {
        fixture.onNullId = OnNullId.drop();
        Map<String, Metric> registered = new HashMap<>();
        try (var environment = Subtasks.environment(8, 1, 0, registered);
                var harness =
                        new KeyedOneInputStreamOperatorTestHarness<Long, Long, Long>(
                                operator.get(), id -> id, Types.LONG, environment)) {
            harness.open();
            for (int i = 0; i < 3; i++) {
                harness.getOneInputOperator().processElement(new StreamRecord<>(7L, 100));
            }
            harness.getOneInputOperator().processElement(new StreamRecord<>(null, 100));
        }
        Map<String, Long> counters = new HashMap<>();
        registered.forEach(
                (name, metric) -> {
                    if (metric instanceof Counter counter && counter.getCount() > 0) {
                        counters.put(name, counter.getCount());
                    }
                });
        return counters;
    }

    @Test
    void recordsDuplicatesAndNullIdsAreCountedAsInAStream() throws Exception {
        Map<String, Long> sorted = counters(fixture.sorted());
        assertThat(sorted)
                .containsEntry(DeduplicateMetrics.RECORDS, 4L)
                .containsEntry(DeduplicateMetrics.DUPLICATES, 2L)
                .containsEntry(DeduplicateMetrics.NULL_IDS, 1L);
        assertThat(sorted).isEqualTo(counters(fixture.filter()));
    }
}
