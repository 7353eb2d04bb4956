/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.RowContract;
import io.sluice.flink.SqlOutput;
import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Attempt;
import io.sluice.flink.flow.ConnState;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowAlert;
import io.sluice.flink.flow.FlowTypes;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.CompositeType;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** What SQL sees of flows, attempts and alerts. */
class FlowColumnsTest {

    private static final Address IPV4 = Address.ofIpv4(0x0a000001);
    private static final Address IPV6 = new Address(0x20010db8_00000000L, 1);

    private final SqlOutput output = new SqlOutput();

    @Test
    void alertsOfAttacksAreReadBySql() throws Exception {
        AttackAlert flood =
                new AttackAlert(AttackKind.SYN_FLOOD, true, IPV4, 443, 9, 1, 2, 0, 10, 20);
        AttackAlert scan = new AttackAlert(AttackKind.SCAN, false, IPV6, -1, 8, 0, 3, 7, 11, 21);
        output.columns(
                output.env.fromData(AttackTypes.ATTACK_ALERT, flood, scan),
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
                        output.rows(
                                "SELECT address, port, raised, attempts - completed, firstMillis"
                                        + " FROM output WHERE kind = 'SYN_FLOOD'"))
                .containsExactly(Row.of("10.0.0.1", 443, true, 8L, 10L));
        output.roundTrip(AttackTypes.ATTACK_ALERT, flood);
        output.roundTrip(AttackTypes.ATTACK_ALERT, scan);
    }

    @Test
    void finishedFlowsAreReadBySqlWithAndWithoutEnds() throws Exception {
        FinishedFlow ended =
                FinishedFlow.of(
                        5,
                        ConnState.SF,
                        FinishedFlow.Reason.ENDED,
                        15,
                        new Endpoints(IPV4, 50_000, IPV6, 443));
        FinishedFlow timedOut =
                FinishedFlow.of(6, ConnState.S0, FinishedFlow.Reason.TIMED_OUT, 16, null);
        output.columns(
                output.env.fromData(FlowTypes.FINISHED_FLOW, ended, timedOut),
                "flow BIGINT NOT NULL",
                "state STRING",
                "reason STRING",
                "millis BIGINT NOT NULL",
                "originator STRING",
                "originatorPort INT NOT NULL",
                "responder STRING",
                "responderPort INT NOT NULL");
        assertThat(
                        output.rows(
                                "SELECT flow, originator, originatorPort, responder, responderPort"
                                        + " FROM output WHERE state IN ('SF', 'S0')"))
                .containsExactlyInAnyOrder(
                        Row.of(5L, "10.0.0.1", 50_000, "2001:db8:0:0:0:0:0:1", 443),
                        Row.of(6L, null, -1, null, -1));
        assertThat(
                        output.rows(
                                "SELECT flow FROM output WHERE originator IS NULL AND reason ="
                                        + " 'TIMED_OUT'"))
                .containsExactly(Row.of(6L));
        output.roundTrip(FlowTypes.FINISHED_FLOW, ended);
        output.roundTrip(FlowTypes.FINISHED_FLOW, timedOut);
        RowContract.check(FlowTypes.FINISHED_FLOW, ended, timedOut);
        assertThat(ended.ends()).isEqualTo(new Endpoints(IPV4, 50_000, IPV6, 443));
        assertThat(timedOut.ends()).isNull();
    }

    @Test
    void alertsOfFlowsAreReadBySql() throws Exception {
        FlowAlert alert = FlowAlert.of(FlowAlert.Kind.FIN_AND_RST, 3, 5, 17);
        output.columns(
                output.env.fromData(FlowTypes.FLOW_ALERT, alert),
                "kind STRING",
                "flow BIGINT NOT NULL",
                "flags INT NOT NULL",
                "millis BIGINT NOT NULL");
        assertThat(output.rows("SELECT flags + 1, millis FROM output WHERE kind LIKE '%RST'"))
                .containsExactly(Row.of(6, 17L));
        output.roundTrip(FlowTypes.FLOW_ALERT, alert);
        RowContract.check(FlowTypes.FLOW_ALERT, alert);
    }

    @Test
    void attemptsAreReadBySql() throws Exception {
        Attempt attempt = new Attempt(Attempt.Kind.REFUSED, IPV4, IPV6, 443, 18);
        output.columns(
                output.env.fromData(FlowTypes.ATTEMPT, attempt),
                "kind STRING",
                "source STRING",
                "target STRING",
                "port INT NOT NULL",
                "millis BIGINT NOT NULL");
        assertThat(
                        output.rows(
                                "SELECT source, target, port, millis FROM output WHERE kind ="
                                        + " 'REFUSED'"))
                .containsExactly(Row.of("10.0.0.1", "2001:db8:0:0:0:0:0:1", 443, 18L));
        output.roundTrip(FlowTypes.ATTEMPT, attempt);
    }

    @Test
    void partsOfAttemptsAreFoundByName() {
        CompositeType<Attempt> type = (CompositeType<Attempt>) FlowTypes.ATTEMPT;

        assertThat(type.getTotalFields()).isEqualTo(5);
        assertThat(type.<Object>getTypeAt("port")).isEqualTo(Types.INT);
        assertThat(type.getFlatFields("*"))
                .extracting(CompositeType.FlatFieldDescriptor::getPosition)
                .containsExactly(0, 1, 2, 3, 4);
        assertThat(type.getFlatFields("millis").get(0).getPosition()).isEqualTo(4);
        assertThatThrownBy(() -> type.getTypeAt("nothing"))
                .hasMessageContaining("no column 'nothing'")
                .hasMessageContaining("millis");
    }
}
