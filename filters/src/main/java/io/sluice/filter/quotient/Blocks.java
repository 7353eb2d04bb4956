/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.util.function.LongFunction;

/**
 * The layout: an array of blocks of {@value #SLOTS} slots, each home to {@value #SLOTS} quotients.
 * The only class that shifts and masks. With remainders of 8 bits a block is one cache line.
 *
 * <pre>
 *   word 0      | occupied: a bit for each quotient, 48 | spilled in: 16 |
 *   word 1      | run end: a bit for each slot, 48      | used: 6 | 0: 10 |
 *   words 2 ..  | remainder of slot 0 (r bits) | of slot 1 | ... | of slot 47 | 0 .. |
 * </pre>
 *
 * Low bits first. Occupied: the quotient has a run (which may lie in a later block). Run end: the
 * slot holds the last remainder of a run; the bit moves with the remainder. The remainders of all
 * quotients are in order, packed to the front of their block:
 *
 * <ul>
 *   <li>slots 0 to used - 1 are used, the others are zero, with their bits;
 *   <li>the first "spilled in" of them belong to quotients of earlier blocks (more than 48: the
 *       block and a part of the next hold nothing else), then follow the block's own;
 *   <li>a block spills into the next only if it is full: {@code used < 48} implies that nothing is
 *       spilled into the next one.
 * </ul>
 *
 * <p>The last blocks are home to no quotient: what the last home spills goes there, so that nothing
 * wraps around and fingerprints stay in order.
 *
 * <p>Departures from the papers' three (and two and an eighth) bits per slot: see {@code
 * docs/design.md}. Here they are two and two thirds.
 */
final class Blocks {

    /** Slots of a block, and quotients it is home to. */
    static final int SLOTS = 48;

    /** Low bits of a header word that have one bit per slot or quotient. */
    static final long SLOT_MASK = (1L << SLOTS) - 1;

    static final int HEADER_WORDS = 2;

    /** Bits of the number of used slots. */
    private static final int USED_BITS = 6;

    /** The most that can be spilled into a block. */
    static final int MAX_SPILL = (1 << (Long.SIZE - SLOTS)) - 1;

    /** For {@link #blockOf}: (y * THIRD) >>> THIRD_SHIFT is y / 3 for 0 <= y < 2^32. */
    private static final long THIRD = 0xAAAA_AAABL;

    private static final int THIRD_SHIFT = 33;

    /**
     * Home blocks are followed by this many blocks without quotients, but by no more than they are
     * themselves.
     */
    private static final long MAX_TAIL_BLOCKS = 8;

    final Words words;

    /** Number of quotients. */
    final long quotients;

    /** Bits of the greatest quotient. */
    final int quotientBits;

    final int remainderBits;

    /** Words of a block. */
    final int stride;

    /** Blocks that are home to quotients. */
    final long homes;

    /** All blocks. */
    final long count;

    /** Low bits of a word that a remainder fills. */
    final long remainderMask;

    /** Bits of a block's last word that belong to slots. */
    private final long lastWordMask;

    /** Remainders in a word, from its lowest bit. */
    private final int lanes;

    /** Runs of at most this many remainders are compared at once: their lanes leave a bit free. */
    final int comparable;

    /** The lowest and the highest bit of every lane. */
    private final long laneOnes;

    private final long laneHighs;

    private Blocks(Words words, long quotients, int remainderBits) {
        this.words = words;
        this.quotients = quotients;
        this.quotientBits = Long.SIZE - Long.numberOfLeadingZeros(quotients - 1);
        this.remainderBits = remainderBits;
        this.stride = stride(remainderBits);
        this.homes = homes(quotients);
        this.count = blocks(quotients);
        this.remainderMask = (1L << remainderBits) - 1;
        int spare = (stride - HEADER_WORDS) * Long.SIZE - SLOTS * remainderBits;
        this.lastWordMask = -1L >>> spare;
        this.lanes = Long.SIZE / remainderBits;
        this.comparable = (Long.SIZE - 1) / remainderBits;
        long ones = 0;
        for (int lane = 0; lane < lanes; lane++) {
            ones |= 1L << (lane * remainderBits);
        }
        this.laneOnes = ones;
        this.laneHighs = ones << (remainderBits - 1);
    }

    /** Other blocks with the same content and storage. */
    Blocks copy() {
        return new Blocks(words.copy(), quotients, remainderBits);
    }

    /** Empty blocks. */
    static Blocks allocate(Storage storage, int quotientBits, int remainderBits) {
        return forQuotients(storage, 1L << quotientBits, remainderBits);
    }

