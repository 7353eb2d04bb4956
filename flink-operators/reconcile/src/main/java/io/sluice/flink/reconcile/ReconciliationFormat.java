/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.rateless.SymbolEncoder;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import io.sluice.flink.reconcile.message.Setup;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import javax.annotation.Nullable;

/**
 * A {@link Reconciliation} in keyed state, without its elements: an envelope ({@link
 * io.sluice.filter.format}) of kind {@value #KIND} without payload.
 *
 * <pre>
 *   parameters: group (4), window (8), phase (1), phase of the peer (1),
 *               bits (2): 1 digest due, 2 question due, 4 retrying, 8 question outstanding,
 *               16 peer has let go, 32 and 64 fallback, elements, copies, checksum, serial (8
 *               each), round (4), symbols of the question (4), retries (4), answer (8),
 *               peer: incarnation, serial, serial of its filter, elements, copies, checksum
 *               (8 each), round (4), waited, next retry (8 each), thirteen statistics (8 each),
 *               words of the parts that came (4), and these (8 each)
 * </pre>
 */
final class ReconciliationFormat {

    static final int KIND = 21;

    /** Version 3 added the number of coded symbols, and why a question falls back to filters. */
    static final int VERSION_CURRENT = 4;

    private static final int DIGEST_DUE = 1;
    private static final int FILTER_DUE = 1 << 1;
    private static final int RETRYING = 1 << 2;
    private static final int OUTSTANDING = 1 << 3;
    private static final int PEER_GONE = 1 << 4;
    private static final int FALLBACK_SHIFT = 5;
    private static final int FALLBACK_MASK = 3;
    private static final int ALL_BITS = (1 << 7) - 1;

    private static final int FIXED_BYTES =
            4 + 8 + 4 + 32 + 20 + 52 + 16 + 8 * ExchangeStatistics.NUMBERS + 4;

    private ReconciliationFormat() {}

    static byte[] write(Reconciliation from) {
        Totals own = from.own().totals();
        PeerView peer = from.peer();
        AwaitedAnswer awaited = from.awaited();
        Outgoing outgoing = from.outgoing();
        RepeatTimer patience = from.patience();
        long[] words = awaited.parts();
        ByteBuffer to =
                ByteBuffer.allocate(FIXED_BYTES + Long.BYTES * words.length)
                        .order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(from.side().group())
                .putLong(from.window())
                .put((byte) from.phase().code())
                .put((byte) peer.phase().code())
                .putShort((short) bits(from))
                .putLong(own.elements())
                .putLong(own.copies())
                .putLong(own.checksum())
                .putLong(outgoing.serial())
                .putInt(awaited.round())
                .putInt(awaited.symbols())
                .putInt(patience.retries())
                .putLong(awaited.answer())
                .putLong(peer.incarnation())
                .putLong(peer.serial())
                .putLong(peer.filterSerial())
                .putLong(peer.totals().elements())
                .putLong(peer.totals().copies())
                .putLong(peer.totals().checksum())
                .putInt(peer.round())
                .putLong(patience.waitedMillis())
                .putLong(patience.retryAtMillis());
        for (long value : from.statistics().toArray()) {
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
        Outgoing outgoing = from.outgoing();
        return (outgoing.due() == MessageKind.DIGEST ? DIGEST_DUE : 0)
                | (outgoing.due() == MessageKind.FILTER ? FILTER_DUE : 0)
                | (from.patience().isRetrying() ? RETRYING : 0)
                | (from.awaited().isOutstanding() ? OUTSTANDING : 0)
                | (from.peer().isGone() ? PEER_GONE : 0)
                | from.awaited().fallback().code() << FALLBACK_SHIFT;
    }

    @Nullable
    private static MessageKind due(int bits) {
        if ((bits & FILTER_DUE) != 0) {
            return MessageKind.FILTER;
        }
        return (bits & DIGEST_DUE) != 0 ? MessageKind.DIGEST : null;
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
        long window = from.getLong();
        Phase phase = Phase.ofCode(from.get());
        Phase peerPhase = Phase.ofCode(from.get());
        int bits = from.getShort();
        Fallback fallback = Fallback.ofCode(bits >>> FALLBACK_SHIFT & FALLBACK_MASK);
        if (phase == null
                || peerPhase == null
                || fallback == null
                || phase.isOver()
                || (bits & ~ALL_BITS) != 0) {
            throw reader.corrupt("impossible phases " + phase + " and " + peerPhase);
        }
        if (group != side.group() || !isWindow(window, side.settings().setup())) {
            throw reader.corrupt("no window " + window + " of key group " + side.group());
        }
        Totals own = totals(from);
        long serial = from.getLong();
        int round = from.getInt();
        int symbols = from.getInt();
        int retries = from.getInt();
        long answer = from.getLong();
        long peerIncarnation = from.getLong();
        long peerSerial = from.getLong();
        long peerFilterSerial = from.getLong();
        Totals peerTotals = totals(from);
        int peerRound = from.getInt();
        long waitedMillis = from.getLong();
        long retryAtMillis = from.getLong();
        long[] statistics = longs(from, ExchangeStatistics.NUMBERS);
        if (!isPossible(own)
                || !isPossible(peerTotals)
                || serial < 0
                || peerSerial < 0
                || peerRound < 0
                || round < 0
                || round > ReconcileSettings.MAX_ROUNDS
                || symbols < 0
                || symbols > SymbolEncoder.MAX_SYMBOLS
                || retries < 0
                || retries > RepeatTimer.MAX_DOUBLINGS
                || waitedMillis < 0
                || Arrays.stream(statistics).anyMatch(number -> number < 0)) {
            throw reader.corrupt("an impossible exchange about window " + window);
        }
        int words = from.getInt();
        if (words < 0 || (long) words * Long.BYTES != from.remaining()) {
            throw reader.corrupt(words + " words of parts in " + from.remaining() + " bytes");
        }
        long[] parts = longs(from, words);
        reader.finish();
        RepeatTimer patience =
                new RepeatTimer(
                        side.settings().retryMillis(),
                        waitedMillis,
                        retryAtMillis,
                        retries,
                        (bits & RETRYING) != 0);
        return new Reconciliation(
                side,
                window,
                phase,
                new OwnMultiset(side, own),
                new PeerView(
                        peerIncarnation,
                        peerSerial,
                        peerFilterSerial,
                        peerTotals,
                        peerRound,
                        peerPhase,
                        (bits & PEER_GONE) != 0),
                new AwaitedAnswer(
                        round, (bits & OUTSTANDING) != 0, answer, parts, symbols, fallback),
                patience,
                new ExchangeStatistics(statistics),
                serial,
                due(bits));
    }

    private static boolean isPossible(Totals totals) {
        return totals.elements() >= 0 && totals.copies() >= totals.elements();
    }

    private static Totals totals(ByteBuffer from) {
        return new Totals(from.getLong(), from.getLong(), from.getLong());
    }

    private static long[] longs(ByteBuffer from, int count) {
        long[] all = new long[count];
        for (int i = 0; i < count; i++) {
            all[i] = from.getLong();
        }
        return all;
    }

    private static boolean isWindow(long window, Setup setup) {
        return setup.hasWindow(window) && Math.floorMod(window, setup.windowMillis()) == 0;
    }
}
