/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Persistent form of a {@link MultisetDigest}: an envelope ({@link io.sluice.filter.format}) of
 * kind {@value #KIND} without payload, followed by the envelope of its filter.
 *
 * <pre>
 *   parameters: way with collisions (4), seed (8), elements (8), copies (8), checksum (8)
 * </pre>
 */
final class MultisetDigestFormat {

    static final int KIND = 6;

    /** The first one. */
    static final int VERSION_1 = 1;

    static final int VERSION_CURRENT = VERSION_1;

    private static final int BYTES = Integer.BYTES + 4 * Long.BYTES;

    /** Header and two checksums of each envelope, and the parameters of the filter's envelope. */
    private static final int ENVELOPES = 2 * (32 + 2 * Integer.BYTES) + 16;

    private MultisetDigestFormat() {}

    static long bytes(CuckooShape shape) {
        return ENVELOPES + BYTES + shape.words() * Long.BYTES;
    }

    static void write(MultisetDigest digest, OutputStream out) throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(digest.collisions().code())
                        .putLong(digest.seed())
                        .putLong(digest.totals().elements())
                        .putLong(digest.totals().copies())
                        .putLong(digest.totals().checksum())
                        .flip();
        new FilterWriter(out, KIND, VERSION_CURRENT, parameters, 0).finish();
        digest.filter().writeTo(out);
    }

    static MultisetDigest read(InputStream in, String source) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        if (from.remaining() != BYTES) {
            throw reader.corrupt(from.remaining() + " bytes of parameters, expected " + BYTES);
        }
        Collisions collisions = Collisions.ofCode(from.getInt());
        long seed = from.getLong();
        Totals totals = new Totals(from.getLong(), from.getLong(), from.getLong());
        reader.finish();
        CountingCuckooFilter filter = CountingCuckooFilter.readFrom(in, source, Storage.HEAP);
        boolean everyOneHasASlot = filter.occupied() == totals.elements();
        if (collisions == null
                || filter.occupied() > totals.elements()
                || (collisions == Collisions.SEPARATE && !everyOneHasASlot)) {
            throw reader.corrupt(
                    "impossible digest: collisions "
                            + collisions
                            + ", "
                            + totals.elements()
                            + " elements in "
                            + filter.occupied()
                            + " slots");
        }
        return new MultisetDigest(filter, collisions, seed, totals);
    }
}