    /** Empty blocks for quotients below any number from 2 to 2^36. */
    static Blocks forQuotients(Storage storage, long quotients, int remainderBits) {
        return forQuotients(length -> Words.allocate(storage, length), quotients, remainderBits);
    }

    /** As above, in words of zero that {@code memory} gives. */
    static Blocks forQuotients(LongFunction<Words> memory, long quotients, int remainderBits) {
        return new Blocks(
                memory.apply(wordsFor(quotients, remainderBits)), quotients, remainderBits);
    }

    /** Blocks over existing words, {@link #words(int, int)} of them. */
    static Blocks of(Words words, int quotientBits, int remainderBits) {
        return over(words, 1L << quotientBits, remainderBits);
    }

    /** Blocks over existing words, {@link #wordsFor} of them. */
    static Blocks over(Words words, long quotients, int remainderBits) {
        return new Blocks(words, quotients, remainderBits);
    }

    /** Words of a block. */
    static int stride(int remainderBits) {
        return HEADER_WORDS + (SLOTS * remainderBits + Long.SIZE - 1) / Long.SIZE;
    }

    private static long homes(long quotients) {
        return (quotients + SLOTS - 1) / SLOTS;
    }

    /** Blocks in all. */
    private static long blocks(long quotients) {
        long homes = homes(quotients);
        return homes + Math.min(MAX_TAIL_BLOCKS, homes);
    }

    /** Words in all for 2^q quotients. */
    static long words(int quotientBits, int remainderBits) {
        return wordsFor(1L << quotientBits, remainderBits);
    }

    /** Words in all: the blocks, followed by an empty header, where a search may end. */
    static long wordsFor(long quotients, int remainderBits) {
        return blocks(quotients) * stride(remainderBits) + HEADER_WORDS;
    }

    /** Home of a quotient below 2^36. */
    static long blockOf(long quotient) {
        return ((quotient >>> 4) * THIRD) >>> THIRD_SHIFT;
    }

    /** First word of a block. */
    long base(long block) {
        return block * stride;
    }

    long occupied(long base) {
        return words.get(base) & SLOT_MASK;
    }

    int spilledIn(long base) {
        return (int) (words.get(base) >>> SLOTS);
    }

    /** Adds {@code change}, 1 or -1, to what is spilled into a block. */
    void addSpill(long base, int change) {
        words.set(base, words.get(base) + ((long) change << SLOTS));
    }

    long runEnds(long base) {
        return words.get(base + 1) & SLOT_MASK;
    }

    int used(long base) {
        return (int) (words.get(base + 1) >>> SLOTS);
    }

    /** Zero. */
    long spareBits(long base) {
        return words.get(base + 1) >>> (SLOTS + USED_BITS);
    }

    void setEndsAndUsed(long base, long runEnds, int used) {
        words.set(base + 1, runEnds | (long) used << SLOTS);
    }

    long remainder(long base, int slot) {
        int bit = slot * remainderBits;
        long word = base + HEADER_WORDS + (bit >>> 6);
        int shift = bit & 63;
        long low = words.get(word) >>> shift;
        if (shift + remainderBits > Long.SIZE) {
            low |= words.get(word + 1) << (Long.SIZE - shift);
        }
        return low & remainderMask;
    }

    /**
     * As {@link #remainder}, without a branch for remainders in two words: for callers that will
     * soon read beyond the block anyway. (There are two words after the last block.)
     */
    long remainderInOrder(long base, int slot) {
        int bit = slot * remainderBits;
        long word = base + HEADER_WORDS + (bit >>> 6);
        int shift = bit & 63;
        long low = words.get(word) >>> shift;
        // Two shifts: one by 64 would do nothing.
        return (low | words.get(word + 1) << 1 << (63 - shift)) & remainderMask;
    }

    /** Reads the header, the word of a slot, and the last word of a block. */
    long touch(long base, int slot) {
        return words.get(base + 1)
                ^ words.get(base + HEADER_WORDS + ((slot * remainderBits) >>> 6))
                ^ words.get(base + stride - 1);
    }

    /** Writes to a slot that is zero. */
    void fill(long base, int slot, long remainder) {
        int bit = slot * remainderBits;
        long word = base + HEADER_WORDS + (bit >>> 6);
        int shift = bit & 63;
        words.set(word, words.get(word) | remainder << shift);
        if (shift + remainderBits > Long.SIZE) {
            words.set(word + 1, words.get(word + 1) | remainder >>> (Long.SIZE - shift));
        }
    }

