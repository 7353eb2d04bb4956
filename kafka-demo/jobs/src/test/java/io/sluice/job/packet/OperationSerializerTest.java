/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class OperationSerializerTest {
    private static final Operation OPERATION = new Operation().set(-5, Long.MAX_VALUE);

    private final OperationSerializer serializer = OperationSerializer.INSTANCE;

    @Test
    void anOperationComesBack() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(16);
        serializer.serialize(OPERATION, out);
        byte[] bytes = out.getCopyOfBuffer();
        Operation reused = new Operation();

        assertThat(bytes).hasSize(serializer.getLength());
        assertThat(serializer.deserialize(reused, new DataInputDeserializer(bytes)))
                .isSameAs(reused)
                .isEqualTo(OPERATION)
                .isEqualTo(serializer.copy(OPERATION))
                .isNotEqualTo(new Operation());
        DataOutputSerializer copy = new DataOutputSerializer(16);
        serializer.copy(new DataInputDeserializer(bytes), copy);
        assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes);
    }
}
