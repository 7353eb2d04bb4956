/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.FilterFullException;

/**
 * Insertion and removal in {@link Blocks}. Fingerprints are not checked for their range.
 *
 * <p>Cost: insertion and removal move remainders in the home block, and one remainder in or out of
 * each of the full blocks after it: 0.04 of them on average at a load of 0.75, 0.8 at 0.9, 4 at
 * 0.95.
 */
final class BlockTable {

    private final Blocks blocks;
    private final BlockSearch search;
    private final int remainderBits;
    private final long remainderMask;

    /**
     * Whether an insertion must first check for room: true since a block got the most that can be
     * spilled into one, or the last block became full. Both happen only with skewed fingerprints.
     */
    private boolean tight;

    private BlockTable(Blocks blocks) {
        this.blocks = blocks;
        this.search = new BlockSearch(blocks);
        this.remainderBits = blocks.remainderBits;
        this.remainderMask = blocks.remainderMask;
    }

    static BlockTable empty(Blocks blocks) {
        return new BlockTable(blocks);
    }

    /**
     * A table of blocks that hold something; at most {@code mostSpilled} is spilled into any of
     * them.
     */
    static BlockTable of(Blocks blocks, long mostSpilled) {
        BlockTable table = new BlockTable(blocks);
        table.tight = mostSpilled >= Blocks.MAX_SPILL;
        table.noteTightness(blocks.count - 1);
        return table;
    }

    /** Another table with the same content and storage. */
    BlockTable copy() {
        BlockTable copy = new BlockTable(blocks.copy());
        copy.tight = tight;
        return copy;
    }

    Blocks blocks() {
        return blocks;
    }

    BlockSearch search() {
        return search;
    }

    /** Bits of a fingerprint's home block that are always zero: a cheap way to read the block. */
    long spareBits(long fingerprint) {
        return blocks.spareBits(blocks.base(Blocks.blockOf(fingerprint >>> remainderBits)));
    }

    /** Reads the cache lines of a fingerprint's home block that an insertion will need. */
    long touch(long fingerprint) {
        long quotient = fingerprint >>> remainderBits;
        long home = Blocks.blockOf(quotient);
        return blocks.touch(blocks.base(home), (int) (quotient - home * Blocks.SLOTS));
    }

    /**
     * Inserts a copy.
     *
     * @param ifAbsent whether to insert only if there is none
     * @return whether it was inserted
     * @throws FilterFullException if there is no room after its home; nothing is changed
     */
    boolean insert(long fingerprint, boolean ifAbsent) {
        long quotient = fingerprint >>> remainderBits;
        long home = Blocks.blockOf(quotient);
        int index = (int) (quotient - home * Blocks.SLOTS);
        long base = blocks.base(home);
        long header = blocks.words.get(base);
        long endsAndUsed = blocks.words.get(base + 1);
        int used = (int) (endsAndUsed >>> Blocks.SLOTS);
        int slot = BlockSearch.startAtHome(header, endsAndUsed, index);
        if (slot < 0 || (tight && used == Blocks.SLOTS)) {
            return insertBeyond(fingerprint, ifAbsent);
        }
        long remainder = fingerprint & remainderMask;
        long ends = endsAndUsed & Blocks.SLOT_MASK;
        int occupied = (int) (header >>> index) & 1;
        int length = (Long.numberOfTrailingZeros(ends >>> slot) + 1) & -occupied;
        if (length > blocks.comparable) {
            return insertBeyond(fingerprint, ifAbsent);
        }
        int compared = blocks.compare(base, slot, length, remainder);
        if (ifAbsent && (compared & 1) != 0) {
            return false;
        }
        int to = slot + (compared >>> 1);
        // Wherever in its run the remainder goes, the run's end moves up by one: a 0 at the run's
        // beginning. A new run is one 1.
        long low = ends & (1L << slot) - 1;
        long changed = low | (long) (occupied ^ 1) << slot | (ends ^ low) << 1;
        blocks.words.set(base, header | 1L << index);
        if (used < Blocks.SLOTS) {
            blocks.shiftIn(base, to, used, remainder);
            blocks.setEndsAndUsed(base, changed, used + 1);
            return true;
        }
        blocks.setEndsAndUsed(base, changed & Blocks.SLOT_MASK, used);
        long last = remainder;
        if (to < Blocks.SLOTS) {
            last = blocks.remainder(base, Blocks.SLOTS - 1);
            blocks.shiftIn(base, to, used, remainder);
        }
        spillOneMore(home + 1);
        push(home + 1, 0, last, changed >>> Blocks.SLOTS);
        return true;
    }