    /** Changes the content of a used slot, by exclusive or. */
    void flip(long base, int slot, long difference) {
        int bit = slot * remainderBits;
        long word = base + HEADER_WORDS + (bit >>> 6);
        int shift = bit & 63;
        words.set(word, words.get(word) ^ difference << shift);
        if (shift + remainderBits > Long.SIZE) {
            words.set(word + 1, words.get(word + 1) ^ difference >>> (Long.SIZE - shift));
        }
    }

    /** Whether one of the {@code length} slots from {@code slot} of a block holds the remainder. */
    boolean holds(long base, int slot, int length, long remainder) {
        long pattern = remainder * laneOnes;
        int from = slot;
        for (int left = length; left > 0; left -= lanes) {
            int bits = Math.min(left, lanes) * remainderBits;
            long different = window(base, from) ^ pattern;
            // The high bit of a lane of zero is set, and no bit below the lowest such lane.
            long zeros = different - laneOnes & ~different & laneHighs;
            if ((zeros & -1L >>> (Long.SIZE - bits)) != 0) {
                return true;
            }
            from += lanes;
        }
        return false;
    }

    /**
     * How many of the first {@code length} remainders from a slot are less than {@code remainder},
     * times 2, plus 1 if one of them is equal. Without a branch for the remainders.
     *
     * @param length from 0 to {@link #comparable}
     */
    int compare(long base, int slot, int length, long remainder) {
        int bits = length * remainderBits;
        long there = window(base, slot);
        long pattern = remainder * laneOnes;
        long valid = (1L << bits) - 1;
        long different = there ^ pattern;
        long zeros = (different - laneOnes) & ~different & laneHighs & valid;
        // A lane's high bit stays if its low bits are at least those of the pattern: lanes cannot
        // borrow from each other. Less: by the high bit, or by the low bits if that is equal.
        long atLeast = (there | laneHighs) - (pattern & ~laneHighs);
        long less = ((~there & pattern) | (~different & ~atLeast)) & laneHighs & valid;
        return 2 * Long.bitCount(less) + (int) ((zeros | -zeros) >>> 63);
    }

    /** 64 bits from the beginning of a slot; those beyond the block are wrong. */
    private long window(long base, int slot) {
        int bit = slot * remainderBits;
        long word = base + HEADER_WORDS + (bit >>> 6);
        int shift = bit & 63;
        // Two shifts: one by 64 would do nothing. No branch for the case of two words: it would be
        // mispredicted half of the time.
        long next = words.get(Math.min(word + 1, base + stride - 1));
        return words.get(word) >>> shift | next << 1 << (63 - shift);
    }

    /**
     * Moves slots {@code slot} to {@code top - 1} one up, overwriting slot {@code top} (or dropping
     * slot 47 if {@code top} is 48), and puts {@code remainder} into {@code slot}.
     */
    void shiftIn(long base, int slot, int top, long remainder) {
        int bit = slot * remainderBits;
        long word = base + HEADER_WORDS + (bit >>> 6);
        long last = base + HEADER_WORDS + ((Math.min((top + 1), SLOTS) * remainderBits - 1) >>> 6);
        int shift = bit & 63;
        long old = words.get(word);
        long low = old & (1L << shift) - 1;
        long high = old ^ low;
        // As if the word were wider: low, then the remainder, then high; 64 bits stay here and r
        // are carried. (Two shifts, because one by 64 would do nothing.)
        long changed = low | remainder << shift | high << remainderBits;
        long carry = remainder >>> 1 >>> (63 - shift) | high >>> (Long.SIZE - remainderBits);
        words.set(word, changed);
        words.shiftUp(word + 1, last, remainderBits, carry);
        if (top == SLOTS) {
            words.set(last, words.get(last) & lastWordMask);
        }
    }

    /** Moves slots {@code slot + 1} to {@code used - 1} one down; slot {@code used - 1} gets 0. */
    void shiftOut(long base, int slot, int used) {
        int bit = slot * remainderBits;
        long word = base + HEADER_WORDS + (bit >>> 6);
        long last = base + HEADER_WORDS + ((used * remainderBits - 1) >>> 6);
        long keep = (1L << (bit & 63)) - 1;
        long old = words.get(word);
        while (word < last) {
            long next = words.get(word + 1);
            long moved = old >>> remainderBits | next << (Long.SIZE - remainderBits);
            words.set(word++, (old & keep) | (moved & ~keep));
            old = next;
            keep = 0;
        }
        words.set(word, (old & keep) | (old >>> remainderBits & ~keep));
    }
}
