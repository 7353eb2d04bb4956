/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.reconcile.message.MessageKind;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

class ReconcileTypesTest {

    private static final WindowReport REPORT =
            new WindowReport(
                    60_000,
                    3,
                    WindowReport.Outcome.IRRECONCILABLE,
                    4,
                    5,
                    6,
                    7,
                    1,
                    8,
                    9,
                    10,
                    11,
                    12,
                    13,
                    14,
                    15,
                    16,
                    17,
                    18,
                    Long.MAX_VALUE);

    @Test
    void repairsAndElementsAreReadBySql() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        TypeInformation<Repair<String>> repair = ReconcileOutputs.repair(Types.STRING);
        tables.createTemporaryView(
                "repairs", env.fromData(repair, new Repair<>(60_000, "id", 2, 5)));
        TypeInformation<WindowElement<Long>> element =
                ReconcileOutputs.<Long, Long>tags(Types.LONG, Types.LONG, true)
                        .elements()
                        .getTypeInfo();
        tables.createTemporaryView(
                "elements", env.fromData(element, new WindowElement<>(60_000, 7L, 3)));

        assertThat(row(tables, "SELECT `window`, `element`, `after` - `before` FROM repairs"))
                .isEqualTo(Row.of(60_000L, "id", 3L));
        assertThat(row(tables, "SELECT `window`, `element` + 1, copies FROM elements"))
                .isEqualTo(Row.of(60_000L, 8L, 3L));
    }

    private static Row row(StreamTableEnvironment tables, String query) throws Exception {
        CloseableIterator<Row> rows = tables.executeSql(query).collect();
        Row only = rows.next();
        assertThat(rows.hasNext()).isFalse();
        rows.close();
        return only;
    }

    @Test
    void reportsAndMessagesAreReadAsTheyWereWritten() throws IOException {
        readAsWritten(WindowReportSerializer.INSTANCE, REPORT);
        readAsWritten(
                ReplicaMessageSerializer.INSTANCE,
                new ReplicaMessage(MessageKind.REPAIR, 4, -60_000, "bytes".getBytes(UTF_8)));
        readAsWritten(
                ReplicaMessageSerializer.INSTANCE,
                new ReplicaMessage(MessageKind.DIGEST, 4, 60_000, new byte[0]));
    }

    private static <T> void readAsWritten(TypeSerializer<T> serializer, T value)
            throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        DataOutputSerializer copy = new DataOutputSerializer(256);
        serializer.copy(new DataInputDeserializer(out.getCopyOfBuffer()), copy);

        assertThat(copy.getCopyOfBuffer()).isEqualTo(out.getCopyOfBuffer());
        DataInputDeserializer in = new DataInputDeserializer(copy.getCopyOfBuffer());
        assertThat(serializer.deserialize(in)).isEqualTo(value);
        assertThat(in.available()).isZero();
        if (serializer.getLength() >= 0) {
            assertThat(out.length()).isEqualTo(serializer.getLength());
        }
    }

    @Test
    void anOutcomeOrKindThatNobodyWroteIsDamage() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        WindowReportSerializer.INSTANCE.serialize(REPORT, out);
        byte[] report = out.getCopyOfBuffer();
        report[Long.BYTES + Integer.BYTES] = 9;
        assertThatThrownBy(
                        () ->
                                WindowReportSerializer.INSTANCE.deserialize(
                                        new DataInputDeserializer(report)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("code 9");
        byte[] message = new byte[17];
        message[0] = 9;
        assertThatThrownBy(
                        () ->
                                ReplicaMessageSerializer.INSTANCE.deserialize(
                                        new DataInputDeserializer(message)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("code 9");
    }
}
