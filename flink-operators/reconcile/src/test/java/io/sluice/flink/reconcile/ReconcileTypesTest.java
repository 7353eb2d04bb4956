/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.RowContract;
import io.sluice.flink.reconcile.ReconcileOutputs.Tags;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.MessageKind;
import java.time.Duration;
import java.util.UUID;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

class ReconcileTypesTest {

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
    void aReportHasTheNumbersOfItsExchange() {
        assertThat(Reports.with(Outcome.NO_ROOM))
                .returns(Reports.WINDOW, WindowReport::window)
                .returns(GoldenMessages.GROUP, WindowReport::group)
                .returns("NO_ROOM", WindowReport::outcome)
                .returns(1L, WindowReport::elementsBefore)
                .returns(21L, WindowReport::elementsAfter)
                .returns(2L, WindowReport::copiesBefore)
                .returns(22L, WindowReport::copiesAfter)
                .returns(20, WindowReport::rounds)
                .returns(13L, WindowReport::filtered)
                .returns(4L, WindowReport::compared)
                .returns(5L, WindowReport::sent)
                .returns(6L, WindowReport::repairedFirst)
                .returns(7L, WindowReport::repairedSecond)
                .returns(8L, WindowReport::repairedLater)
                .returns(9L, WindowReport::digestBytes)
                .returns(10L, WindowReport::filterBytes)
                .returns(11L, WindowReport::repairBytes)
                .returns(30L, WindowReport::bytes)
                .returns(3L, WindowReport::naiveBytes)
                .returns(12L, WindowReport::retries)
                .returns(Reports.WAITED_MILLIS, WindowReport::waitedMillis);
    }

    @Test
    void allOutputsAreRows() throws Exception {
        Tags<Long, String> tags = ReconcileOutputs.tags(Types.LONG, Types.STRING, true);
        RowContract.check(
                tags.reports().getTypeInfo(),
                Reports.with(Outcome.IRRECONCILABLE),
                Reports.with(Outcome.AGREED));
        RowContract.check(
                tags.messages().getTypeInfo(),
                ReplicaMessage.of(MessageKind.REPAIR, 4, -60_000, "bytes".getBytes(UTF_8)),
                ReplicaMessage.of(MessageKind.DIGEST, 4, 60_000, new byte[0]));
        RowContract.check(tags.elements().getTypeInfo(), new WindowElement<>(60_000, "element", 3));
        RowContract.check(
                ReconcileOutputs.repair(Types.LONG), new Repair<>(60_000, Long.MIN_VALUE, 2, 5));
    }

    /** Kryo must not read what a peer has sent. */
    @Test
    void uuidsAreRefusedBecauseReplicasSendEachOtherIds() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
        env.enableCheckpointing(1_000);
        var replica =
                Reconcile.by((String text) -> UUID.fromString(text))
                        .idType(Types.GENERIC(UUID.class))
                        .uid("x")
                        .replica("a")
                        .peer("b")
                        .window(Duration.ofMinutes(1));
        assertThatThrownBy(() -> replica.apply(env.fromData("a"), env.fromData(new byte[0])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("select id.toString()");
    }
}
