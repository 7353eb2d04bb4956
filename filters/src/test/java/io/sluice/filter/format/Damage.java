/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import static org.assertj.core.api.Assertions.fail;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reading is total: whatever happened to the bytes, it throws one of two exceptions, and nothing
 * else.
 */
public final class Damage {

    /** A reader that is tried on damaged bytes. */
    public interface Reader {
        Object read(InputStream in, String source) throws IOException;
    }

    private Damage() {}

    /**
     * Flips every byte of {@code bytes} (all its bits, and its lowest), cuts every prefix, and
     * demands that {@code reader} refuses each.
     */
    public static void isAlwaysRefused(byte[] bytes, Reader reader) {
        for (int i = 0; i < bytes.length; i++) {
            isRefused(flipped(bytes, i, 0xff), reader, "all bits of byte " + i + " flipped");
            isRefused(flipped(bytes, i, 1), reader, "lowest bit of byte " + i + " flipped");
            isRefused(Arrays.copyOf(bytes, i), reader, "cut to " + i + " bytes");
        }
    }

    private static byte[] flipped(byte[] bytes, int at, int mask) {
        byte[] flipped = bytes.clone();
        flipped[at] ^= (byte) mask;
        return flipped;
    }

    private static void isRefused(byte[] bytes, Reader reader, String what) {
        Object value;
        try {
            value = reader.read(new ByteArrayInputStream(bytes), "damaged");
        } catch (CorruptFilterException | UnsupportedFormatException expected) {
            return;
        } catch (IOException | RuntimeException e) {
            throw new AssertionError(what + ": neither of the two exceptions", e);
        }
        fail("%s: read as %s", what, value);
    }
}
