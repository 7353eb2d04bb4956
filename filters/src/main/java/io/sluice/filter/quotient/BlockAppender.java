/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.FilterFullException;

/**
 * Fills empty {@link Blocks} with fingerprints that come in ascending order: no search, nothing is
 * moved, every block is written once. Gives the very bytes that insertions one by one would give.
 */
final class BlockAppender {

    private final Blocks blocks;
    private final int remainderBits;
    private final long remainderMask;

    /** Block that is written to, its first word, its run ends, and the slot that is next. */
    private long block;

    private long base;
    private long ends;
    private int slot;

    /** Home of the last fingerprint's quotient, and its occupied bits so far. */
    private long home;

    private long occupied;

    private long lastQuotient = -1;
    private long count;

    BlockAppender(Blocks blocks) {
        this.blocks = blocks;
        this.remainderBits = blocks.remainderBits;
        this.remainderMask = blocks.remainderMask;
    }

    /**
     * Appends {@code length} ascending fingerprints, none less than the last one before.
     *
     * @throws FilterFullException if they do not fit
     */
    void append(long[] fingerprints, int length) {
        for (int i = 0; i < length; i++) {
            long fingerprint = fingerprints[i];
            long quotient = fingerprint >>> remainderBits;
            if (quotient != lastQuotient) {
                beginRun(quotient);
            }
            if (slot == Blocks.SLOTS) {
                nextBlock();
            }
            blocks.fill(base, slot, fingerprint & remainderMask);
            slot++;
        }
        count += length;
    }

    /** Ends the last run and begins another, perhaps in a block further on. */
    private void beginRun(long quotient) {
        endRun();
        lastQuotient = quotient;
        long nextHome = Blocks.blockOf(quotient);
        if (nextHome != home) {
            leaveHome(nextHome);
        }
        occupied |= 1L << (quotient - nextHome * Blocks.SLOTS);
    }

    private void endRun() {
        if (lastQuotient >= 0) {
            // The last remainder is in this block: a block is left only to write into the next.
            ends |= 1L << (slot - 1);
        }
    }

    private void leaveHome(long nextHome) {
        long homeBase = blocks.base(home);
        blocks.words.set(homeBase, blocks.words.get(homeBase) | occupied);
        occupied = 0;
        long place = block * Blocks.SLOTS + slot;
        for (long next = home + 1; next <= nextHome && place > next * Blocks.SLOTS; next++) {
            setSpill(next, place - next * Blocks.SLOTS);
        }
        home = nextHome;
        if (block < nextHome) {
            finishBlock();
            block = nextHome;
            base = blocks.base(block);
            ends = 0;
            slot = 0;
        }
    }

    private void setSpill(long next, long spilled) {
        if (spilled > Blocks.MAX_SPILL) {
            throw new FilterFullException(
                    "more than "
                            + Blocks.MAX_SPILL
                            + " fingerprints crowd together: hashes are not uniform");
        }
        blocks.words.set(blocks.base(next), spilled << Blocks.SLOTS);
    }

    private void nextBlock() {
        if (block == blocks.count - 1) {
            throw new FilterFullException(
                    "no room behind the last quotient: hashes are not uniform, or the load is too"
                            + " high. Use more quotient bits");
        }
        finishBlock();
        block++;
        base += blocks.stride;
        ends = 0;
        slot = 0;
    }

    private void finishBlock() {
        blocks.setEndsAndUsed(base, ends, slot);
    }

    /** Writes what is still to be written; returns how many fingerprints there are. */
    long finish() {
        endRun();
        leaveHome(home);
        finishBlock();
        // Blocks behind the last home, too, say what was spilled into them.
        long place = block * Blocks.SLOTS + slot;
        for (long next = home + 1; next < blocks.count && place > next * Blocks.SLOTS; next++) {
            setSpill(next, place - next * Blocks.SLOTS);
        }
        return count;
    }
}
