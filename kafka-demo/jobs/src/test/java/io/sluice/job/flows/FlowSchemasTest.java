/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.ConnState;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.flow.FlowAlert;
import io.sluice.job.GoldenTopics;
import io.sluice.kafka.TopicSchema;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** The form of flows and alerts on their topics. */
class FlowSchemasTest {
    private static final Address IPV4 = GoldenTopics.IPV4;
    private static final Address IPV6 = GoldenTopics.IPV6;

    /** The value with other quotes, for legibility. */
    private static <T> String value(TopicSchema<T> schema, T of, String key) throws IOException {
        return value(schema, of, key, 2);
    }

    private static <T> String value(TopicSchema<T> schema, T of, String key, int version)
            throws IOException {
        ProducerRecord<byte[], byte[]> record = schema.serialize(of, null, null);
        assertThat(record.topic()).isEqualTo("topic");
        assertThat(new String(record.key(), US_ASCII)).isEqualTo(key);
        assertThat(new ObjectMapper().readTree(record.value()).path("version").asInt())
                .isEqualTo(version);
        return new String(record.value(), US_ASCII).replace('"', '\'');
    }

    @Test
    void aFlowHasItsEndsIfAPacketEndedIt() throws IOException {
        FinishedFlowSchema schema = new FinishedFlowSchema("topic");
        Endpoints ends = new Endpoints(IPV4, 50_123, IPV6, 443, 10, 20);
        FinishedFlow ended = FinishedFlow.of(0xab, ConnState.SF, Reason.ENDED, 15, ends);
        FinishedFlow timedOut = FinishedFlow.of(-1, ConnState.S0, Reason.TIMED_OUT, 15, null);
        FinishedFlow open = FinishedFlow.of(0, ConnState.S1, Reason.END_OF_INPUT, 15, null);
        assertThat(value(schema, ended, "00000000000000ab", 6))
                .isEqualTo(
                        "{'version':6,'state':'SF','reason':'ended','timestamp':15,"
                                + "'protocol':'tcp','originator':'192.0.2.7',"
                                + "'originatorPort':50123,'responder':'2001:db8::1',"
                                + "'responderPort':443,'communityId':'"
                                + CommunityId.of(ends)
                                + "','vlan':10,'innerVlan':20}");
        assertThat(value(schema, timedOut, "ffffffffffffffff", 6))
                .isEqualTo(
                        "{'version':6,'state':'S0','reason':'timed-out','timestamp':15,"
                                + "'protocol':'tcp'}");
        assertThat(value(schema, open, "0000000000000000", 6))
                .isEqualTo(
                        "{'version':6,'state':'S1','reason':'end-of-input','timestamp':15,"
                                + "'protocol':'tcp'}");
    }

    @Test
    void alertsSayWhatAndWho() throws IOException {
        FlowAlert both = FlowAlert.of(FlowAlert.Kind.FIN_AND_RST, 1, 4, 15);
        assertThat(value(new FlowAlertSchema("topic"), both, "0000000000000001"))
                .isEqualTo("{'version':2,'alert':'fin-and-rst','flags':4,'timestamp':15}");
    }

    /** Key and value of a line of a golden file. */
    private record GoldenRecord(String key, JsonNode value) {

        static GoldenRecord of(String line) throws IOException {
            int space = line.indexOf(' ');
            JsonNode value = new ObjectMapper().readTree(line.substring(space + 1));
            return new GoldenRecord(line.substring(0, space), value);
        }

        void has(String field, Object expected) {
            assertThat(value.path(field).asText()).as(field).isEqualTo(expected.toString());
        }
    }

    @Test
    void theGoldenFlowsSayWhatTheyAre() throws IOException {
        GoldenTopics.assertStillWritten(GoldenTopics.FLOWS, GoldenTopics.flowLines());
        List<String> lines = GoldenTopics.golden(GoldenTopics.FLOWS);
        for (int i = 0; i < lines.size(); i++) {
            GoldenRecord record = GoldenRecord.of(lines.get(i));
            FinishedFlow flow = GoldenTopics.flows().get(i);
            assertThat(Long.parseUnsignedLong(record.key(), 16)).isEqualTo(flow.flow());
            record.has("version", 6);
            record.has("state", flow.state());
            record.has("reason", FlowAlertSchema.name(flow.reason()));
            record.has("timestamp", flow.millis());
            record.has("protocol", "tcp");
            if (flow.totals() != null) {
                record.has("firstTimestamp", flow.firstMillis());
                record.has("lastTimestamp", flow.lastMillis());
                record.has("originatorPackets", flow.originatorPackets());
                record.has("originatorBytes", flow.originatorBytes());
                record.has("responderPackets", flow.responderPackets());
                record.has("responderBytes", flow.responderBytes());
            }
            if (flow.ends() == null) {
                assertThat(record.value()).hasSize(5);
            } else {
                assertThat(record.value())
                        .hasSize(
                                10
                                        + (flow.vlan() > 0 ? 1 : 0)
                                        + (flow.innerVlan() > 0 ? 1 : 0)
                                        + (flow.totals() == null ? 0 : 6));
                record.has("originator", FinishedFlowSchema.text(flow.ends().from()));
                record.has("originatorPort", flow.ends().fromPort());
                record.has("responder", FinishedFlowSchema.text(flow.ends().to()));
                record.has("responderPort", flow.ends().toPort());
                record.has("communityId", CommunityId.of(flow.ends()));
                assertThat(record.value().path("vlan").asInt()).isEqualTo(flow.vlan());
                assertThat(record.value().path("innerVlan").asInt()).isEqualTo(flow.innerVlan());
            }
        }
    }

    @Test
    void theGoldenAlertsSayWhatTheyAre() throws IOException {
        GoldenTopics.assertStillWritten(GoldenTopics.ALERTS, GoldenTopics.alertLines());
        List<String> lines = GoldenTopics.golden(GoldenTopics.ALERTS);
        int at = 0;
        for (FlowAlert alert : GoldenTopics.flowAlerts()) {
            GoldenRecord record = GoldenRecord.of(lines.get(at++));
            assertThat(Long.parseUnsignedLong(record.key(), 16)).isEqualTo(alert.flow());
            record.has("version", 2);
            record.has("alert", FlowAlertSchema.name(alert.kind()));
            record.has("flags", alert.flags());
            record.has("timestamp", alert.millis());
        }
        assertThat(lines).hasSize(at);
    }
}
