/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.FilterFullException;

/**
 * Fills empty {@link Blocks} with fingerprints that come in ascending order: no searching, no
 * moving, and every block is written once. Gives exactly the bytes that single insertions would
 * give.
 */
final class BlockAppender {

    private final Blocks blocks;
    private final int remainderBits;
    private final long remainderMask;

    /** Block that is being written, and its next slot. */
    private long block;

    private int slot;

    /**
     * Word of the block's remainders that is being filled, its content, and how many bits are used.
     */
    private long word;

    private long bits;
    private int filled;

    /** Run ends of the block, one bit further up: bit i + 1 if slot i ends a run. */
    private long endsAbove;

    /**
     * Home of the last fingerprint's quotient, its first quotient, and its occupied bits so far.
     */
    private long home;

    private long firstQuotient;
    private long occupied;

    private long lastQuotient = -1;
    private long count;
    private long mostSpilled;

    BlockAppender(Blocks blocks) {
        this.blocks = blocks;
        this.remainderBits = blocks.remainderBits;
        this.remainderMask = blocks.remainderMask;
        this.word = Blocks.HEADER_WORDS;
    }

    /**
     * Appends {@code length} ascending fingerprints, none less than the last one before.
     *
     * @throws FilterFullException if they do not fit
     */
    void append(long[] fingerprints, int length) {
        int done = 0;
        while (done < length) {
            long quotient = fingerprints[done] >>> remainderBits;
            if (quotient - firstQuotient >= Blocks.SLOTS) {
                endRun();
                leaveHome(Blocks.blockOf(quotient));
            }
            if (slot == Blocks.SLOTS) {
                if (quotient != lastQuotient) {
                    endRun();
                }
                nextBlock();
            }
            done = appendAtHome(fingerprints, done, length);
        }
        count += length;
    }

    /** Appends until the home, the block or the array ends; all in local variables. */
    private int appendAtHome(long[] fingerprints, int from, int length) {
        int width = remainderBits;
        long mask = remainderMask;
        long first = firstQuotient;
        long last = lastQuotient;
        long above = endsAbove;
        long runs = occupied;
        long into = word;
        long held = bits;
        int used = filled;
        int at = slot;
        int end = Math.min(length, from + Blocks.SLOTS - slot);
        int i = from;
        for (; i < end; i++) {
            long fingerprint = fingerprints[i];
            long quotient = fingerprint >>> width;
            long index = quotient - first;
            if (index >= Blocks.SLOTS) {
                break;
            }
            // 1 if the quotient is greater than the last: then a run ended in the slot before.
            above |= (last - quotient) >>> 63 << at++;
            last = quotient;
            runs |= 1L << index;
            long remainder = fingerprint & mask;
            held |= remainder << used;
            used += width;
            if (used >= Long.SIZE) {
                blocks.words.set(into++, held);
                used -= Long.SIZE;
                held = remainder >>> (width - used);
            }
        }
        lastQuotient = last;
        endsAbove = above;
        occupied = runs;
        word = into;
        bits = held;
        filled = used;
        slot = at;
        return i;
    }

    /** Marks the last fingerprint as the end of its run. */
    private void endRun() {
        endsAbove |= 1L << slot;
    }

    private void leaveHome(long nextHome) {
        finishHome(nextHome);
        home = nextHome;
        firstQuotient = nextHome * Blocks.SLOTS;
        if (block < nextHome) {
            finishBlock();
            beginBlock(nextHome);
        }
    }

    /** Writes what is known about the home, and how much is spilled into blocks up to another. */
    private void finishHome(long last) {
        long base = blocks.base(home);
        blocks.words.set(base, blocks.words.get(base) | occupied);
        occupied = 0;
        long place = block * Blocks.SLOTS + slot;
        for (long next = home + 1; next <= last && place > next * Blocks.SLOTS; next++) {
            long spilled = place - next * Blocks.SLOTS;
            if (spilled > Blocks.MAX_SPILL) {
                throw new FilterFullException(
                        "more than "
                                + Blocks.MAX_SPILL
                                + " fingerprints crowd together: hashes are not uniform");
            }
            blocks.words.set(blocks.base(next), spilled << Blocks.SLOTS);
            mostSpilled = Math.max(mostSpilled, spilled);
        }
    }

    private void nextBlock() {
        if (block == blocks.count - 1) {
            throw new FilterFullException(
                    "no room after the last quotient: hashes are not uniform, or the load is too"
                            + " high. Use more quotient bits");
        }
        finishBlock();
        beginBlock(block + 1);
    }

    private void beginBlock(long next) {
        block = next;
        word = blocks.base(next) + Blocks.HEADER_WORDS;
        slot = 0;
        endsAbove = 0;
        bits = 0;
        filled = 0;
    }

    private void finishBlock() {
        if (filled > 0) {
            blocks.words.set(word, bits);
        }
        blocks.setEndsAndUsed(blocks.base(block), endsAbove >>> 1, slot);
    }

    /** Writes the rest. Nothing can be appended afterwards. */
    BlockTable finish() {
        endRun();
        finishHome(blocks.count - 1);
        finishBlock();
        return BlockTable.of(blocks, mostSpilled);
    }

    /** How many were appended. */
    long count() {
        return count;
    }
}
