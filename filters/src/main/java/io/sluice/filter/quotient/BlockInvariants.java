/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.memory.Select;

/**
 * Whether blocks are as {@link Blocks} describes, whatever bytes they were read from. O(blocks) for
 * the metadata, which is enough to make every cursor end inside the blocks, then O(fingerprints),
 * once, for the remainders.
 */
final class BlockInvariants {

    private static final int BATCH = 256;

    private final Blocks blocks;
    private final long quotients;

    /** Blocks all of whose quotients exist. */
    private final long wholeHomes;

    /** Behind the last remainder of the runs so far: slots from the first block's first. */
    private long end;

    private long held;
    private long mostSpilled;

    BlockInvariants(Blocks blocks) {
        this.blocks = blocks;
        this.quotients = blocks.quotients;
        this.wholeHomes = quotients / Blocks.SLOTS;
    }

    /** What is wrong, if the blocks should hold {@code count} fingerprints; empty if nothing is. */
    String problem(long count) {
        String metadata = metadataProblem(count);
        return metadata.isEmpty() ? remainderProblem(count) : metadata;
    }

    private String metadataProblem(long count) {
        for (long block = 0; block < blocks.count; block++) {
            String problem = headerProblem(block);
            if (!problem.isEmpty()) {
                return "block " + block + ": " + problem;
            }
        }
        for (long word = blocks.base(blocks.count); word < blocks.words.length(); word++) {
            if (blocks.words.get(word) != 0) {
                return "the words after the last block are not zero";
            }
        }
        return held == count ? "" : "holds " + held + " fingerprints, expected " + count;
    }

    /** The most that is spilled into a block; after {@link #problem(long)}. */
    long mostSpilled() {
        return mostSpilled;
    }

    /** What is wrong with the remainders, provided that the metadata is right. */
    private String remainderProblem(long count) {
        BlockCursor cursor = new BlockCursor(blocks, 0);
        long[] batch = new long[BATCH];
        long last = -1;
        long seen = 0;
        for (int n = cursor.next(batch); n > 0; n = cursor.next(batch)) {
            for (int i = 0; i < n; i++) {
                if (batch[i] < last) {
                    return "fingerprint " + batch[i] + " comes after " + last;
                }
                last = batch[i];
            }
            seen += n;
        }
        if (seen != count) {
            return "a cursor reads " + seen + " of " + count + " fingerprints";
        }
        for (long block = 0; block < blocks.count; block++) {
            if (!unusedIsZero(block)) {
                return "block " + block + ": bits are set where no remainder is";
            }
        }
        return "";
    }

    private String headerProblem(long block) {
        long base = blocks.base(block);
        long header = blocks.words.get(base);
        long first = block * Blocks.SLOTS;
        int spilled = (int) (header >>> Blocks.SLOTS);
        if (spilled != Math.max(0, end - first)) {
            return spilled + " spilled in, expected " + Math.max(0, end - first);
        }
        mostSpilled = Math.max(mostSpilled, spilled);
        long occupied = header & Blocks.SLOT_MASK;
        if (block >= wholeHomes && (occupied & -1L << Math.max(0, quotients - first)) != 0) {
            return "runs of quotients that do not exist";
        }
        long endsAndUsed = blocks.words.get(base + 1);
        long used = endsAndUsed >>> Blocks.SLOTS;
        long ends = endsAndUsed & Blocks.SLOT_MASK;
        if (used > Blocks.SLOTS || (ends & -1L << used) != 0) {
            return "runs end in unused slots, or more slots used than there are";
        }
        int runs = Long.bitCount(occupied);
        if (used < Blocks.SLOTS) {
            // Nothing spills out: all its runs end here, the last one in the last used slot.
            long own = ends >>> spilled;
            int length = Long.SIZE - Long.numberOfLeadingZeros(own);
            if (Long.bitCount(own) != runs || spilled + length != used) {
                return used + " slots used, but runs say otherwise";
            }
            held += length;
            end = first + used;
            return "";
        }
        end = endOfRuns(block, spilled, runs);
        if (end < first + Blocks.SLOTS) {
            return "said to be full, but its last run ends before, or nowhere";
        }
        held += end - first - spilled;
        return "";
    }

    /** Returns the place after a number of runs from a slot of a block on; -1 if there is none. */
    private long endOfRuns(long firstBlock, int firstSlot, int count) {
        long block = firstBlock + firstSlot / Blocks.SLOTS;
        int slot = firstSlot % Blocks.SLOTS;
        int left = count;
        if (left == 0) {
            return block * Blocks.SLOTS + slot;
        }
        while (block < blocks.count) {
            long ends = blocks.runEnds(blocks.base(block)) >>> slot;
            int there = Long.bitCount(ends);
            if (there >= left) {
                return block * Blocks.SLOTS + slot + Select.bit(ends, left - 1) + 1;
            }
            left -= there;
            slot = 0;
            block++;
        }
        return -1;
    }

    private boolean unusedIsZero(long block) {
        long base = blocks.base(block);
        int bits = blocks.used(base) * blocks.remainderBits;
        for (int word = 0; word < blocks.stride - Blocks.HEADER_WORDS; word++) {
            int usedBits = Math.max(0, Math.min(Long.SIZE, bits - word * Long.SIZE));
            long usedMask = usedBits == 0 ? 0 : -1L >>> (Long.SIZE - usedBits);
            if ((blocks.words.get(base + Blocks.HEADER_WORDS + word) & ~usedMask) != 0) {
                return false;
            }
        }
        return true;
    }
}
