/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.attack.AttackAlert;
import io.sluice.flink.attack.AttackKind;
import io.sluice.flink.attack.AttackTypes;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.CounterValueTypeInfo;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Attempt;
import io.sluice.flink.flow.ConnState;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowAlert;
import io.sluice.flink.flow.FlowTypes;
import io.sluice.flink.reconcile.MessageKind;
import io.sluice.flink.reconcile.ReconcileTypes;
import io.sluice.flink.reconcile.ReplicaMessage;
import io.sluice.flink.reconcile.WindowReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.CompositeType;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

/** What SQL sees of the operators' outputs. */
class SqlColumnsTest {

    private static final Address IPV4 = Address.ofIpv4(0x0a000001);
    private static final Address IPV6 = new Address(0x20010db8_00000000L, 1);

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment(
                    new Configuration().set(RestartStrategyOptions.RESTART_STRATEGY, "none"));
    private final StreamTableEnvironment tables;

    SqlColumnsTest() {
        env.setParallelism(1);
        tables = StreamTableEnvironment.create(env);
    }

    @Test
    void valuesOfCountersAreReadBySql() throws Exception {
        DataStream<Tuple2<String, Long>> views =
                env.fromData(
                        Types.TUPLE(Types.STRING, Types.LONG),
                        Tuple2.of("home", 1L),
                        Tuple2.of("home", 2L),
                        Tuple2.of("home", 1L),
                        Tuple2.of("news", 3L));
        DataStream<CounterValue<String>> values =
                IdempotentCounters.of((Tuple2<String, Long> view) -> view.f0)
                        .counterType(Types.STRING)
                        .operation(view -> view.f1, Types.LONG)
                        .uid("views")
                        .timeDomain(TimeDomain.PROCESSING)
                        .within(Duration.ofMinutes(10))
                        .apply(views);

        columns(
                values,
                "counter STRING",
                "value BIGINT NOT NULL",
                "expectedUndercount DOUBLE NOT NULL",
                "timestamp BIGINT NOT NULL");
        assertThat(
                        rows(
                                "SELECT counter, MAX(`value`), MAX(expectedUndercount) < 1,"
                                        + " MIN(`timestamp`) > 0 FROM output GROUP BY counter"))
                .contains(Row.of("home", 2L, true, true), Row.of("news", 1L, true, true));
    }

    @Test
    void keysOfCountersAreColumnsOfTheirOwnType() throws Exception {
        CounterValueTypeInfo<Tuple2<Long, String>> type =
                new CounterValueTypeInfo<>(Types.TUPLE(Types.LONG, Types.STRING));
        values(type, new CounterValue<>(Tuple2.of(7L, "x"), 3, 0.25, 99));
        assertThat(rows("SELECT o.counter.f0, o.counter.f1, `value` FROM output o"))
                .containsExactly(Row.of(7L, "x", 3L));
        roundTrip(type, new CounterValue<>(Tuple2.of(7L, "x"), 3, 0.25, 99));

        CounterValueTypeInfo<Long> numbers = new CounterValueTypeInfo<>(Types.LONG);
        columns(
                env.fromData(numbers, new CounterValue<>(7L, 3, 0.25, 99)),
                "counter BIGINT NOT NULL",
                "value BIGINT NOT NULL",
                "expectedUndercount DOUBLE NOT NULL",
                "timestamp BIGINT NOT NULL");
        roundTrip(numbers, new CounterValue<>(7L, 3, 0.25, 99));
    }

    @Test
    void alertsOfAttacksAreReadBySql() throws Exception {
        AttackAlert flood =
                new AttackAlert(AttackKind.SYN_FLOOD, true, IPV4, 443, 9, 1, 2, 0, 10, 20);
        AttackAlert scan = new AttackAlert(AttackKind.SCAN, false, IPV6, -1, 8, 0, 3, 7, 11, 21);
        columns(
                env.fromData(AttackTypes.ATTACK_ALERT, flood, scan),
                "kind STRING",
                "raised BOOLEAN NOT NULL",
                "address STRING",
                "port INT NOT NULL",
                "attempts BIGINT NOT NULL",
                "completed BIGINT NOT NULL",
                "refused BIGINT NOT NULL",
                "targets BIGINT NOT NULL",
                "firstMillis BIGINT NOT NULL",
                "millis BIGINT NOT NULL");
        assertThat(
                        rows(
                                "SELECT address, port, raised, attempts - completed, firstMillis"
                                        + " FROM output WHERE kind = 'SYN_FLOOD'"))
                .containsExactly(Row.of("10.0.0.1", 443, true, 8L, 10L));
        roundTrip(AttackTypes.ATTACK_ALERT, flood);
        roundTrip(AttackTypes.ATTACK_ALERT, scan);
    }

    @Test
    void finishedFlowsAreReadBySqlWithAndWithoutEnds() throws Exception {
        FinishedFlow ended =
                new FinishedFlow(
                        5,
                        ConnState.SF,
                        FinishedFlow.Reason.ENDED,
                        15,
                        new Endpoints(IPV4, 50_000, IPV6, 443));
        FinishedFlow timedOut =
                new FinishedFlow(6, ConnState.S0, FinishedFlow.Reason.TIMED_OUT, 16, null);
        columns(
                env.fromData(FlowTypes.FINISHED_FLOW, ended, timedOut),
                "flow BIGINT NOT NULL",
                "state STRING",
                "reason STRING",
                "millis BIGINT NOT NULL",
                "originator STRING",
                "originatorPort INT NOT NULL",
                "responder STRING",
                "responderPort INT NOT NULL");
        assertThat(
                        rows(
                                "SELECT flow, originator, originatorPort, responder, responderPort"
                                        + " FROM output WHERE state IN ('SF', 'S0')"))
                .containsExactlyInAnyOrder(
                        Row.of(5L, "10.0.0.1", 50_000, "2001:db8:0:0:0:0:0:1", 443),
                        Row.of(6L, null, -1, null, -1));
        assertThat(
                        rows(
                                "SELECT flow FROM output WHERE originator IS NULL AND reason ="
                                        + " 'TIMED_OUT'"))
                .containsExactly(Row.of(6L));
        roundTrip(FlowTypes.FINISHED_FLOW, ended);
        roundTrip(FlowTypes.FINISHED_FLOW, timedOut);
    }

