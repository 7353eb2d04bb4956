/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    void aSegmentOfAFlowTakes27BytesAndComesBack() throws IOException {
        Incoming segment = new Incoming().set(-5, 7, 9, Reduction.IS_SEGMENT | 0xff);
        assertThat(bytes(segment)).hasSize(27);
        Incoming reused = serializer.copy(OPERATION);
        assertThat(serializer.deserialize(reused, new DataInputDeserializer(bytes(segment))))
                .isEqualTo(segment)
                .isNotEqualTo(new Incoming().set(-5, 7, 9));
        DataOutputSerializer copy = new DataOutputSerializer(16);
        serializer.copy(new DataInputDeserializer(bytes(segment)), copy);
        assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes(segment));
        assertThat(serializer.deserialize(segment, new DataInputDeserializer(bytes(OPERATION))))
                .isEqualTo(OPERATION);
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
