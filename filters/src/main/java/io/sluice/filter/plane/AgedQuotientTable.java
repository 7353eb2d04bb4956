/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.memory.Select;

/**
 * A table of fingerprints with ages, as {@link FingerprintTable}, whose lines are small quotient
 * filters: an id is stored once, normally in the one cache line that its hash chooses, and a part
 * of its fingerprint, the quotient, is not stored but implied by its place.
 *
 * <pre>
 *   word 0       | quotient 0 to 47 has a run: a bit each | an id of plane 0 to 15 found no room |
 *   words 1 .. 7 | columns of S bits, see {@link QuotientLine}
 *
 *   whole columns: remainder bit 0, 1, ..; age bit 0, ..; run end   extra columns: other age bits
 * </pre>
 *
 * Slot j is bit j of all columns. The slots of a line are packed to its front, in the order of
 * their quotients; those of one quotient are a run, whose last slot has its run end set. So there
 * are as many run ends as quotients with runs, in the same order, and the last used slot is a run
 * end. Unused bits are 0.
 *
 * <p>Columns rather than rows, because then one word operation compares a bit of all slots at once,
 * and a slot is inserted or removed by the same shift of the upper part of each column: no loop
 * over slots, no slot in two words. A lookup compares the remainders of all slots, which settles
 * most absent ids; where one is equal, two population counts say whether it is in the run of the
 * quotient.
 *
 * <p>Which lines an id has, when the next is asked, what an epoch changes, and the marks of full
 * lines are as in {@link FingerprintTable}. Slots move only within their line.
 *
 * <p>Not thread-safe.
 */
final class AgedQuotientTable extends PlaneArray {

    /**
     * Remainders are bits of this remix: however long they are, the line says nothing about them.
     */
    private static final int REMAINDER = -1;

    private static final int COLUMN_WORDS = QuotientLine.COLUMN_WORDS;
    private static final int LAST = COLUMN_WORDS;
    private static final int QUOTIENTS = QuotientLine.QUOTIENTS;
    private static final long RUNS = (1L << QUOTIENTS) - 1;
    private static final long LOW_HALF = 0xffff_ffffL;

    private final QuotientLine line;

    private final LineMasks masks;

    /** Whole columns of a word. */
    private final int columns;

    private final int wholeBits;
    private final int wholeAges;
    private final int extras;

    private final int slots;
    private final int remainderBits;
    private final long remainderMask;

    /** The slots in one column. */
    private final long slotMask;

    /** The whole columns of words 1 to 4. */
    private final long wholeColumns;

    /** The columns of word 5 that belong to remainders: not all if there are two. */
    private final long remaindersOf5;

    /** The same for word 6. */
    private final long remaindersOf6;

    /** The same for word 7: none if there are at most five columns. */
    private final long remaindersOf7;

    /** At i, the whole columns of a word whose bits in i are set. */
    private final long[] spread;

    private final int spreadMask;
    private final int runEndShift;

    /** Bits of two columns, and of four; 0 if a word has no more than that. */
    private final int foldTwo;

    private final int foldFour;

    AgedQuotientTable(Geometry geometry, long[] words) {
        super(geometry, words);
        line = new QuotientLine(geometry.perLine());
        masks = LineMasks.of(line);
        columns = line.whole();
        wholeBits = line.wholeBits();
        wholeAges = line.wholeAges();
        extras = line.extras();
        slots = line.slots();
        remainderBits = line.remainderBits();
        remainderMask = (1L << remainderBits) - 1;
        slotMask = (1L << slots) - 1;
        spread = masks.spread;
        spreadMask = spread.length - 1;
        wholeColumns = spread[spreadMask];
        remaindersOf5 = remaindersOf(5);
        remaindersOf6 = remaindersOf(6);
        remaindersOf7 = remaindersOf(7);
        runEndShift = (columns - 1) * slots;
        foldTwo = columns > 2 ? 2 * slots : 0;
        foldFour = columns > 4 ? 4 * slots : 0;
    }

    /** The columns of a word that belong to remainders. */
    private long remaindersOf(int word) {
        int left = Math.max(0, remainderBits - (word - 1) * columns);
        return spread[(1 << Math.min(columns, left)) - 1];
    }

    private static int quotient(long z) {
        return (int) (((z & LOW_HALF) * QUOTIENTS) >>> 32);
    }

    private long remainder(long hash, long epoch) {
        return remix(hash, REMAINDER) + ofEpoch(epoch, remainderBits) & remainderMask;
    }

    /** The columns of a word for the lowest bits of a code. */
    private long pattern(long code) {
        return spread[(int) code & spreadMask];
    }

