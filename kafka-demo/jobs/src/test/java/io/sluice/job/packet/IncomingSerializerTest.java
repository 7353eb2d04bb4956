/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.job.Rejected;
import io.sluice.record.PacketRecord;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class IncomingSerializerTest {
    private static final Incoming PACKET = packet(1_520_000_000_000L);
    private static final Incoming REJECTED =
            Incoming.of(new Rejected("foreign", "packets", 3, 77, 5, null, new byte[] {1, 2}));

    private final IncomingSerializer serializer = IncomingSerializer.INSTANCE;

    private static Incoming packet(long timestampNanos) {
        Incoming packet = new Incoming();
        packet.packet().set(PacketRecord.marker(timestampNanos));
        return packet;
    }

    @Test
    void packetsAndRejectedBytesComeBack() throws IOException {
        assertThat(serializer.deserialize(new DataInputDeserializer(bytes(PACKET))))
                .isEqualTo(PACKET)
                .isNotEqualTo(packet(1));
        assertThat(serializer.deserialize(new DataInputDeserializer(bytes(REJECTED))))
                .isEqualTo(REJECTED)
                .isNotEqualTo(PACKET);
    }

    @Test
    void aReusedInstanceForgetsWhatItWas() throws IOException {
        Incoming reused = serializer.copy(REJECTED);

        Incoming read = serializer.deserialize(reused, new DataInputDeserializer(bytes(PACKET)));

        assertThat(read).isSameAs(reused).isEqualTo(PACKET);
        assertThat(read.rejected()).isNull();
    }

    @Test
    void onlyPacketsHaveATime() {
        assertThat(PACKET.timestampMillis()).isEqualTo(1_520_000);
        assertThat(REJECTED.timestampMillis()).isEqualTo(Incoming.NO_TIMESTAMP);
    }

    @Test
    void copyingBytesIsTheSameAsReadingAndWriting() throws IOException {
        for (Incoming incoming : new Incoming[] {PACKET, REJECTED}) {
            DataOutputSerializer copy = new DataOutputSerializer(16);
            serializer.copy(new DataInputDeserializer(bytes(incoming)), copy);
            assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes(incoming));
        }
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

    private byte[] bytes(Incoming incoming) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(incoming, out);
        return out.getCopyOfBuffer();
    }
}
