/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;

class SubtasksTest {

    private static final int KEYS = 200;

    private final AtomicInteger closed = new AtomicInteger();

    private final Subtasks<String, String, Integer> subtasks =
            new Subtasks<>(word -> word, Types.STRING, 128, HashMapStateBackend::new);

    @Test
    void countsSurviveARescaling() throws Exception {
        subtasks.start(2, () -> counting(false));
        assertThat(subtasks.process("a", 1)).isEqualTo(List.of(1));
        subtasks.snapshot();
        subtasks.start(3, () -> counting(false));
        assertThat(subtasks.process("a", 2)).isEqualTo(List.of(2));
        subtasks.close();
    }

    @Test
    void recordsGoWhereAnotherMaximumParallelismSendsThem() throws Exception {
        subtasks.start(3, 1_000, () -> counting(false));
        for (int i = 0; i < KEYS; i++) {
            String word = "word" + i;
            assertThat(subtasks.subtaskOf(word))
                    .isEqualTo(KeyGroupRangeAssignment.assignKeyToParallelOperator(word, 1_000, 3));
            assertThat(subtasks.process(word, i)).isEqualTo(List.of(1));
        }
        subtasks.close();
    }

    @Test
    void allAreClosedThoughOneFails() throws Exception {
        subtasks.start(3, () -> counting(true));
        assertThatThrownBy(subtasks::close).isInstanceOf(IllegalStateException.class);
        assertThat(closed).hasValue(3);
        assertThat(subtasks.harnesses()).isEmpty();
    }

    private KeyedProcessOperator<String, String, Integer> counting(boolean failing) {
        return new KeyedProcessOperator<>(new Counting(failing, closed));
    }

    /** Counts each word; not sent anywhere, so that it may share a number with the test. */
    private static final class Counting extends KeyedProcessFunction<String, String, Integer> {
        private static final long serialVersionUID = 1;

        private final boolean failing;
        private final AtomicInteger closed;

        Counting(boolean failing, AtomicInteger closed) {
            this.failing = failing;
            this.closed = closed;
        }

        @Override
        public void processElement(String word, Context context, Collector<Integer> out)
                throws Exception {
            ValueState<Integer> count =
                    getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.INT));
            int now = count.value() == null ? 1 : count.value() + 1;
            count.update(now);
            out.collect(now);
        }

        @Override
        public void close() {
            closed.incrementAndGet();
            if (failing) {
                throw new IllegalStateException("as a subtask that fails at its end");
            }
        }
    }
}
