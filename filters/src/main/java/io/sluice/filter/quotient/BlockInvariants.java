/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

/**
 * Whether blocks are what {@link Blocks} says they are. O(blocks) for the metadata, which is enough
 * for every search to end inside the blocks, whatever the bytes were that they were read from.
 */
final class BlockInvariants {

    private final Blocks blocks;

    /** Behind the last remainder of the runs so far: slots from the first block's first. */
    private long end;

    private long count;

    private BlockInvariants(Blocks blocks) {
        this.blocks = blocks;
    }

    /** What is wrong with the metadata of blocks that hold {@code count}; empty if nothing. */
    static String metadataProblem(Blocks blocks, long count) {
        BlockInvariants found = new BlockInvariants(blocks);
        for (long block = 0; block < blocks.count; block++) {
            String problem = found.headerProblem(block);
            if (!problem.isEmpty()) {
                return "block " + block + ": " + problem;
            }
        }
        for (long word = blocks.base(blocks.count); word < blocks.words.length(); word++) {
            if (blocks.words.get(word) != 0) {
                return "the words behind the last block are not zero";
            }
        }
        return found.count == count
                ? ""
                : "holds " + found.count + " fingerprints, expected " + count;
    }

    /** As {@link #metadataProblem}, and what is wrong with the remainders. O(count). */
    static String problem(Blocks blocks, long count) {
        String problem = metadataProblem(blocks, count);
        if (!problem.isEmpty()) {
            return problem;
        }
        BlockCursor cursor = new BlockCursor(blocks, 0);
        long[] one = new long[1];
        long last = -1;
        long seen = 0;
        while (cursor.next(one, 0, 1) == 1) {
            if (one[0] < last) {
                return "fingerprint " + one[0] + " stands behind " + last;
            }
            last = one[0];
            seen++;
        }
        if (seen != count) {
            return "a cursor reads " + seen + " of " + count + " fingerprints";
        }
        for (long block = 0; block < blocks.count; block++) {
            if (!unusedIsZero(blocks, block)) {
                return "block " + block + ": bits are set where no remainder is";
            }
        }
        return "";
    }

    private String headerProblem(long block) {
        long base = blocks.base(block);
        long first = block * Blocks.SLOTS;
        int spilled = blocks.spilledIn(base);
        if (spilled != Math.max(0, end - first)) {
            return spilled + " spilled in, expected " + Math.max(0, end - first);
        }
        long occupied = blocks.occupied(base);
        long quotients = Math.max(0, Math.min(Blocks.SLOTS, quotients() - first));
        if ((occupied & -1L << quotients) != 0) {
            return "runs of quotients that do not exist";
        }
        long start = first + spilled;
        end = start;
        for (int runs = Long.bitCount(occupied); runs > 0; ) {
            long at = end / Blocks.SLOTS;
            if (at >= blocks.count) {
                return "its last run does not end";
            }
            int slot = (int) (end - at * Blocks.SLOTS);
            long ends = blocks.runEnds(blocks.base(at)) >>> slot;
            int there = Long.bitCount(ends);
            if (there < runs) {
                end = (at + 1) * Blocks.SLOTS;
                runs -= there;
            } else {
                end += Select.bit(ends, runs - 1) + 1;
                runs = 0;
            }
        }
        count += end - start;
        long used = Math.min(Blocks.SLOTS, end - first);
        long header = blocks.words.get(base + 1);
        if (header >>> Blocks.SLOTS != used) {
            return (header >>> Blocks.SLOTS) + " slots used, expected " + used;
        }
        return (header & Blocks.SLOT_MASK & -1L << used) == 0 ? "" : "runs end in unused slots";
    }

    private long quotients() {
        return 1L << blocks.quotientBits;
    }

    private static boolean unusedIsZero(Blocks blocks, long block) {
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