    /** As {@link #insert}, wherever the run is and however long. */
    private boolean insertBeyond(long fingerprint, boolean ifAbsent) {
        long found = search.locate(fingerprint);
        if (ifAbsent && (found & BlockSearch.FOUND) != 0) {
            return false;
        }
        long quotient = fingerprint >>> remainderBits;
        long home = Blocks.blockOf(quotient);
        int index = (int) (quotient - home * Blocks.SLOTS);
        long base = blocks.base(home);
        long place = found >>> BlockSearch.PLACE_SHIFT;
        if (tight) {
            checkRoom(home, place);
        }
        boolean newRun = (blocks.occupied(base) >>> index & 1) == 0;
        if (newRun) {
            blocks.words.set(base, blocks.words.get(base) | 1L << index);
        } else if ((found & BlockSearch.APPEND) != 0) {
            flipRunEnd(place - 1);
        }
        boolean end = newRun || (found & BlockSearch.APPEND) != 0;
        long block = place / Blocks.SLOTS;
        for (long spilled = home + 1; spilled <= block; spilled++) {
            spillOneMore(spilled);
        }
        int slot = (int) (place - block * Blocks.SLOTS);
        push(block, slot, fingerprint & remainderMask, end ? 1 : 0);
        return true;
    }

    /** Removes a copy; returns whether there was one. */
    boolean remove(long fingerprint) {
        long quotient = fingerprint >>> remainderBits;
        long home = Blocks.blockOf(quotient);
        int index = (int) (quotient - home * Blocks.SLOTS);
        long base = blocks.base(home);
        long header = blocks.words.get(base);
        if ((header >>> index & 1) == 0) {
            return false;
        }
        long endsAndUsed = blocks.words.get(base + 1);
        int slot = BlockSearch.startAtHome(header, endsAndUsed, index);
        if (slot < 0) {
            return removeBeyond(fingerprint);
        }
        long ends = endsAndUsed & Blocks.SLOT_MASK;
        int length = Long.numberOfTrailingZeros(ends >>> slot) + 1;
        if (length > blocks.comparable) {
            return removeBeyond(fingerprint);
        }
        int compared = blocks.compare(base, slot, length, fingerprint & remainderMask);
        if ((compared & 1) == 0) {
            return false;
        }
        if (length == 1) {
            blocks.words.set(base, header ^ 1L << index);
        }
        pull(home, slot + (compared >>> 1), slot);
        return true;
    }

    /** As {@link #remove}, wherever the run is and however long. */
    private boolean removeBeyond(long fingerprint) {
        long found = search.locate(fingerprint);
        if ((found & BlockSearch.FOUND) == 0) {
            return false;
        }
        long quotient = fingerprint >>> remainderBits;
        long home = Blocks.blockOf(quotient);
        long place = found >>> BlockSearch.PLACE_SHIFT;
        if (search.isRunEnd(place)) {
            if (isRunStart(home, place)) {
                long base = blocks.base(home);
                long bit = 1L << (quotient - home * Blocks.SLOTS);
                blocks.words.set(base, blocks.words.get(base) ^ bit);
            } else {
                flipRunEnd(place - 1);
            }
        }
        long block = place / Blocks.SLOTS;
        for (long spilled = home + 1; spilled <= block; spilled++) {
            blocks.addSpill(blocks.base(spilled), -1);
        }
        int slot = (int) (place - block * Blocks.SLOTS);
        pull(block, slot, slot);
        return true;
    }

    /**
     * Replaces a copy by another fingerprint of the same quotient; returns whether there was one.
     * Moves nothing if the order of the run allows it.
     */
    boolean replace(long fingerprint, long by) {
        long found = search.locate(fingerprint);
        if ((found & BlockSearch.FOUND) == 0) {
            return false;
        }
        long place = found >>> BlockSearch.PLACE_SHIFT;
        if (!staysInOrder(place, fingerprint, by)) {
            // The run is as long afterwards as before, so there is room.
            return remove(fingerprint) && insert(by, false);
        }
        long block = place / Blocks.SLOTS;
        blocks.flip(blocks.base(block), (int) (place - block * Blocks.SLOTS), fingerprint ^ by);
        return true;
    }

