/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.memory.Select;

/**
 * Search in {@link Blocks}. Fingerprints are not checked for their range.
 *
 * <p>A place is one number, block times 48 plus slot. A search begins at the block that is home to
 * the quotient: the rank of its occupied bit says how many runs to pass there, and the run-end bits
 * say where they end (Pandey et al. 2017, section 3.1, by blocks instead of slots).
 *
 * <p>Cost: a lookup reads one block, and the next one if its run was spilled, with probability 0.2
 * % at a load of 0.75, 4 % at 0.9, 14 % at 0.95.
 */
final class BlockSearch {

    /** Flag of {@link #locate}, in the bits below a place: the fingerprint is there. */
    static final int FOUND = 1;

    /** The place is after the last remainder of the quotient's run. */
    static final int APPEND = 2;

    static final int PLACE_SHIFT = 2;

    private final Blocks blocks;
    private final int remainderBits;
    private final long remainderMask;

    BlockSearch(Blocks blocks) {
        this.blocks = blocks;
        this.remainderBits = blocks.remainderBits;
        this.remainderMask = blocks.remainderMask;
    }

    boolean contains(long fingerprint) {
        long quotient = fingerprint >>> remainderBits;
        long home = Blocks.blockOf(quotient);
        int index = (int) (quotient - home * Blocks.SLOTS);
        long base = blocks.base(home);
        long header = blocks.words.get(base);
        if ((header >>> index & 1) == 0) {
            return false;
        }
        long endsAndUsed = blocks.words.get(base + 1);
        int slot = startAtHome(header, endsAndUsed, index);
        if (slot < 0) {
            return containsBeyond(fingerprint, header, base);
        }
        int length = Long.numberOfTrailingZeros((endsAndUsed & Blocks.SLOT_MASK) >>> slot) + 1;
        return blocks.holds(base, slot, length, fingerprint & remainderMask);
    }

    /** As {@link #contains}, for a run that exists, wherever it begins and ends. */
    private boolean containsBeyond(long fingerprint, long header, long homeBase) {
        long base = homeBase;
        long quotient = fingerprint >>> remainderBits;
        int index = (int) (quotient - Blocks.blockOf(quotient) * Blocks.SLOTS);
        int pass = Long.bitCount(header & (1L << index) - 1);
        int slot = (int) (header >>> Blocks.SLOTS);
        while (slot >= Blocks.SLOTS) {
            slot -= Blocks.SLOTS;
            base += blocks.stride;
        }
        long remainder = fingerprint & remainderMask;
        while (true) {
            long ends = blocks.runEnds(base) >>> slot;
            int runs = Long.bitCount(ends);
            if (runs > pass) {
                int start = Select.bit(ends << 1 | 1, pass);
                int length = Long.numberOfTrailingZeros(ends >>> start) + 1;
                return blocks.holds(base, slot + start, length, remainder);
            }
            if (runs == pass) {
                // The run begins here, if there is a slot left, and ends in a later block.
                int start = slot + Long.SIZE - Long.numberOfLeadingZeros(ends);
                if (blocks.holds(base, start, Blocks.SLOTS - start, remainder)) {
                    return true;
                }
            }
            pass -= runs;
            slot = 0;
            base += blocks.stride;
        }
    }

    /**
     * What {@link QuotientTable#matching} says. Runs are short, so looking at every remainder is
     * cheaper than a search.
     */
    long matching(long fingerprint, int lowBits) {
        long quotient = fingerprint >>> remainderBits;
        long home = Blocks.blockOf(quotient);
        int index = (int) (quotient - home * Blocks.SLOTS);
        long base = blocks.base(home);
        long header = blocks.words.get(base);
        if ((header >>> index & 1) == 0) {
            return QuotientTable.NONE;
        }
        long endsAndUsed = blocks.words.get(base + 1);
        int slot = startAtHome(header, endsAndUsed, index);
        if (slot < 0) {
            return matchingBeyond(fingerprint, lowBits);
        }
        int end = slot + Long.numberOfTrailingZeros((endsAndUsed & Blocks.SLOT_MASK) >>> slot);
        long wanted = (fingerprint & remainderMask) >>> lowBits;
        long match = QuotientTable.NONE;
        for (; slot <= end; slot++) {
            long there = blocks.remainderInOrder(base, slot);
            if (there >>> lowBits == wanted) {
                if (match >= 0 && match != there) {
                    return QuotientTable.SEVERAL;
                }
                match = there;
            }
        }
        return match < 0 ? match : quotient << remainderBits | match;
    }