    @Test
    void alertsOfFlowsAreReadBySql() throws Exception {
        FlowAlert alert = new FlowAlert(FlowAlert.Kind.FIN_AND_RST, 3, 5, 17);
        columns(
                env.fromData(FlowTypes.FLOW_ALERT, alert),
                "kind STRING",
                "flow BIGINT NOT NULL",
                "flags INT NOT NULL",
                "millis BIGINT NOT NULL");
        assertThat(rows("SELECT flags + 1, millis FROM output WHERE kind LIKE '%RST'"))
                .containsExactly(Row.of(6, 17L));
        roundTrip(FlowTypes.FLOW_ALERT, alert);
    }

    @Test
    void attemptsAreReadBySql() throws Exception {
        Attempt attempt = new Attempt(Attempt.Kind.REFUSED, IPV4, IPV6, 443, 18);
        columns(
                env.fromData(FlowTypes.ATTEMPT, attempt),
                "kind STRING",
                "source STRING",
                "target STRING",
                "port INT NOT NULL",
                "millis BIGINT NOT NULL");
        assertThat(rows("SELECT source, target, port, millis FROM output WHERE kind = 'REFUSED'"))
                .containsExactly(Row.of("10.0.0.1", "2001:db8:0:0:0:0:0:1", 443, 18L));
        roundTrip(FlowTypes.ATTEMPT, attempt);
    }

    @Test
    void reportsOfWindowsAreReadBySql() throws Exception {
        WindowReport report =
                new WindowReport(
                        60_000,
                        3,
                        WindowReport.Outcome.TIMED_OUT,
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
                        19);
        tables.createTemporaryView("output", env.fromData(ReconcileTypes.WINDOW_REPORT, report));
        assertThat(
                        rows(
                                "SELECT `window`, `group`, rounds, elementsAfter, waitedMillis FROM"
                                        + " output WHERE outcome = 'TIMED_OUT'"))
                .containsExactly(Row.of(60_000L, 3, 1, 5L, 19L));
        roundTrip(ReconcileTypes.WINDOW_REPORT, report);
    }

    @Test
    void messagesToThePeerAreReadBySql() throws Exception {
        ReplicaMessage message =
                new ReplicaMessage(MessageKind.FILTER, 4, 60_000, "bytes".getBytes(UTF_8));
        columns(
                env.fromData(ReconcileTypes.REPLICA_MESSAGE, message),
                "kind STRING",
                "group INT NOT NULL",
                "window BIGINT NOT NULL",
                "bytes BYTES NOT NULL");
        assertThat(
                        rows(
                                "SELECT `group`, DECODE(`bytes`, 'UTF-8') FROM output WHERE kind ="
                                        + " 'FILTER'"))
                .containsExactly(Row.of(4, "bytes"));
        roundTrip(ReconcileTypes.REPLICA_MESSAGE, message);
    }

    @Test
    void partsOfValuesAreFoundByName() {
        CompositeType<?> type = new CounterValueTypeInfo<>(Types.TUPLE(Types.LONG, Types.STRING));

        assertThat(type.getTotalFields()).isEqualTo(5);
        assertThat(type.<Object>getTypeAt("counter.f1")).isEqualTo(Types.STRING);
        assertThat(type.getFlatFields("*"))
                .extracting(CompositeType.FlatFieldDescriptor::getPosition)
                .containsExactly(0, 1, 2, 3, 4);
        assertThat(type.getFlatFields("timestamp").get(0).getPosition()).isEqualTo(4);
        assertThatThrownBy(() -> type.getTypeAt("nothing"))
                .hasMessageContaining("no column 'nothing'")
                .hasMessageContaining("expectedUndercount");
        assertThatThrownBy(() -> type.getTypeAt("value.part")).hasMessageContaining("no parts");
    }

    private <T> void values(TypeInformation<T> type, T value) {
        tables.createTemporaryView("output", env.fromData(type, value));
    }

    private void columns(DataStream<?> stream, String... expected) {
        Table table = tables.fromDataStream(stream);
        assertThat(table.getResolvedSchema().getColumns())
                .extracting(column -> column.getName() + " " + column.getDataType())
                .containsExactly(expected);
        tables.dropTemporaryView("output");
        tables.createTemporaryView("output", table);
    }

    private List<Row> rows(String query) throws Exception {
        List<Row> rows = new ArrayList<>();
        CloseableIterator<Row> results = tables.executeSql(query).collect();
        results.forEachRemaining(
                row -> {
                    Row copy = Row.copy(row);
                    copy.setKind(RowKind.INSERT);
                    rows.add(copy);
                });
        results.close();
        return rows;
    }

    /** Puts it into a table and gets an equal object out. */
    private <T> void roundTrip(TypeInformation<T> type, T value) throws Exception {
        Table table = tables.fromDataStream(env.fromData(type, value));
        DataStream<T> back = tables.toDataStream(table, DataTypes.of(type));
        assertThat(back.executeAndCollect(2)).containsExactly(value);
    }
}
