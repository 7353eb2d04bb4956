/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.suite.DeniedMarkError;
import io.sluice.suite.Ledger;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The oracle finds what a filter gets wrong. Filters are broken here behind its back. */
class OracleTest {

    private static final Duration TIME_TO_LIVE = Duration.ofSeconds(8);

    private KeyedOneInputStreamOperatorTestHarness<Long, Long, Long> subtask;
    private AbstractKeyedStateBackend<Long> backend;

    @AfterEach
    void close() throws Exception {
        subtask.close();
    }

    @Test
    void aMarkThatTheFilterHasLostIsDenied() throws Exception {
        open(null);
        ValueState<Boolean> seen = seen(1);
        seen.update(true);
        assertThat(seen.value()).isTrue();

        filterOf(seen).clear();

        long before = Ledger.counts().denied();
        assertThatThrownBy(seen::value)
                .isInstanceOf(DeniedMarkError.class)
                .hasMessageContaining("'seen' denies a key that was marked");
        assertThat(Ledger.counts().denied()).isEqualTo(before + 1);
    }

    @Test
    void theTruthIsRestoredWithTheFilter() throws Exception {
        open(null);
        seen(1).update(true);
        OperatorSubtaskState checkpoint = subtask.snapshot(1, 1);
        subtask.close();

        open(checkpoint);
        ValueState<Boolean> seen = seen(1);
        assertThat(seen.value()).isTrue();
        filterOf(seen).clear();
        assertThatThrownBy(seen::value).isInstanceOf(DeniedMarkError.class);
    }

    @Test
    void aKeyThatTheFilterHasMadeUpIsCounted() throws Exception {
        open(null);
        ValueState<Boolean> seen = seen(1);
        filterOf(seen).update(true);

        long before = Ledger.counts().falsePositives();
        assertThat(seen.value()).isTrue();
        assertThat(Ledger.counts().falsePositives()).isEqualTo(before + 1);
    }

    @Test
    void aMarkMustBeReportedUntilItExpires() throws Exception {
        open(null);
        OracleValueState<Long, VoidNamespace, TtlValue<Boolean>> seen = seenForAWhile(1);
        seen.update(new TtlValue<>(true, 0));
        subtask.setStateTtlProcessingTime(TIME_TO_LIVE.toMillis() - 1);
        seen.filter().clear();
        assertThatThrownBy(seen::value).isInstanceOf(DeniedMarkError.class);

        subtask.setStateTtlProcessingTime(TIME_TO_LIVE.toMillis());
        assertThatCode(seen::value).doesNotThrowAnyException();
    }

    @Test
    void eachKeyOfAJobIsMarkedAndLookedUpThoughTheJobHasNoState() throws Exception {
        open(null);
        long marked = Ledger.counts().marked();
        backend.setCurrentKey(1L);
        backend.setCurrentKey(2L);
        assertThat(Ledger.counts().marked()).isEqualTo(marked);
        backend.setCurrentKey(1L);
        // Two states, with and without a time-to-live.
        assertThat(Ledger.counts().marked()).isEqualTo(marked + 2);
    }

    private ValueState<Boolean> seen(long key) throws Exception {
        backend.setCurrentKey(key);
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ValueStateDescriptor<>("seen", Types.BOOLEAN));
    }

    private static InternalValueState<?, ?, Boolean> filterOf(ValueState<Boolean> state) {
        return ((OracleValueState<?, ?, Boolean>) state).filter();
    }

    /** A state with a time-to-live, as the backend has it below Flink's own handling of times. */
    private OracleValueState<Long, VoidNamespace, TtlValue<Boolean>> seenForAWhile(long key)
            throws Exception {
        backend.setCurrentKey(key);
        ValueStateDescriptor<TtlValue<Boolean>> descriptor =
                new ValueStateDescriptor<>(
                        "seen-for-a-while",
                        new TtlStateFactory.TtlSerializer<>(
                                LongSerializer.INSTANCE, BooleanSerializer.INSTANCE));
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(TIME_TO_LIVE).build());
        OracleValueState<Long, VoidNamespace, TtlValue<Boolean>> state =
                backend.createOrUpdateInternalState(
                        VoidNamespaceSerializer.INSTANCE,
                        descriptor,
                        StateSnapshotTransformFactory.noTransform());
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        return state;
    }

    private void open(OperatorSubtaskState checkpoint) throws Exception {
        KeyedProcessOperator<Long, Long, Long> operator = new KeyedProcessOperator<>(new Nothing());
        subtask =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        operator, id -> id, Types.LONG, 16, 1, 0);
        Configuration options = new Configuration();
        options.set(CascadeBackendOptions.STATES, List.of("*"));
        options.set(CascadeBackendOptions.DELEGATE, "hashmap");
        subtask.setStateBackend(
                new OracleStateBackend(
                        new CascadeStateBackend().configure(options, getClass().getClassLoader())));
        subtask.setup(LongSerializer.INSTANCE);
        if (checkpoint != null) {
            subtask.initializeState(checkpoint);
        }
        subtask.open();
        backend = (AbstractKeyedStateBackend<Long>) operator.<Long>getKeyedStateBackend();
    }

    /** Needs only the backend. */
    private static final class Nothing extends KeyedProcessFunction<Long, Long, Long> {
        @Override
        public void processElement(Long id, Context context, Collector<Long> out) {}
    }
}
