/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Persistent form of a {@link CountingCuckooFilter}: an envelope ({@link io.sluice.filter.format})
 * of kind {@value #KIND}.
 *
 * <pre>
 *   parameters: bits of a fingerprint (4), bits of a counter (4), buckets (8)
 *   payload:    the words of {@link CuckooBuckets}
 * </pre>
 */
final class CountingCuckooFilterFormat {

    static final int KIND = 4;

    /** Slots hold mixed hashes; in the first version they held hashes as they were given. */
    static final int VERSION_2 = 2;

    static final int VERSION_CURRENT = VERSION_2;

    private static final int BYTES = 2 * Integer.BYTES + Long.BYTES;

    private CountingCuckooFilterFormat() {}

    static void write(CuckooBuckets buckets, OutputStream out) throws IOException {
        CuckooShape shape = buckets.shape();
        ByteBuffer parameters =
                ByteBuffer.allocate(BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(shape.fingerprintBits())
                        .putInt(shape.counterBits())
                        .putLong(shape.buckets())
                        .flip();
        FilterWriter writer =
                new FilterWriter(
                        out, KIND, VERSION_CURRENT, parameters, shape.words() * Long.BYTES);
        buckets.words().writeTo(writer);
        writer.finish();
    }

    static CountingCuckooFilter read(InputStream in, String source, Storage storage)
            throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_CURRENT, VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        if (from.remaining() != BYTES) {
            throw reader.corrupt(from.remaining() + " bytes of parameters, expected " + BYTES);
        }
        CuckooShape shape;
        try {
            shape = new CuckooShape(from.getInt(), from.getInt(), from.getLong());
        } catch (IllegalArgumentException e) {
            throw reader.corrupt("an impossible shape: " + e.getMessage());
        }
        Words words = Words.readFrom(reader, storage, shape.words());
        try {
            reader.finish();
            return sound(new CuckooBuckets(shape, words), reader);
        } catch (IOException | RuntimeException | Error e) {
            words.release();
            throw e;
        }
    }

    private static CountingCuckooFilter sound(CuckooBuckets buckets, FilterReader reader)
            throws IOException {
        long occupied = buckets.occupiedIfSound();
        if (occupied < 0) {
            throw reader.corrupt("a slot with a fingerprint and no count, or the reverse");
        }
        if (buckets.hasBitsBehind()) {
            throw reader.corrupt("bits are set beyond the last bucket");
        }
        return new CountingCuckooFilter(buckets, occupied, true);
    }
}