    @Override
    public boolean holds(long hash, long epoch, long planes) {
        long z = remix(hash, 0);
        long remainder = remainder(hash, epoch);
        long p1 = pattern(remainder);
        long p2 = pattern(remainder >>> columns);
        long p3 = pattern(remainder >>> (2 * columns));
        long p4 = pattern(remainder >>> (3 * columns));
        long p5 = pattern(remainder >>> (4 * columns));
        long p6 = pattern(remainder >>> (5 * columns));
        long p7 = pattern(remainder >>> (6 * columns));
        long asked = planes;
        int base = base(z);
        for (int i = 1; ; i++) {
            long head = words[base];
            long differing =
                    (words[base + 1] ^ p1)
                            | (words[base + 2] ^ p2)
                            | (words[base + 3] ^ p3)
                            | (words[base + 4] ^ p4)
                            | ((words[base + 5] ^ p5) & remaindersOf5)
                            | ((words[base + 6] ^ p6) & remaindersOf6)
                            | ((words[base + 7] ^ p7) & remaindersOf7);
            differing &= wholeColumns;
            // All columns into the lowest: it has two of them now, then four, then eight.
            differing |= differing >>> slots;
            differing |= differing >>> foldTwo;
            differing |= differing >>> foldFour;
            long equal = ~differing & slotMask;
            if (equal != 0 && inRun(base, quotient(z), equal, planes)) {
                return true;
            }
            asked &= head >>> QUOTIENTS;
            if (asked == 0 || i == maxLines) {
                return false;
            }
            base = base(remix(hash, i));
        }
    }

    /**
     * Whether one of the slots in {@code equal} is in the run of the quotient, and belongs to one
     * of {@code planes}.
     */
    private boolean inRun(int base, int quotient, long equal, long planes) {
        long head = words[base];
        if ((head >>> quotient & 1) == 0) {
            return false;
        }
        int run = Long.bitCount(head & ((1L << quotient) - 1));
        long ends = runEnds(base);
        for (long left = equal; left != 0; left &= left - 1) {
            long below = (left & -left) - 1;
            // A slot has as many run ends below it as there are runs before its own. Beyond the
            // used slots, all run ends are below: more than there are runs before this one.
            if (Long.bitCount(ends & below) == run
                    && (planes >>> age(base, Long.bitCount(below)) & 1) != 0) {
                return true;
            }
        }
        return false;
    }

    private long runEnds(int base) {
        return words[base + LAST] >>> runEndShift & slotMask;
    }

    /** A column. */
    private long column(int base, int number) {
        return words[base + 1 + number / columns] >>> (number % columns * slots) & slotMask;
    }

    private int age(int base, int slot) {
        int age = 0;
        for (int bit = 0; bit < wholeAges; bit++) {
            age |= (int) (column(base, remainderBits + bit) >>> slot & 1) << bit;
        }
        for (int extra = 0; extra < extras; extra++) {
            int place = masks.place[extra * slots + slot];
            long word = words[base + 1 + place / Long.SIZE];
            age |= (int) (word >>> place & 1) << (wholeAges + extra);
        }
        return age;
    }

    /** Returns the column of an age bit. */
    private long ageColumn(int base, int bit) {
        int extra = bit - wholeAges;
        if (extra < 0) {
            return column(base, remainderBits + bit);
        }
        int word = masks.place[extra * slots] / Long.SIZE;
        int from = masks.place[extra * slots] % Long.SIZE;
        long column = 0;
        for (int slot = 0; slot < slots; word++) {
            column |= words[base + 1 + word] >>> from << slot;
            slot += Long.SIZE - from;
            from = wholeBits;
        }
        return column & slotMask;
    }

    /** The slots of a line that are used by {@code planes}. */
    private long slotsOf(int base, long planes) {
        long age0 = ageColumn(base, 0);
        long age1 = ageColumn(base, 1);
        long age2 = ageColumn(base, 2);
        long age3 = ageColumn(base, 3);
        long found = 0;
        for (long left = planes; left != 0; left &= left - 1) {
            int plane = Long.numberOfTrailingZeros(left);
            // ~(x ^ -bit): the slots whose age bit is that of the plane.
            found |=
                    ~(age0 ^ -(plane & 1L))
                            & ~(age1 ^ -(plane >>> 1 & 1L))
                            & ~(age2 ^ -(plane >>> 2 & 1L))
                            & ~(age3 ^ -(plane >>> 3 & 1L));
        }
        return found & used(runEnds(base));
    }

    /** The used slots: the last of them is a run end. */
    private static long used(long ends) {
        return ends == 0 ? 0 : -1L >>> Long.numberOfLeadingZeros(ends);
    }

