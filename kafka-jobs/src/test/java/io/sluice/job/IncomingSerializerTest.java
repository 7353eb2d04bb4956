/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Endpoints;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class IncomingSerializerTest {
    private static final Incoming OPERATION = new Incoming().set(-5, Long.MAX_VALUE, 1_520_000);
    private static final Incoming REJECTED =
            Incoming.of(new Rejected("foreign", "packets", 3, 77, null, new byte[] {1, 2}));

    private final IncomingSerializer serializer = IncomingSerializer.INSTANCE;

    @Test
    void operationsAndRejectedBytesComeBack() throws IOException {
        assertThat(serializer.deserialize(new DataInputDeserializer(bytes(OPERATION))))
                .isEqualTo(OPERATION);
        assertThat(serializer.deserialize(new DataInputDeserializer(bytes(REJECTED))))
                .isEqualTo(REJECTED);
    }

    @Test
    void aReusedInstanceForgetsWhatItWas() throws IOException {
        Incoming reused = serializer.copy(REJECTED);

        Incoming read = serializer.deserialize(reused, new DataInputDeserializer(bytes(OPERATION)));

        assertThat(read).isSameAs(reused).isEqualTo(OPERATION);
        assertThat(read.rejected()).isNull();
    }

    @Test
    void copyingBytesIsTheSameAsReadingAndWriting() throws IOException {
        for (Incoming incoming : new Incoming[] {OPERATION, REJECTED}) {
            DataOutputSerializer copy = new DataOutputSerializer(16);
            serializer.copy(new DataInputDeserializer(bytes(incoming)), copy);
            assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes(incoming));
        }
    }

    @Test
    void aSegmentOfAFlowComesBackWithItsEnds() throws IOException {
        int ports = 50_000 << 16 | 65_535;
        int segment = Reduction.IS_SEGMENT | 0xff;
        Incoming ipv4 =
                new Incoming()
                        .setSegment(-5, 9, segment)
                        .setEnds(false, 0, 0xffff_fffeL, 0, 1, ports);
        Incoming ipv6 =
                new Incoming().setSegment(-5, 9, segment).setEnds(true, -1, -2, 3, 4, ports);
        assertThat(bytes(ipv4)).hasSize(31);
        assertThat(bytes(ipv6)).hasSize(55);
        Incoming reused = serializer.copy(OPERATION);
        for (Incoming each : new Incoming[] {ipv4, ipv6, ipv4}) {
            assertThat(serializer.deserialize(reused, new DataInputDeserializer(bytes(each))))
                    .isEqualTo(each)
                    .isEqualTo(serializer.copy(each))
                    .isNotEqualTo(new Incoming().set(-5, 0, 9));
            assertThat(reused.endpoints()).isEqualTo(each.endpoints());
            DataOutputSerializer copy = new DataOutputSerializer(16);
            serializer.copy(new DataInputDeserializer(bytes(each)), copy);
            assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes(each));
        }
        assertThat(ipv4).isNotEqualTo(ipv6);
        assertThat(ipv4.endpoints())
                .isEqualTo(new Endpoints(Address.ofIpv4(-2), 50_000, Address.ofIpv4(1), 65_535));
        assertThat(ipv6.endpoints().from()).isEqualTo(new Address(-1, -2));
        assertThat(serializer.deserialize(reused, new DataInputDeserializer(bytes(OPERATION))))
                .isEqualTo(OPERATION);
    }

    @Test
    void aRecordOfAnUnknownKindIsRefused() {
        assertThatThrownBy(
                        () ->
                                serializer.deserialize(
                                        new DataInputDeserializer(new byte[] {2, 0, 0})))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("2");
    }

    @Test
    void anOperationTakes25Bytes() throws IOException {
        assertThat(bytes(OPERATION)).hasSize(25);
    }

    @Test
    void optionsThatExcludeEachOtherAreRefused() {
        assertThatThrownBy(
                        () ->
                                CountersOptions.parse(
                                        "--bootstrap-servers=b:1",
                                        "--input-topic=same",
                                        "--output-topic=same"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--output-topic")
                .hasMessageContaining("'same'");
        assertThatThrownBy(
                        () ->
                                CountersOptions.parse(
                                        "--bootstrap-servers=b:1",
                                        "--checkpoint-interval=1h",
                                        "--transaction-timeout=1min"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--transaction-timeout");
    }

    private byte[] bytes(Incoming incoming) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(incoming, out);
        return out.getCopyOfBuffer();
    }
}
