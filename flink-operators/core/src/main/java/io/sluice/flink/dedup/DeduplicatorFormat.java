/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What precedes the filter in the persistent form of a {@link Deduplicator}: one envelope of kind
 * 0x4444 ("DD"), version 3.
 *
 * <pre>
 *   parameters:  8 bytes  lag of the clock behind the wall clock
 *                8 bytes  {@link Deduplicator#exactSince}
 *                8 bytes  the sample's firsts
 *                8 bytes  the sample's dropped
 *                8 bytes  the sample's missed
 *                8 bytes  the clock from which the sample counts
 *                4 bytes  the sample's shift
 *   payload:     the sample's entries, two words each
 * </pre>
 */
final class DeduplicatorFormat {

    static final int KIND = 'D' << 8 | 'D';

    private static final int VERSION = 4;

    private static final int PARAMETER_BYTES = 6 * Long.BYTES + Integer.BYTES;

    private static final int MAX_SHIFT = 63;

    /** More than any sample reaches: a reader that goes on counting from here does not overflow. */
    private static final long MAX_COUNT = 1L << 62;

    private static final int ENTRY_BYTES = 2 * Long.BYTES;

    private DeduplicatorFormat() {}

    /** The parameters. */
    record Header(
            long lag,
            long exactSince,
            long firsts,
            long dropped,
            long missed,
            long countsFrom,
            int shift) {

        void writeTo(OutputStream out, long[] entries) throws IOException {
            ByteBuffer parameters =
                    ByteBuffer.allocate(PARAMETER_BYTES)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(lag)
                            .putLong(exactSince)
                            .putLong(Math.min(firsts, MAX_COUNT))
                            .putLong(Math.min(dropped, MAX_COUNT))
                            .putLong(Math.min(missed, MAX_COUNT))
                            .putLong(countsFrom)
                            .putInt(shift)
                            .flip();
            FilterWriter writer =
                    new FilterWriter(
                            out, KIND, VERSION, parameters, (long) entries.length * Long.BYTES);
            writer.words(entries, 0, entries.length);
            writer.finish();
        }
    }

    static FilterReader open(InputStream in, String source) throws IOException {
        return new FilterReader(in, source, KIND, VERSION, VERSION);
    }

    static Header header(FilterReader reader) throws IOException {
        ByteBuffer parameters = reader.parameters();
        if (parameters.remaining() != PARAMETER_BYTES) {
            throw reader.corrupt(
                    "has "
                            + parameters.remaining()
                            + " bytes of parameters, not "
                            + PARAMETER_BYTES);
        }
        Header header =
                new Header(
                        parameters.getLong(),
                        parameters.getLong(),
                        parameters.getLong(),
                        parameters.getLong(),
                        parameters.getLong(),
                        parameters.getLong(),
                        parameters.getInt());
        if (header.firsts < 0
                || header.firsts > MAX_COUNT
                || header.dropped < 0
                || header.dropped > header.firsts
                || header.missed < 0
                || header.missed > MAX_COUNT
                || header.shift < 0
                || header.shift > MAX_SHIFT) {
            throw reader.corrupt("impossible counts of the sample");
        }
        long words = reader.payloadLeft() / Long.BYTES;
        if (reader.payloadLeft() % ENTRY_BYTES != 0 || words > Integer.MAX_VALUE) {
            throw reader.corrupt("impossible length of the sample: " + words + " words");
        }
        return header;
    }
}
