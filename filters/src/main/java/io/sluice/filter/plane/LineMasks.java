/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the bits of each slot are in the words of a {@link QuotientLine}: a few KiB, shared by all
 * tables with such lines. Immutable.
 */
final class LineMasks {

    private static final int WORDS = QuotientLine.COLUMN_WORDS;
    private static final Map<QuotientLine, LineMasks> MASKS = new ConcurrentHashMap<>();

    /** At {@code slot * 7 + i}, the bits of a slot in the i-th word with columns. */
    final long[] slot;

    /** The same of this slot and those above it; nothing for the slot above the last. */
    final long[] upper;

    /** At {@code code * 7 + i}, the extra columns whose bits in {@code code} are set. */
    final long[] extras;

    /** At i, the whole columns of a word whose bits in i are set. */
    final long[] spread;

    /**
     * At {@code extra * slots + slot}, the bit of an extra column, counted from the first word with
     * columns.
     */
    final short[] place;

    private LineMasks(QuotientLine line) {
        int slots = line.slots();
        long column = (1L << slots) - 1;
        spread = new long[1 << line.whole()];
        for (int code = 0; code < spread.length; code++) {
            for (int i = 0; i < line.whole(); i++) {
                spread[code] |= (code >>> i & 1) * (column << (i * slots));
            }
        }
        long lowest = Long.divideUnsigned(spread[spread.length - 1], column);
        slot = new long[slots * WORDS];
        for (int s = 0; s < slots; s++) {
            Arrays.fill(slot, s * WORDS, (s + 1) * WORDS, lowest << s);
        }
        extras = new long[(1 << line.extras()) * WORDS];
        place = new short[line.extras() * slots];
        addExtras(line);
        upper = new long[slot.length + WORDS];
        for (int i = slot.length - 1; i >= 0; i--) {
            upper[i] = upper[i + WORDS] | slot[i];
        }
    }

    private void addExtras(QuotientLine line) {
        int word = 0;
        int bit = line.wholeBits();
        for (int i = 0; i < place.length; i++, bit++) {
            if (bit == Long.SIZE) {
                word++;
                bit = line.wholeBits();
            }
            place[i] = (short) (word * Long.SIZE + bit);
            slot[i % line.slots() * WORDS + word] |= 1L << bit;
            for (int code = 0; code < 1 << line.extras(); code++) {
                extras[code * WORDS + word] |= (code >>> (i / line.slots()) & 1L) << bit;
            }
        }
    }

    /** Returns the masks of a line. */
    static LineMasks of(QuotientLine line) {
        return MASKS.computeIfAbsent(line, LineMasks::new);
    }
}
