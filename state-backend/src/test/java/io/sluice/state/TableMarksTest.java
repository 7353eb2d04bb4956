/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.testutils.logging.LoggerAuditingExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

/** What {@code SELECT DISTINCT} and {@code COUNT(DISTINCT)} keep. */
class TableMarksTest {

    private static final DataType TEXT = DataTypes.STRING().bridgedTo(StringData.class);

    @TempDir Path directory;

    @RegisterExtension
    final LoggerAuditingExtension log =
            new LoggerAuditingExtension(CascadeKeyedStateBackend.class, Level.INFO);

    private Subtask<Long> start(KeyedStateHandle... handles) throws Exception {
        Configuration configuration = Subtask.configuration("hashmap");
        configuration.setString(CascadeBackendOptions.STATES.key(), "accState");
        configuration.setString(CascadeBackendOptions.MAP_STATES.key(), "*");
        return Subtask.ofLongs(
                new CascadeStateBackend().configure(configuration, getClass().getClassLoader()),
                directory,
                List.of(handles));
    }

    private static MapStateDescriptor<Object, Long> values(String name, DataType keys) {
        return new MapStateDescriptor<>(
                name,
                ExternalSerializer.of(keys),
                ExternalSerializer.of(DataTypes.BIGINT().notNull()));
    }

    private static MapState<Object, Long> map(
            Subtask<Long> task, MapStateDescriptor<Object, Long> descriptor) throws Exception {
        task.backend().setCurrentKey(1L);
        return task.backend()
                .getPartitionedState(
                        VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    @Test
    void distinctValuesAreMarks() throws Exception {
        KeyedStateHandle checkpoint;
        try (Subtask<Long> task = start()) {
            MapState<Object, Long> values = map(task, values("distinctAcc_0", TEXT));
            assertThat(values).isInstanceOf(MembershipMapState.class);
            assertThat(values.get(StringData.fromString("a"))).isNull();
            values.put(StringData.fromString("a"), 1L);
            assertThat(values.get(StringData.fromString("a"))).isEqualTo(1);
            assertThat(values.get(StringData.fromString("b"))).isNull();
            checkpoint = task.checkpoint(1, new SharedStateRegistryImpl());
        }
        try (Subtask<Long> task = start(checkpoint)) {
            MapState<Object, Long> values = map(task, values("distinctAcc_0", TEXT));
            assertThat(values.get(StringData.fromString("a"))).isEqualTo(1);
            assertThat(values.get(StringData.fromString("b"))).isNull();
        }
    }

    /** Their bytes would be compared with those of the former type. */
    @Test
    void distinctValuesOfAnotherTypeAreRefusedAtARestore() throws Exception {
        KeyedStateHandle checkpoint;
        try (Subtask<Long> task = start()) {
            map(task, values("distinctAcc_0", DataTypes.INT())).put(5, 1L);
            checkpoint = task.checkpoint(1, new SharedStateRegistryImpl());
        }
        try (Subtask<Long> task = start(checkpoint)) {
            assertThatThrownBy(() -> map(task, values("distinctAcc_0", DataTypes.BIGINT())))
                    .hasMessageContaining("distinctAcc_0")
                    .hasMessageContaining("sql(INT)")
                    .hasMessageContaining("sql(BIGINT)");
        }
    }

    @Test
    void aValueThatIsCountedIsRefusedWithTheOption() throws Exception {
        try (Subtask<Long> task = start()) {
            MapState<Object, Long> values = map(task, values("distinctAcc_0", DataTypes.BIGINT()));
            values.put(7L, 1L);
            assertThatThrownBy(() -> values.put(7L, 2L))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("distinctAcc_0")
                    .hasMessageContaining("FILTER")
                    .hasMessageContaining(CascadeBackendOptions.MAP_STATES.key());
        }
    }

    /** A list of names may say everything. */
    @Test
    void otherMapsToNumbersStayExact() throws Exception {
        try (Subtask<Long> task = start()) {
            MapState<Object, Long> counts = map(task, values("agg0$counts", TEXT));
            assertThat(counts).isNotInstanceOf(AbstractMembershipState.class);
            counts.put(StringData.fromString("a"), 5L);
            assertThat(counts.get(StringData.fromString("a"))).isEqualTo(5);
        }
    }

    @Test
    void distinctValuesOfWindowsStayExact() throws Exception {
        try (Subtask<Long> task = start()) {
            task.backend().setCurrentKey(1L);
            MapState<Object, Long> values =
                    task.backend()
                            .getPartitionedState(
                                    3_600_000L,
                                    LongSerializer.INSTANCE,
                                    values("distinctAcc_0", TEXT));
            assertThat(values).isNotInstanceOf(AbstractMembershipState.class);
            values.put(StringData.fromString("a"), 1L);
            values.clear();
            assertThat(values.isEmpty()).isTrue();
        }
        assertThat(log.getMessages())
                .filteredOn(message -> message.contains("distinctAcc_0"))
                .singleElement()
                .asString()
                .contains("exact")
                .contains("end of each window");
    }

    /** The count of a group expires at its time, and marks a little later. */
    @Test
    void distinctValuesWithATimeToLiveStayExact() throws Exception {
        try (Subtask<Long> task = start()) {
            MapStateDescriptor<Object, Long> brief = values("distinctAcc_0", TEXT);
            brief.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
            map(task, brief).put(StringData.fromString("a"), 1L);
            assertThat(map(task, brief).entries()).hasSize(1);
        }
        assertThat(log.getMessages())
                .filteredOn(message -> message.contains("distinctAcc_0"))
                .singleElement()
                .asString()
                .contains("would expire before");
    }

    private static ValueStateDescriptor<RowData> row(LogicalType... types) {
        return new ValueStateDescriptor<>("accState", new RowDataSerializer(types));
    }

    @Test
    void aRowWithoutColumnsIsAMark() throws Exception {
        try (Subtask<Long> task = start()) {
            ValueState<RowData> state = task.state(row());
            assertThat(state).isInstanceOf(AbstractMembershipState.class);
            task.backend().setCurrentKey(1L);
            assertThat(state.value()).isNull();
            state.update(new GenericRowData(0));
            assertThat(state.value()).isNotNull();
            task.backend().setCurrentKey(2L);
            assertThat(state.value()).isNull();
        }
    }

    @Test
    void aggregatesWithColumnsStayExact() throws Exception {
        try (Subtask<Long> task = start()) {
            ValueState<RowData> state = task.state(row(new BigIntType()));
            assertThat(state).isNotInstanceOf(AbstractMembershipState.class);
            task.backend().setCurrentKey(1L);
            state.update(GenericRowData.of(5L));
            assertThat(state.value().getLong(0)).isEqualTo(5);
        }
    }
}
