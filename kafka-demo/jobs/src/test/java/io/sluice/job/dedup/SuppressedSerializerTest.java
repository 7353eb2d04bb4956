/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SerializerTestBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.junit.jupiter.api.Test;

/** Flink's own suite for serializers, and damaged bytes. */
class SuppressedSerializerTest extends SerializerTestBase<Suppressed> {
    @Override
    protected TypeSerializer<Suppressed> createSerializer() {
        return SuppressedSerializer.INSTANCE;
    }

    @Override
    protected int getLength() {
        return -1;
    }

    @Override
    protected Class<Suppressed> getTypeClass() {
        return Suppressed.class;
    }

    @Override
    protected Suppressed[] getTestData() {
        return new Suppressed[] {
            new Suppressed(".a", 1, 2, 3, "t", 4, 5),
            new Suppressed("#\u00ff\u0000", Long.MAX_VALUE, -1, 1L << 60, "orders", 0, 1L << 40)
        };
    }

    @Test
    void whatNoReleaseWroteIsRefused() {
        assertThatThrownBy(() -> createSerializer().deserialize(input(2)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 2");
        assertThatThrownBy(() -> createSerializer().deserialize(input(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a count of 0");
    }

    private static DataInputDeserializer input(int version) {
        byte[] bytes = new byte[64];
        bytes[0] = (byte) version;
        return new DataInputDeserializer(bytes);
    }
}