    @Override
    boolean putInto(int base, long hash, long z, long epoch, int plane) {
        if (runEnds(base) >>> (slots - 1) != 0) {
            return false;
        }
        insert(base, quotient(z), remainder(hash, epoch), plane);
        return true;
    }

    @Override
    void markFull(int base, int plane) {
        words[base] |= 1L << (QUOTIENTS + plane);
    }

    @Override
    long full(int base) {
        return words[base] >>> QUOTIENTS;
    }

    @Override
    int usedSlots(int base, long planes) {
        return Long.bitCount(slotsOf(base, planes));
    }

    @Override
    double fingerprintBits() {
        return line.fingerprintBits();
    }

    /** Inserts as the first slot of its run; if the run is new, the slot is its last too. */
    private void insert(int base, int quotient, long remainder, int plane) {
        long head = words[base];
        int run = Long.bitCount(head & ((1L << quotient) - 1));
        int slot = Select.bit(runEnds(base) << 1 | 1, run);
        beforeWrite(base);
        long code =
                remainder
                        | (plane & ((1L << wholeAges) - 1)) << remainderBits
                        | (~head >>> quotient & 1) << (remainderBits + wholeAges);
        words[base] = head | 1L << quotient;
        int otherAges = (plane >>> wholeAges) * COLUMN_WORDS;
        int at = slot * COLUMN_WORDS;
        long carry = 0;
        for (int i = 0; i < COLUMN_WORDS; i++) {
            long word = words[base + 1 + i];
            // From the slot up, in every column. The last slot is empty: nothing is shifted into
            // the next column, but what leaves a rest goes on to the next word's.
            long upper = word & masks.upper[at + i];
            long put = (pattern(code) | masks.extras[otherAges + i]) & masks.slot[at + i];
            words[base + 1 + i] = (word + upper) | carry | put;
            carry = upper >>> (Long.SIZE - 1) << wholeBits;
            code >>>= columns;
        }
    }

    /** {@inheritDoc} A line is done when its last word is reached. */
    @Override
    void erase(int from, int to, long planes) {
        int first = (from - PADDING) / Geometry.LINE_WORDS;
        int end = (to - PADDING) / Geometry.LINE_WORDS;
        for (int line = first; line < end; line++) {
            int base = PADDING + line * Geometry.LINE_WORDS;
            words[base] &= ~(planes << QUOTIENTS);
            long left = slotsOf(base, planes);
            while (left != 0) {
                long highest = Long.highestOneBit(left);
                left ^= highest;
                remove(base, Long.numberOfTrailingZeros(highest));
            }
        }
    }

    private void remove(int base, int slot) {
        long ends = runEnds(base);
        if ((ends >>> slot & 1) != 0) {
            if (slot == 0 || (ends >>> (slot - 1) & 1) != 0) {
                int run = Long.bitCount(ends & ((1L << slot) - 1));
                words[base] ^= 1L << Select.bit(words[base] & RUNS, run);
            } else {
                words[base + LAST] |= 1L << (runEndShift + slot - 1);
            }
        }
        int at = slot * COLUMN_WORDS;
        // What is there goes down into the rest of the word before.
        long restBegin = extras == 0 ? 0 : 1L << wholeBits;
        for (int i = 0; i < COLUMN_WORDS; i++) {
            long word = words[base + 1 + i];
            long upper = masks.upper[at + i];
            long above = word & upper & ~masks.slot[at + i];
            words[base + 1 + i] = (word & ~upper) | ((above & ~restBegin) >>> 1);
            if ((above & restBegin) != 0) {
                words[base + i] |= Long.MIN_VALUE;
            }
        }
    }

    /**
     * Whether insertions can have made every line, and everything in it belongs to one of {@code
     * planes}: what a reader checks. O(size).
     */
    @Override
    public boolean holdsOnly(long planes) {
        for (int base = PADDING; base < words.length; base += Geometry.LINE_WORDS) {
            long head = words[base];
            long ends = runEnds(base);
            long used = used(ends);
            if ((head >>> QUOTIENTS & ~planes) != 0
                    || Long.bitCount(head & RUNS) != Long.bitCount(ends)
                    || slotsOf(base, planes) != used) {
                return false;
            }
            int free = Long.bitCount(used) * COLUMN_WORDS;
            for (int i = 0; i < COLUMN_WORDS; i++) {
                long usable = masks.upper[i] & ~masks.upper[free + i];
                if ((words[base + 1 + i] & ~usable) != 0) {
                    return false;
                }
            }
        }
        return true;
    }
}
