/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class KeyGroupHeaderTest {

    private static KeyGroupHeader readWithLayout(byte[] layout) throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(15 + layout.length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(128)
                        .putInt(7)
                        .put((byte) 1)
                        .putShort((short) layout.length)
                        .put(layout)
                        .putInt(0)
                        .flip();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new FilterWriter(out, KeyGroupHeader.KIND, KeyGroupHeader.VERSION, parameters, 0).finish();
        return KeyGroupHeader.readFrom(new ByteArrayInputStream(out.toByteArray()), "state");
    }

    @Test
    void theNameOfTheLayoutIsText() throws IOException {
        KeyGroupHeader header = readWithLayout("größe".getBytes(StandardCharsets.UTF_8));
        assertThat(header.layout()).isEqualTo("größe");
        assertThatThrownBy(() -> readWithLayout("größe".getBytes(StandardCharsets.ISO_8859_1)))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessage("state, offset " + (32 + 11 + 2) + ": a text that is not UTF-8");
    }
}
