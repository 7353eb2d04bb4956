/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Text on its way: its length in bytes, and UTF-8. Text that UTF-8 does not have, with half a pair
 * of surrogates, is its length in characters, negated, and these. Stateless.
 */
final class WireText {

    private WireText() {}

    static void write(String text, DataOutput to) throws IOException {
        if (UTF_8.newEncoder().canEncode(text)) {
            write(text.getBytes(UTF_8), to);
        } else {
            to.writeInt(-text.length());
            to.writeChars(text);
        }
    }

    /**
     * Reads text from a message that is in memory.
     *
     * @throws IOException if it would be longer than the message
     */
    static String read(DataInputStream from) throws IOException {
        int length = from.readInt();
        if (length >= 0) {
            return new String(bytes(length, from), UTF_8);
        }
        ByteBuffer characters = ByteBuffer.wrap(bytes(-(long) length * Character.BYTES, from));
        return characters.asCharBuffer().toString();
    }

    /** Writes bytes that {@link #bytes} reads. */
    static void write(byte[] bytes, DataOutput to) throws IOException {
        to.writeInt(bytes.length);
        to.write(bytes);
    }

    /** Reads bytes from a message that is in memory. */
    static byte[] bytes(DataInputStream from) throws IOException {
        return bytes(from.readInt(), from);
    }

    private static byte[] bytes(long length, DataInputStream from) throws IOException {
        if (length < 0 || length > from.available()) {
            throw new IOException(
                    "the other side sent a message that ends inside " + length + " bytes");
        }
        byte[] bytes = new byte[(int) length];
        from.readFully(bytes);
        return bytes;
    }

    /**
     * Reads a number of things that follow.
     *
     * @param least bytes that each takes
     */
    static int count(DataInputStream from, int least) throws IOException {
        int count = from.readInt();
        if (count < 0 || (long) count * least > from.available()) {
            throw new IOException("the other side sent a message that ends inside a list");
        }
        return count;
    }
}
