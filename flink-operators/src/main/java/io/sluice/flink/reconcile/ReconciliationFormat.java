/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;

/**
 * A {@link Reconciliation} in keyed state, without its elements: an envelope ({@link
 * io.sluice.filter.format}) of kind {@value #KIND} without payload.
 *
 * <pre>
 *   parameters: group (4), window (8), phase (1), phase of the peer (1),
 *               bits (2): 1 digest due, 2 filter due, 4 retrying, 8 filter outstanding,
 *               elements, copies, checksum, serial (8 each), round (4), retries (4), answer (8),
 *               peer: serial, serial of its filter, elements, copies, checksum (8 each), round (4),
 *               waited, next retry (8 each), thirteen statistics (8 each),
 *               words of the parts that came (4), and these (8 each)
 * </pre>
 */
final class ReconciliationFormat {

    static final int KIND = 21;

    /** The first one. */
    static final int VERSION_1 = 1;

    static final int VERSION_CURRENT = VERSION_1;

    private static final int DIGEST_DUE = 1;
    private static final int FILTER_DUE = 1 << 1;
    private static final int RETRYING = 1 << 2;
    private static final int OUTSTANDING = 1 << 3;

    private static final int STATISTICS = 13;
    private static final int FIXED_BYTES = 4 + 8 + 4 + 32 + 16 + 44 + 16 + 8 * STATISTICS + 4;

    private ReconciliationFormat() {}

    static byte[] write(Reconciliation from) {
        long[] words = from.parts.toLongArray();
        ByteBuffer to =
                ByteBuffer.allocate(FIXED_BYTES + Long.BYTES * words.length)
                        .order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(from.group)
                .putLong(from.window)
                .put((byte) from.phase.code())
                .put((byte) from.peerPhase.code())
                .putShort((short) bits(from))
                .putLong(from.elements)
                .putLong(from.copies)
                .putLong(from.checksum)
                .putLong(from.serial)
                .putInt(from.round)
                .putInt(from.retries)
                .putLong(from.answer)
                .putLong(from.peerSerial)
                .putLong(from.peerFilterSerial)
                .putLong(from.peerTotals.elements())
                .putLong(from.peerTotals.copies())
                .putLong(from.peerTotals.checksum())
                .putInt(from.peerRound)
                .putLong(from.waitedMillis)
                .putLong(from.retryAtMillis);
        for (long value : from.statistics.toArray()) {
            to.putLong(value);
        }
        to.putInt(words.length);
        for (long word : words) {
            to.putLong(word);
        }
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream(to.capacity() + 64);
            new FilterWriter(out, KIND, VERSION_CURRENT, to.flip(), 0).finish();
            return out.toByteArray();
        } catch (IOException e) {
            throw new AssertionError("an array takes all bytes", e);
        }
    }

    private static int bits(Reconciliation from) {
        return (from.digestDue ? DIGEST_DUE : 0)
                | (from.filterDue ? FILTER_DUE : 0)
                | (from.retrying ? RETRYING : 0)
                | (from.outstanding ? OUTSTANDING : 0);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    static Reconciliation read(byte[] bytes, ReconcileSettings settings, String source)
            throws IOException {
        FilterReader reader =
                new FilterReader(new ByteArrayInputStream(bytes), source, KIND, VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        if (from.remaining() < FIXED_BYTES) {
            throw reader.corrupt(from.remaining() + " bytes, at least " + FIXED_BYTES);
        }
        Reconciliation to = new Reconciliation(settings, from.getInt(), from.getLong());
        Phase phase = Phase.ofCode(from.get());
        Phase peerPhase = Phase.ofCode(from.get());
        if (phase == null || peerPhase == null) {
            throw reader.corrupt("impossible phases " + phase + " and " + peerPhase);
        }
        to.phase = phase;
        to.peerPhase = peerPhase;
        int bits = from.getShort();
        to.digestDue = (bits & DIGEST_DUE) != 0;
        to.filterDue = (bits & FILTER_DUE) != 0;
        to.retrying = (bits & RETRYING) != 0;
        to.outstanding = (bits & OUTSTANDING) != 0;
        to.elements = from.getLong();
        to.copies = from.getLong();
        to.checksum = from.getLong();
        to.serial = from.getLong();
        to.round = from.getInt();
        to.retries = from.getInt();
        to.answer = from.getLong();
        to.peerSerial = from.getLong();
        to.peerFilterSerial = from.getLong();
        to.peerTotals = new Totals(from.getLong(), from.getLong(), from.getLong());
        to.peerRound = from.getInt();
        to.waitedMillis = from.getLong();
        to.retryAtMillis = from.getLong();
        long[] statistics = new long[STATISTICS];
        for (int i = 0; i < STATISTICS; i++) {
            statistics[i] = from.getLong();
        }
        to.statistics.set(statistics);
        int words = from.getInt();
        if (words < 0 || (long) words * Long.BYTES != from.remaining()) {
            throw reader.corrupt(words + " words of parts in " + from.remaining() + " bytes");
        }
        long[] parts = new long[words];
        from.asLongBuffer().get(parts);
        to.parts = BitSet.valueOf(parts);
        reader.finish();
        return to;
    }
}