    private boolean staysInOrder(long place, long fingerprint, long by) {
        long remainder = by & remainderMask;
        if (by >= fingerprint) {
            return search.isRunEnd(place) || search.remainderAt(place + 1) >= remainder;
        }
        return isRunStart(Blocks.blockOf(fingerprint >>> remainderBits), place)
                || search.remainderAt(place - 1) <= remainder;
    }

    /**
     * Inserts into a slot, and passes on what full blocks have no room for. What spills into the
     * first block has already been counted.
     */
    private void push(long firstBlock, int firstSlot, long newRemainder, long newEnd) {
        long block = firstBlock;
        long base = blocks.base(block);
        int slot = firstSlot;
        long remainder = newRemainder;
        long end = newEnd;
        while (true) {
            long ends = blocks.runEnds(base);
            int used = blocks.used(base);
            long low = ends & (1L << slot) - 1;
            long changed = low | end << slot | (ends ^ low) << 1;
            if (used < Blocks.SLOTS) {
                blocks.shiftIn(base, slot, used, remainder);
                blocks.setEndsAndUsed(base, changed, used + 1);
                if (block == blocks.count - 1) {
                    noteTightness(block);
                }
                return;
            }
            long last = blocks.remainder(base, Blocks.SLOTS - 1);
            blocks.shiftIn(base, slot, used, remainder);
            blocks.setEndsAndUsed(base, changed & Blocks.SLOT_MASK, used);
            remainder = last;
            end = ends >>> (Blocks.SLOTS - 1);
            slot = 0;
            block++;
            base += blocks.stride;
            spillOneMore(block);
        }
    }

    private void spillOneMore(long block) {
        blocks.addSpill(blocks.base(block), 1);
        noteTightness(block);
    }

    /**
     * Takes the remainder out of a slot and one run-end bit out of a possibly different one, and
     * takes back what was spilled.
     */
    private void pull(long firstBlock, int firstSlot, int firstEnd) {
        long block = firstBlock;
        long base = blocks.base(block);
        int slot = firstSlot;
        int endSlot = firstEnd;
        while (true) {
            long ends = blocks.runEnds(base);
            int used = blocks.used(base);
            long low = ends & (1L << endSlot) - 1;
            long changed = low | (ends >>> 1 & -1L << endSlot);
            blocks.shiftOut(base, slot, used);
            long next = base + blocks.stride;
            if (used < Blocks.SLOTS || block == blocks.count - 1 || blocks.spilledIn(next) == 0) {
                blocks.setEndsAndUsed(base, changed, used - 1);
                return;
            }
            long moved = blocks.runEnds(next) & 1;
            blocks.fill(base, Blocks.SLOTS - 1, blocks.remainder(next, 0));
            blocks.setEndsAndUsed(base, changed | moved << (Blocks.SLOTS - 1), used);
            blocks.addSpill(next, -1);
            slot = 0;
            endSlot = 0;
            block++;
            base = next;
        }
    }

    private void flipRunEnd(long place) {
        long block = place / Blocks.SLOTS;
        long word = blocks.base(block) + 1;
        blocks.words.set(word, blocks.words.get(word) ^ 1L << (place - block * Blocks.SLOTS));
    }

    /** Whether a used place begins a run of a quotient of this home. */
    private boolean isRunStart(long home, long place) {
        long base = blocks.base(home);
        long first = home * Blocks.SLOTS + blocks.spilledIn(base);
        return place == first || search.isRunEnd(place - 1);
    }

    private void noteTightness(long block) {
        long base = blocks.base(block);
        if (blocks.spilledIn(base) == Blocks.MAX_SPILL
                || (block == blocks.count - 1 && blocks.used(base) == Blocks.SLOTS)) {
            tight = true;
        }
    }

    /** Takes the same way as {@link #push} would. */
    private void checkRoom(long home, long place) {
        long block = home;
        while (true) {
            long base = blocks.base(block);
            if (block > home && blocks.spilledIn(base) == Blocks.MAX_SPILL) {
                throw new FilterFullException(
                        "more than "
                                + Blocks.MAX_SPILL
                                + " fingerprints crowd together: a hash was inserted too often, or"
                                + " hashes are not uniform");
            }
            if ((block + 1) * Blocks.SLOTS > place && blocks.used(base) < Blocks.SLOTS) {
                return;
            }
            if (++block == blocks.count) {
                throw new FilterFullException(
                        "no room after the last quotient: hashes are not uniform, or the load is"
                                + " too high. Resize the filter");
            }
        }
    }
}
