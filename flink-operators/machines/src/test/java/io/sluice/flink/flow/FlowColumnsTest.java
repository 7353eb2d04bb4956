/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.RowContract;
import io.sluice.flink.SqlOutput;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** What SQL sees of flows and alerts. */
class FlowColumnsTest {

    private static final Address IPV4 = Address.ofIpv4(0x0a000001);
    private static final Address IPV6 = new Address(0x20010db8_00000000L, 1);

    private final SqlOutput output = new SqlOutput();

    @Test
    void finishedFlowsAreReadBySqlWithAndWithoutEnds() throws Exception {
        FinishedFlow ended =
                FinishedFlow.of(
                        5,
                        ConnState.SF,
                        FinishedFlow.Reason.ENDED,
                        15,
                        null,
                        new FlowTotals(
                                new Endpoints(IPV4, 50_000, IPV6, 443, 10, 20),
                                -7,
                                15,
                                2,
                                120,
                                1,
                                1_500));
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
                "responderPort INT NOT NULL",
                "vlan INT NOT NULL",
                "innerVlan INT NOT NULL",
                "firstMillis BIGINT NOT NULL",
                "lastMillis BIGINT NOT NULL",
                "originatorPackets BIGINT NOT NULL",
                "originatorBytes BIGINT NOT NULL",
                "responderPackets BIGINT NOT NULL",
                "responderBytes BIGINT NOT NULL");
        assertThat(
                        output.rows(
                                "SELECT flow, originator, originatorPort, responder, responderPort,"
                                    + " vlan, innerVlan FROM output WHERE state IN ('SF', 'S0')"))
                .containsExactlyInAnyOrder(
                        Row.of(5L, "10.0.0.1", 50_000, "2001:db8:0:0:0:0:0:1", 443, 10, 20),
                        Row.of(6L, null, -1, null, -1, 0, 0));
        assertThat(output.rows("SELECT lastMillis - firstMillis, responderBytes FROM output"))
                .containsExactlyInAnyOrder(Row.of(22L, 1_500L), Row.of(0L, -1L));
        assertThat(
                        output.rows(
                                "SELECT flow FROM output WHERE originator IS NULL AND reason ="
                                        + " 'TIMED_OUT'"))
                .containsExactly(Row.of(6L));
        output.roundTrip(FlowTypes.FINISHED_FLOW, ended);
        output.roundTrip(FlowTypes.FINISHED_FLOW, timedOut);
        RowContract.check(FlowTypes.FINISHED_FLOW, ended, timedOut);
        assertThat(ended.ends()).isEqualTo(new Endpoints(IPV4, 50_000, IPV6, 443, 10, 20));
        assertThat(timedOut.ends()).isNull();
        assertThat(ended.totals().responderBytes()).isEqualTo(1_500);
        assertThat(timedOut.totals()).isNull();
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
}
