/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

/** The fingerprints of {@link Blocks}, beginning with a quotient. O(1) each. */
final class BlockCursor implements FingerprintCursor {

    private final Blocks blocks;
    private final int remainderBits;

    /** Home block of the run that is read, and its occupied bits from that run on. */
    private long home;

    private long occupied;

    /** Where the next remainder is: first word of its block, run ends, slot. */
    private long base;

    private long ends;
    private int slot;

    BlockCursor(Blocks blocks, long fromQuotient) {
        this.blocks = blocks;
        this.remainderBits = blocks.remainderBits;
        long first = Blocks.blockOf(fromQuotient);
        enter(first);
        long before = occupied & (1L << (fromQuotient - first * Blocks.SLOTS)) - 1;
        for (int pass = Long.bitCount(before); pass > 0; pass -= (int) (ends >>> (slot - 1) & 1)) {
            step();
        }
        occupied ^= before;
    }

    @Override
    public int fingerprintBits() {
        return blocks.quotientBits + remainderBits;
    }

    @Override
    public int next(long[] into) {
        int at = 0;
        int to = into.length;
        while (at < to) {
            if (occupied == 0) {
                if (home == blocks.homes - 1) {
                    break;
                }
                enter(home + 1);
                continue;
            }
            at = readHome(into, at, to);
        }
        return at;
    }

    /** Reads on until the home block's runs are done or the array is full. */
    private int readHome(long[] into, int from, int to) {
        int width = remainderBits;
        long first = (home * Blocks.SLOTS) << width;
        long runs = occupied;
        int at = from;
        int next = slot;
        long start = base;
        long runEnds = ends;
        while (runs != 0 && at < to) {
            if (next == Blocks.SLOTS) {
                nextBlock();
                next = 0;
                start = base;
                runEnds = ends;
            }
            long index = Long.numberOfTrailingZeros(runs);
            into[at++] = first + (index << width) | blocks.remainderInOrder(start, next);
            // Clears the lowest bit if this was the run's end: runs - 1 borrows from that bit.
            runs &= runs - (runEnds >>> next & 1);
            next++;
        }
        slot = next;
        occupied = runs;
        return at;
    }

    private void enter(long homeBlock) {
        home = homeBlock;
        base = blocks.base(homeBlock);
        occupied = blocks.occupied(base);
        int spilled = blocks.spilledIn(base);
        long block = homeBlock + spilled / Blocks.SLOTS;
        slot = spilled % Blocks.SLOTS;
        base = blocks.base(block);
        ends = blocks.runEnds(base);
    }

    /** Passes one remainder. Afterwards it is at {@code slot - 1}. */
    private void step() {
        if (slot == Blocks.SLOTS) {
            nextBlock();
        }
        slot++;
    }

    private void nextBlock() {
        base += blocks.stride;
        ends = blocks.runEnds(base);
        slot = 0;
    }
}
