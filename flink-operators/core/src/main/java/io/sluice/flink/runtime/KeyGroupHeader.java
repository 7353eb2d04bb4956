/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.apache.flink.annotation.Internal;

/**
 * What precedes the structure of a key group in a {@link KeyGroupedState}: one envelope of
 * io.sluice.filter.format, kind 0x4b47 ("KG"), version 2, no payload.
 *
 * <pre>
 *   parameters:  4 bytes  maximum parallelism
 *                4 bytes  key group
 *                1 byte   1 if a structure follows, 0 if there was none
 *                2 bytes  length of the layout's name
 *                n bytes  the layout's name, UTF-8
 *                4 bytes  length of the identity
 *                n bytes  {@link StateIdentity#bytes}
 * </pre>
 *
 * @param maxParallelism of the operator
 * @param keyGroup that the structure belongs to
 * @param hasStructure whether one follows
 * @param layout names everything that must be the same for the structure to be understood
 * @param identity see {@link StateIdentity#bytes}
 */
@Internal
@SuppressWarnings("ArrayRecordComponent") // never compared
public record KeyGroupHeader(
        int maxParallelism, int keyGroup, boolean hasStructure, String layout, byte[] identity) {

    /** The kind of the envelope. */
    public static final int KIND = 'K' << 8 | 'G';

    /** Version 1 had no identity, and is not read. */
    static final int VERSION = 2;

    private static final int FIXED_PARAMETER_BYTES = 3 * Integer.BYTES + 1 + Short.BYTES;

    /** Returns the same of a key group that has a structure. */
    public KeyGroupHeader withStructure() {
        return new KeyGroupHeader(maxParallelism, keyGroup, true, layout, identity);
    }

    /** Writes the envelope. The stream is neither flushed nor closed. */
    public void writeTo(OutputStream out) throws IOException {
        byte[] name = layout.getBytes(StandardCharsets.UTF_8);
        ByteBuffer parameters =
                ByteBuffer.allocate(FIXED_PARAMETER_BYTES + name.length + identity.length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(maxParallelism)
                        .putInt(keyGroup)
                        .put((byte) (hasStructure ? 1 : 0))
                        .putShort((short) name.length)
                        .put(name)
                        .putInt(identity.length)
                        .put(identity)
                        .flip();
        new FilterWriter(out, KIND, VERSION, parameters, 0).finish();
    }

    /**
     * Reads a header and not a byte more.
     *
     * @param source names operator and key group, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    public static KeyGroupHeader readFrom(InputStream in, String source) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION, VERSION);
        ByteBuffer parameters = reader.parameters();
        if (parameters.remaining() < FIXED_PARAMETER_BYTES) {
            throw reader.corrupt("the header of the key group is too short");
        }
        int maxParallelism = parameters.getInt();
        int keyGroup = parameters.getInt();
        boolean hasStructure = parameters.get() != 0;
        int nameLength = parameters.getShort() & 0xffff;
        if (nameLength > parameters.remaining() - Integer.BYTES) {
            throw reader.corrupt("the name of the layout ends behind the header");
        }
        String layout = reader.text(nameLength);
        if (parameters.getInt() != parameters.remaining()) {
            throw reader.corrupt("the identity does not end where the header does");
        }
        byte[] identity = new byte[parameters.remaining()];
        parameters.get(identity);
        reader.finish();
        return new KeyGroupHeader(maxParallelism, keyGroup, hasStructure, layout, identity);
    }
}
