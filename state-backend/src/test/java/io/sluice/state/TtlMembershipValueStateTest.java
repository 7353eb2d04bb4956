/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A state with time-to-live below Flink's wrapper, which has its own clock. */
class TtlMembershipValueStateTest {

    @TempDir Path directory;

    /** What the clock of Flink's wrapper has too much. */
    private long aheadMillis;

    /** Flink clears what its clock says has expired. */
    @Test
    void marksStayWhenOnlyTheClockOfFlinksWrapperIsADayAhead() throws Exception {
        ValueStateDescriptor<Boolean> descriptor =
                new ValueStateDescriptor<>("deduplicate-state", Types.BOOLEAN);
        descriptor.initializeSerializerUnlessSet(new ExecutionConfig());
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
        TtlTimeProvider wall = () -> System.currentTimeMillis() + aheadMillis;
        try (Subtask<Long> task = Subtask.ofLongs("hashmap", directory, List.of())) {
            ValueState<Boolean> seen = wrapped(task, descriptor, wall);
            for (long key = 0; key < 1_000; key++) {
                task.backend().setCurrentKey(key);
                seen.update(true);
            }
            aheadMillis = TimeUnit.DAYS.toMillis(1);
            assertThat(marked(task, seen)).isEqualTo(1_000);
            aheadMillis = 0;
            assertThat(marked(task, seen)).isEqualTo(1_000);
        }
    }

    /** The state as Flink makes it, except for the clock. */
    @SuppressWarnings("unchecked") // it is the state of the descriptor
    private static ValueState<Boolean> wrapped(
            Subtask<Long> task, ValueStateDescriptor<Boolean> descriptor, TtlTimeProvider wall)
            throws Exception {
        ValueState<Boolean> state =
                TtlStateFactory.createStateAndWrapWithTtlIfEnabled(
                        VoidNamespaceSerializer.INSTANCE, descriptor, task.backend(), wall);
        ((InternalValueState<Long, VoidNamespace, Boolean>) state)
                .setCurrentNamespace(VoidNamespace.INSTANCE);
        return state;
    }

    private static long marked(Subtask<Long> task, ValueState<Boolean> seen) throws Exception {
        long count = 0;
        for (long key = 0; key < 1_000; key++) {
            task.backend().setCurrentKey(key);
            count += seen.value() == null ? 0 : 1;
        }
        return count;
    }
}
