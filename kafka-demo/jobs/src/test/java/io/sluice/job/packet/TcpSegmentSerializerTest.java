/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Endpoints;
import io.sluice.record.FlowKey;
import io.sluice.record.FlowKind;
import io.sluice.record.PacketRecord;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class TcpSegmentSerializerTest {
    /** TCP with all flags, from the lower end. */
    private static final int IPV4 = 0x3ff;

    private static final int IPV6 = 0x7ff;
    private static final int PORTS = 50_000 << 16 | 65_535;

    private final TcpSegmentSerializer serializer = TcpSegmentSerializer.INSTANCE;

    @Test
    void segmentsComeBackWithTheirEnds() throws IOException {
        TcpSegment ipv4 =
                new TcpSegment()
                        .set(-5, IPV4)
                        .setVlans(4095 << 16 | 7)
                        .setBytes(1_500)
                        .setEnds(0, 0xffff_fffeL, 0, 1, PORTS);
        TcpSegment ipv6 = new TcpSegment().set(-5, IPV6).setEnds(-1, -2, 3, 4, PORTS);
        TcpSegment other = new TcpSegment().set(-5, 0);
        assertThat(bytes(ipv4)).hasSize(30);
        assertThat(bytes(ipv6)).hasSize(54);
        assertThat(bytes(other)).hasSize(10);

        TcpSegment reused = new TcpSegment();
        for (TcpSegment each : new TcpSegment[] {ipv4, ipv6, other, ipv4}) {
            assertThat(serializer.deserialize(reused, new DataInputDeserializer(bytes(each))))
                    .isSameAs(reused)
                    .isEqualTo(each)
                    .isEqualTo(serializer.copy(each))
                    .isNotEqualTo(new TcpSegment().set(-5, IPV4));
            assertThat(reused.isTcp()).isEqualTo(each.isTcp());
            if (each.isTcp()) {
                assertThat(reused.endpoints()).isEqualTo(each.endpoints());
                assertThat(reused.flags()).isEqualTo(0xff);
                assertThat(reused.bytes()).isEqualTo(each.bytes());
            }
            DataOutputSerializer copy = new DataOutputSerializer(16);
            serializer.copy(new DataInputDeserializer(bytes(each)), copy);
            assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes(each));
        }
        assertThat(ipv4.endpoints())
                .isEqualTo(
                        new Endpoints(
                                Address.ofIpv4(-2), 50_000, Address.ofIpv4(1), 65_535, 4095, 7));
        assertThat(ipv6.endpoints().from()).isEqualTo(new Address(-1, -2));
    }

    @Test
    void aPacketThatIsNotTcpHasOnlyItsFlow() {
        PacketRecord marker = PacketRecord.marker(1);
        TcpSegment segment =
                new TcpSegment().set(-5, IPV6).set(new FlowKey(FlowKind.PAIR, true), marker);

        assertThat(segment.isTcp()).isFalse();
        assertThat(segment.flow()).isEqualTo(FlowKind.PAIR.flowOf(marker));
    }

    private byte[] bytes(TcpSegment segment) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(segment, out);
        return out.getCopyOfBuffer();
    }
}
