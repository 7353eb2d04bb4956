/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The flag of a process table function, which is a row of one Boolean. */
class RowFlagTest {

    private static final String NAME = "sluice_seen";

    @TempDir Path directory;

    private Subtask<Long> start(List<KeyedStateHandle> handles) throws Exception {
        return Subtask.ofLongs("hashmap", directory, handles);
    }

    private static ValueStateDescriptor<RowData> rows(boolean expires, LogicalType... types) {
        ValueStateDescriptor<RowData> descriptor =
                new ValueStateDescriptor<>(NAME, new RowDataSerializer(types));
        if (expires) {
            descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
        }
        return descriptor;
    }

    /** Flink reads a row before and after its value was written by another backend. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isInAFilterAndReadAsARow(boolean expires) throws Exception {
        ValueStateDescriptor<RowData> flag = rows(expires, new BooleanType());
        KeyedStateHandle checkpoint;
        try (Subtask<Long> task = start(List.of())) {
            ValueState<RowData> seen = task.state(flag);
            task.backend().setCurrentKey(1L);
            assertThat(seen.value()).isNull();
            seen.update(GenericRowData.of(true));
            assertThat(seen.value()).isEqualTo(GenericRowData.of(true));
            // The kind is for Flink, which would not write an equal row.
            seen.update(GenericRowData.ofKind(RowKind.UPDATE_AFTER, true));
            assertThat(seen.value()).isEqualTo(GenericRowData.of(true));
            task.backend().setCurrentKey(2L);
            assertThat(seen.value()).isNull();
            assertThat(filterHolds(task)).isTrue();
            checkpoint = task.checkpoint(1, new SharedStateRegistryImpl());
        }
        try (Subtask<Long> task = start(List.of(checkpoint))) {
            ValueState<RowData> seen = task.state(flag);
            task.backend().setCurrentKey(1L);
            assertThat(seen.value()).isEqualTo(GenericRowData.of(true));
            seen.clear();
            assertThat(seen.value()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cannotSayNotSeen(boolean expires) throws Exception {
        try (Subtask<Long> task = start(List.of())) {
            ValueState<RowData> seen = task.state(rows(expires, new BooleanType()));
            task.backend().setCurrentKey(1L);
            assertThatThrownBy(() -> seen.update(GenericRowData.of(false)))
                    .hasMessageContaining(NAME)
                    .hasMessageContaining(CascadeBackendOptions.STATES.key());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRowOfAnythingElseIsExactWhateverItsName(boolean expires) throws Exception {
        try (Subtask<Long> task = start(List.of())) {
            ValueState<RowData> state = task.state(rows(expires, new BooleanType(), new IntType()));
            task.backend().setCurrentKey(1L);
            state.update(GenericRowData.of(false, 5));
            assertThat(state.value()).isEqualTo(GenericRowData.of(false, 5));
            assertThat(filterHolds(task)).isFalse();
        }
    }

    @Test
    void withAnotherNameItIsExact() throws Exception {
        try (Subtask<Long> task = start(List.of())) {
            ValueState<RowData> state =
                    task.state(
                            new ValueStateDescriptor<>(
                                    "flag", new RowDataSerializer(new BooleanType())));
            task.backend().setCurrentKey(1L);
            state.update(GenericRowData.of(false));
            assertThat(state.value()).isEqualTo(GenericRowData.of(false));
        }
    }

    /** A filter cannot list its keys. */
    private static boolean filterHolds(Subtask<Long> task) {
        try (var keys = task.backend().getKeysAndNamespaces(NAME)) {
            assertThat(keys).isNotNull();
            return false;
        } catch (UnsupportedOperationException e) {
            return true;
        }
    }
}
