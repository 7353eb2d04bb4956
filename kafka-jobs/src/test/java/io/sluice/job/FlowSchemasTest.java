/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.attack.AttackAlert;
import io.sluice.flink.attack.AttackKind;
import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.ConnState;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.flow.FlowAlert;
import java.io.IOException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** The form of flows and alerts on their topics. */
class FlowSchemasTest {
    private static final Address IPV4 = Address.ofIpv4(0xc0000207);
    private static final Address IPV6 = new Address(0x20010db8L << 32, 1);

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
        Endpoints ends = new Endpoints(IPV4, 50_123, IPV6, 443);
        FinishedFlow ended = new FinishedFlow(0xab, ConnState.SF, Reason.ENDED, 15, ends);
        FinishedFlow timedOut = new FinishedFlow(-1, ConnState.S0, Reason.TIMED_OUT, 15, null);
        FinishedFlow open = new FinishedFlow(0, ConnState.S1, Reason.END_OF_INPUT, 15, null);
        assertThat(value(schema, ended, "00000000000000ab", 3))
                .isEqualTo(
                        "{'version':3,'state':'SF','reason':'ended','timestamp':15,"
                                + "'protocol':'tcp','originator':'192.0.2.7',"
                                + "'originatorPort':50123,'responder':'2001:db8::1',"
                                + "'responderPort':443}");
        assertThat(value(schema, timedOut, "ffffffffffffffff", 3))
                .isEqualTo(
                        "{'version':3,'state':'S0','reason':'timed-out','timestamp':15,"
                                + "'protocol':'tcp'}");
        assertThat(value(schema, open, "0000000000000000", 3))
                .isEqualTo(
                        "{'version':3,'state':'S1','reason':'end-of-input','timestamp':15,"
                                + "'protocol':'tcp'}");
    }

    @Test
    void alertsSayWhatAndWho() throws IOException {
        FlowAlert both = new FlowAlert(FlowAlert.Kind.FIN_AND_RST, 1, 4, 15);
        assertThat(value(new FlowAlertSchema("topic"), both, "0000000000000001"))
                .isEqualTo("{'version':2,'alert':'fin-and-rst','flags':4,'timestamp':15}");
        AttackAlertSchema attacks = new AttackAlertSchema("topic");
        AttackAlert flood =
                new AttackAlert(AttackKind.SYN_FLOOD, true, IPV4, 80, 9, 1, 2, 0, 14, 15);
        AttackAlert scan = new AttackAlert(AttackKind.SCAN, false, IPV6, -1, 9, 1, 2, 7, 14, 15);
        assertThat(value(attacks, flood, "192.0.2.7"))
                .isEqualTo(
                        "{'version':2,'alert':'syn-flood','status':'raised',"
                                + "'address':'192.0.2.7','port':80,'attempts':9,"
                                + "'completed':1,'refused':2,'first':14,'timestamp':15}");
        assertThat(value(attacks, scan, "2001:db8::1"))
                .isEqualTo(
                        "{'version':2,'alert':'scan','status':'cleared',"
                                + "'address':'2001:db8::1','targets':7,'attempts':9,"
                                + "'completed':1,'refused':2,'first':14,'timestamp':15}");
    }

    @Test
    void optionsOfAttacksAreCheckedWithTheOthers() {
        assertThatThrownBy(
                        () -> FlowsOptions.parse("--bootstrap-servers=b:1", "--scan-window=10 min"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("quiet");
    }
}
