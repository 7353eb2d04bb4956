/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.ConnState;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.flow.FlowTotals;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ZeekConnTest {
    private static final Endpoints ENDS =
            new Endpoints(Address.ofIpv4(0xc0000207), 50_123, new Address(1L << 61, 1), 443, 10, 0);
    private static final FinishedFlow WITH_TOTALS =
            FinishedFlow.of(
                    0xab,
                    ConnState.SF,
                    Reason.ENDED,
                    1_520_000_000_223L,
                    null,
                    new FlowTotals(ENDS, 1_520_000_000_023L, 1_520_000_000_223L, 5, 411, 4, 5_011));

    /** The first fields of the sample in Zeek's manual, and their types. */
    @Test
    void theFieldsAreThoseOfZeek() {
        List<String> header = ZeekConn.HEADER.lines().toList();
        assertThat(header.get(0)).isEqualTo("#separator \\x09");
        assertThat(header.get(5))
                .isEqualTo(
                        "#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto"
                            + "\tservice\tduration\torig_bytes\tresp_bytes\tconn_state\tlocal_orig"
                            + "\tlocal_resp\tmissed_bytes\thistory\torig_pkts\torig_ip_bytes"
                            + "\tresp_pkts\tresp_ip_bytes\ttunnel_parents\tcommunity_id\tvlan"
                            + "\tinner_vlan");
        assertThat(header.get(6))
                .isEqualTo(
                        "#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tinterval"
                                + "\tcount\tcount\tstring\tbool\tbool\tcount\tstring\tcount\tcount"
                                + "\tcount\tcount\tset[string]\tstring\tint\tint");
    }

    @Test
    void whatIsNotKnownIsADashAndLeftOutOfJson() throws IOException {
        String id = CommunityId.of(ENDS);
        assertThat(ZeekConn.tsv(WITH_TOTALS))
                .isEqualTo(
                        "1520000000.023000\t00000000000000ab\t192.0.2.7\t50123\t2000::1\t443\ttcp"
                                + "\t-\t0.200000\t-\t-\tSF\t-\t-\t-\t-\t5\t-\t4\t-\t-\t"
                                + id
                                + "\t10\t-");
        assertThat(ZeekConn.json(WITH_TOTALS))
                .isEqualTo(
                        "{\"ts\":1520000000.023000,\"uid\":\"00000000000000ab\","
                                + "\"id.orig_h\":\"192.0.2.7\",\"id.orig_p\":50123,"
                                + "\"id.resp_h\":\"2000::1\",\"id.resp_p\":443,\"proto\":\"tcp\","
                                + "\"duration\":0.200000,\"conn_state\":\"SF\",\"orig_pkts\":5,"
                                + "\"resp_pkts\":4,\"community_id\":\""
                                + id
                                + "\",\"vlan\":10}");
        JsonNode read = new ObjectMapper().readTree(ZeekConn.json(WITH_TOTALS));
        assertThat(read.path("ts").asDouble()).isEqualTo(1_520_000_000.023);
    }

    @Test
    void withoutTotalsAndEndsTheStateIsLeft() {
        FinishedFlow flow = FinishedFlow.of(-1, ConnState.S0, Reason.TIMED_OUT, 15, null);
        assertThat(ZeekConn.tsv(flow))
                .isEqualTo(
                        "-\tffffffffffffffff\t-\t-\t-\t-\ttcp"
                                + "\t-".repeat(4)
                                + "\tS0"
                                + "\t-".repeat(12));
        assertThat(ZeekConn.json(flow))
                .isEqualTo(
                        "{\"uid\":\"ffffffffffffffff\",\"proto\":\"tcp\",\"conn_state\":\"S0\"}");
    }

    @Test
    void timesBefore1970AreNegative() {
        FlowTotals totals = new FlowTotals(ENDS, -5, 0, 1, 40, 0, 0);
        FinishedFlow flow = FinishedFlow.of(1, ConnState.S0, Reason.TIMED_OUT, 15, null, totals);
        assertThat(ZeekConn.tsv(flow)).startsWith("-0.005000\t").contains("\t0.005000\t");
    }
}
