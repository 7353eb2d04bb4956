/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Structures that are texts, and count how many of them are pinned. */
final class Texts implements KeyGroupedState.Handler<String> {
    private int created;
    private int pins;
    private int closed;

    /** That pin fails. */
    int failAt = Integer.MAX_VALUE;

    @Override
    public String create() {
        return "text ".repeat(100) + created++;
    }

    @Override
    public void write(String text, OutputStream out) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String read(InputStream in, String source) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public PinnedStructure pin(String text) throws IOException {
        if (pins == failAt) {
            throw new IOException("cannot be pinned");
        }
        pins++;
        return new PinnedStructure() {
            private boolean open = true;

            @Override
            public void writeTo(OutputStream out) throws IOException {
                assertThat(open).isTrue();
                write(text, out);
            }

            @Override
            public long copiedBytes() {
                return 0;
            }

            @Override
            public void close() {
                closed += open ? 1 : 0;
                open = false;
            }
        };
    }

    void allPinsAreClosed() {
        assertThat(pins).isPositive();
        assertThat(closed).isEqualTo(pins);
    }

    void noPinIsClosed() {
        assertThat(pins).isPositive();
        assertThat(closed).isZero();
    }

    int pins() {
        return pins;
    }

    int closedPins() {
        return closed;
    }
}