    /** As {@link #matching}, for a run that exists, wherever it begins and ends. */
    private long matchingBeyond(long fingerprint, int lowBits) {
        long found = locate(fingerprint >>> lowBits << lowBits);
        if ((found & APPEND) != 0) {
            return QuotientTable.NONE;
        }
        long wanted = (fingerprint & remainderMask) >>> lowBits;
        long place = found >>> PLACE_SHIFT;
        long match = remainderAt(place);
        if (match >>> lowBits != wanted) {
            return QuotientTable.NONE;
        }
        // They are in order: a different one that matches comes after all copies of the first.
        for (long there = match; there >>> lowBits == wanted; there = remainderAt(place)) {
            if (there != match) {
                return QuotientTable.SEVERAL;
            }
            if (isRunEnd(place++)) {
                break;
            }
        }
        return fingerprint >>> remainderBits << remainderBits | match;
    }

    /** How many copies are held. */
    long count(long fingerprint) {
        long found = locate(fingerprint);
        if ((found & FOUND) == 0) {
            return 0;
        }
        long remainder = fingerprint & remainderMask;
        long place = found >>> PLACE_SHIFT;
        long copies = 0;
        while (remainderAt(place) == remainder) {
            copies++;
            if (isRunEnd(place)) {
                break;
            }
            place++;
        }
        return copies;
    }

    /**
     * The slot of its home block at which a quotient's run begins, or would begin; -1 if the run
     * begins or ends in a later block. The usual case, and the only one without a loop.
     */
    static int startAtHome(long header, long endsAndUsed, int index) {
        int spilled = (int) (header >>> Blocks.SLOTS);
        if (spilled >= Blocks.SLOTS) {
            return -1;
        }
        long occupied = header & Blocks.SLOT_MASK;
        int pass = Long.bitCount(occupied & (1L << index) - 1);
        long ends = (endsAndUsed & Blocks.SLOT_MASK) >>> spilled;
        int runs = Long.bitCount(ends);
        if (runs < pass + (int) (occupied >>> index & 1)) {
            return -1;
        }
        // The bit below the first slot stands for the end of the run before.
        int slot = spilled + Select.bit(ends << 1 | 1, pass);
        return slot < Blocks.SLOTS ? slot : -1;
    }

    /**
     * Where a fingerprint is, with {@link #FOUND} (its first copy), or else where it would be
     * inserted, with {@link #APPEND} if that is after all others of its run.
     */
    long locate(long fingerprint) {
        long quotient = fingerprint >>> remainderBits;
        long block = Blocks.blockOf(quotient);
        int index = (int) (quotient - block * Blocks.SLOTS);
        long base = blocks.base(block);
        long occupied = blocks.occupied(base);
        int pass = Long.bitCount(occupied & (1L << index) - 1);
        int slot = blocks.spilledIn(base);
        while (slot >= Blocks.SLOTS) {
            slot -= Blocks.SLOTS;
            block++;
            base += blocks.stride;
        }
        while (true) {
            long ends = blocks.runEnds(base) >>> slot;
            int runs = Long.bitCount(ends);
            if (runs > pass) {
                slot += Select.bit(ends << 1 | 1, pass);
                break;
            }
            if (runs == pass) {
                int start = slot + Long.SIZE - Long.numberOfLeadingZeros(ends);
                if (start < Blocks.SLOTS) {
                    slot = start;
                    break;
                }
            }
            pass -= runs;
            slot = 0;
            block++;
            base += blocks.stride;
        }
        if ((occupied >>> index & 1) == 0) {
            return (block * Blocks.SLOTS + slot) << PLACE_SHIFT;
        }
        return inRun(block, slot, fingerprint & remainderMask);
    }

    /** As {@link #locate}, from the beginning of the run. */
    private long inRun(long firstBlock, int firstSlot, long remainder) {
        long block = firstBlock;
        long base = blocks.base(block);
        int slot = firstSlot;
        long ends = blocks.runEnds(base);
        while (true) {
            long there = blocks.remainder(base, slot);
            if (there >= remainder) {
                int flag = there == remainder ? FOUND : 0;
                return (block * Blocks.SLOTS + slot) << PLACE_SHIFT | flag;
            }
            boolean end = (ends >>> slot & 1) != 0;
            slot++;
            if (end) {
                return (block * Blocks.SLOTS + slot) << PLACE_SHIFT | APPEND;
            }
            if (slot == Blocks.SLOTS) {
                block++;
                base += blocks.stride;
                slot = 0;
                ends = blocks.runEnds(base);
            }
        }
    }

    boolean isRunEnd(long place) {
        long block = place / Blocks.SLOTS;
        return (blocks.runEnds(blocks.base(block)) >>> (place - block * Blocks.SLOTS) & 1) != 0;
    }

    long remainderAt(long place) {
        long block = place / Blocks.SLOTS;
        return blocks.remainder(blocks.base(block), (int) (place - block * Blocks.SLOTS));
    }
}
