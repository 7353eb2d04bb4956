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
 *               16 peer has let go, elements, copies, checksum, serial (8 each), round (4),
 *               retries (4), answer (8),
 *               peer: incarnation, serial, serial of its filter, elements, copies, checksum
 *               (8 each), round (4), waited, next retry (8 each), thirteen statistics (8 each),
 *               words of the parts that came (4), and these (8 each)
 * </pre>
 */
final class ReconciliationFormat {

    static final int KIND = 21;

    /** The second version: contains the peer's incarnation, and whether it has given up. */
    static final int VERSION_CURRENT = 2;

    private static final int DIGEST_DUE = 1;
    private static final int FILTER_DUE = 1 << 1;
    private static final int RETRYING = 1 << 2;
    private static final int OUTSTANDING = 1 << 3;
    private static final int PEER_GONE = 1 << 4;
    private static final int ALL_BITS = (1 << 5) - 1;

    private static final int STATISTICS = 13;
    private static final int FIXED_BYTES = 4 + 8 + 4 + 32 + 16 + 52 + 16 + 8 * STATISTICS + 4;

    private ReconciliationFormat() {}

    static byte[] write(Reconciliation from) {
        PeerView peer = from.peer;
        Totals own = from.totals();
        long[] words = from.awaited.parts.toLongArray();
        ByteBuffer to =
                ByteBuffer.allocate(FIXED_BYTES + Long.BYTES * words.length)
                        .order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(from.side.group())
                .putLong(from.window)
                .put((byte) from.phase().code())
                .put((byte) peer.phase.code())
                .putShort((short) bits(from))
                .putLong(own.elements())
                .putLong(own.copies())
                .putLong(own.checksum())
                .putLong(from.serial())
                .putInt(from.awaited.round)
                .putInt(from.patience.retries)
                .putLong(from.awaited.answer)
                .putLong(peer.incarnation)
                .putLong(peer.serial)
                .putLong(peer.filterSerial)
                .putLong(peer.totals.elements())
                .putLong(peer.totals.copies())
                .putLong(peer.totals.checksum())
                .putInt(peer.round)
                .putLong(from.patience.waitedMillis)
                .putLong(from.patience.retryAtMillis);
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
        return (from.isDigestDue() ? DIGEST_DUE : 0)
                | (from.isFilterDue() ? FILTER_DUE : 0)
                | (from.patience.isRetrying ? RETRYING : 0)
                | (from.awaited.isOutstanding ? OUTSTANDING : 0)
                | (from.peer.isGone ? PEER_GONE : 0);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    static Reconciliation read(byte[] bytes, Side side, String source) throws IOException {
        FilterReader reader =
                new FilterReader(
                        new ByteArrayInputStream(bytes),
                        source,
                        KIND,
                        VERSION_CURRENT,
                        VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        if (from.remaining() < FIXED_BYTES) {
            throw reader.corrupt(from.remaining() + " bytes, at least " + FIXED_BYTES);
        }
        int group = from.getInt();
        Reconciliation to = new Reconciliation(side, from.getLong());
        PeerView peer = to.peer;
        Phase phase = Phase.ofCode(from.get());
        Phase peerPhase = Phase.ofCode(from.get());
        int bits = from.getShort();
        if (phase == null || peerPhase == null || phase.isOver() || (bits & ~ALL_BITS) != 0) {
            throw reader.corrupt("impossible phases " + phase + " and " + peerPhase);
        }
        if (group != side.group() || !isWindow(to.window, side.settings().setup())) {
            throw reader.corrupt("no window " + to.window + " of key group " + side.group());
        }
        Totals own = new Totals(from.getLong(), from.getLong(), from.getLong());
        to.own.set(own);
        long serial = from.getLong();
        to.resume(phase, serial, (bits & DIGEST_DUE) != 0, (bits & FILTER_DUE) != 0);
        to.awaited.round = from.getInt();
        to.patience.retries = from.getInt();
        to.patience.isRetrying = (bits & RETRYING) != 0;
        to.awaited.isOutstanding = (bits & OUTSTANDING) != 0;
        to.awaited.answer = from.getLong();
        peer.isGone = (bits & PEER_GONE) != 0;
        peer.phase = peerPhase;
        peer.incarnation = from.getLong();
        peer.serial = from.getLong();
        peer.filterSerial = from.getLong();
        peer.totals = new Totals(from.getLong(), from.getLong(), from.getLong());
        peer.round = from.getInt();
        to.patience.waitedMillis = from.getLong();
        to.patience.retryAtMillis = from.getLong();
        if (own.elements() < 0
                || own.copies() < own.elements()
                || serial < 0
                || to.awaited.round < 0
                || to.patience.retries < 0
                || to.patience.retries > Patience.MAX_DOUBLINGS
                || to.patience.waitedMillis < 0) {
            throw reader.corrupt("an impossible exchange about window " + to.window);
        }
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
        to.awaited.parts = BitSet.valueOf(parts);
        reader.finish();
        return to;
    }

    private static boolean isWindow(long window, Setup setup) {
        return setup.hasWindow(window) && Math.floorMod(window, setup.windowMillis()) == 0;
    }
}
