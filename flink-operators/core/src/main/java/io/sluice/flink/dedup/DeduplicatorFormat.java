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
 * What precedes sample and filter in the persistent form of a {@link Deduplicator}: one envelope of
 * kind 0x4444 ("DD"), version 5, without a payload.
 *
 * <pre>
 *   parameters:  8 bytes  lag of the clock behind the wall clock
 *                8 bytes  {@link Deduplicator#exactSince}
 * </pre>
 */
final class DeduplicatorFormat {

    static final int KIND = 'D' << 8 | 'D';

    private static final int VERSION = 5;

    private static final int PARAMETER_BYTES = 2 * Long.BYTES;

    private DeduplicatorFormat() {}

    /** The parameters. */
    record Header(long lag, long exactSince) {

        void writeTo(OutputStream out) throws IOException {
            ByteBuffer parameters =
                    ByteBuffer.allocate(PARAMETER_BYTES)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(lag)
                            .putLong(exactSince)
                            .flip();
            new FilterWriter(out, KIND, VERSION, parameters, 0).finish();
        }
    }

    static FilterReader open(InputStream in, String source) throws IOException {
        return new FilterReader(in, source, KIND, VERSION, VERSION);
    }

    /** Reads the parameters, and checks that nothing else is there. */
    static Header header(FilterReader reader) throws IOException {
        ByteBuffer parameters = reader.parameters();
        if (parameters.remaining() != PARAMETER_BYTES) {
            throw reader.corrupt(
                    "has "
                            + parameters.remaining()
                            + " bytes of parameters, not "
                            + PARAMETER_BYTES);
        }
        Header header = new Header(parameters.getLong(), parameters.getLong());
        reader.finish();
        return header;
    }
}
