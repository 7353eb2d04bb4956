/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.annotation.Internal;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.io.IOException;
import java.util.function.LongFunction;

/**
 * The table under a quotient filter, for callers that make fingerprints themselves: a set of
 * numbers from 0 to {@code quotients * 2^remainderBits - 1} in ascending order, each once if only
 * {@link #add} adds. Any number of quotients will do, not only a power of two: fingerprints may
 * begin with something that is not a hash, such as a key group. They may also end with something
 * that is not one, a value: {@link #matching} finds it and {@link #replace} changes it.
 *
 * <p>Does not watch its load: callers that add have to look at {@link #size}, and stay at 95 % of
 * the quotients or below. Fingerprints are not checked for their range. Costs are those of {@link
 * QuotientFilter}. Not thread-safe; once it no longer changes, and was handed over safely, any
 * threads may read it.
 */
@Internal
public final class QuotientTable {

    /** {@link #matching}: there is none. */
    public static final long NONE = -1;

    /** {@link #matching}: there are different ones. */
    public static final long SEVERAL = -2;

    private BlockTable table;
    private long size;

    private QuotientTable(BlockTable table) {
        this.table = table;
    }

    /**
     * An empty table.
     *
     * @param quotients from 2 to 2^36
     * @param remainderBits from 1 to 63 less the bits of the greatest quotient
     */
    public static QuotientTable create(Storage storage, long quotients, int remainderBits) {
        return create(length -> Words.allocate(storage, length), quotients, remainderBits);
    }

    /**
     * As {@link #create(Storage, long, int)}, in memory from elsewhere.
     *
     * @param memory gives a number of words of zero
     */
    public static QuotientTable create(
            LongFunction<Words> memory, long quotients, int remainderBits) {
        check(quotients, remainderBits);
        return new QuotientTable(
                BlockTable.empty(Blocks.forQuotients(memory, quotients, remainderBits)));
    }

    /** Bytes of a table, without what aligns it to the lines of a cache. */
    public static long sizeInBytes(long quotients, int remainderBits) {
        check(quotients, remainderBits);
        return Blocks.wordsFor(quotients, remainderBits) * Long.BYTES;
    }

    private static void check(long quotients, int remainderBits) {
        if (quotients < 2 || quotients > 1L << QuotientSizing.MAX_QUOTIENT_BITS) {
            throw new IllegalArgumentException(
                    "quotients must be between 2 and 2^"
                            + QuotientSizing.MAX_QUOTIENT_BITS
                            + ", got "
                            + quotients);
        }
        int quotientBits = Long.SIZE - Long.numberOfLeadingZeros(quotients - 1);
        QuotientSizing.checkRemainderBits(quotientBits, remainderBits);
    }

    /**
     * Adds a fingerprint unless it is there.
     *
     * @return whether it was added
     * @throws FilterFullException if there is no room near its quotient, because fingerprints are
     *     not uniform or the load is too high; nothing is changed
     */
    public boolean add(long fingerprint) {
        if (table.insert(fingerprint, true)) {
            size++;
            return true;
        }
        return false;
    }

    /**
     * Adds a copy of a fingerprint, whether it is there or not. What was inserted twice has to be
     * removed twice.
     *
     * @throws FilterFullException as {@link #add}
     */
    public void insert(long fingerprint) {
        table.insert(fingerprint, false);
        size++;
    }

    public boolean contains(long fingerprint) {
        return table.search().contains(fingerprint);
    }

    /**
     * The fingerprint held, in one copy or more, that differs from {@code fingerprint} at most in
     * its lowest bits.
     *
     * @param lowBits at least 0 and at most the bits of a remainder
     * @return it, or {@link #NONE}, or {@link #SEVERAL} if there are different ones
     */
    public long matching(long fingerprint, int lowBits) {
        return table.search().matching(fingerprint, lowBits);
    }

    /**
     * Replaces a copy of {@code fingerprint} by {@code by}, if there is one; both have the same
     * quotient. Cheaper than {@link #remove} and {@link #insert}: nothing moves unless another
     * fingerprint lies between the two.
     *
     * @return whether there was one
     */
    public boolean replace(long fingerprint, long by) {
        return table.replace(fingerprint, by);
    }

    /** Removes a copy of a fingerprint; returns whether there was one. */
    public boolean remove(long fingerprint) {
        if (table.remove(fingerprint)) {
            size--;
            return true;
        }
        return false;
    }

    /**
     * Reads the memory that an insertion of {@code fingerprint} will need: its block's header,
     * roughly the slot where it goes, and the block's end. Meant to be called for many fingerprints
     * before the operations themselves, so that the memory accesses overlap.
     *
     * @return a meaningless number, for {@link io.sluice.filter.memory.Touches#keep}
     */
    public long touch(long fingerprint) {
        return table.touch(fingerprint);
    }

    /**
     * All fingerprints from the first of a quotient on, ascending. Valid until the table changes.
     *
     * @param fromQuotient at least 0 and less than the number of quotients
     */
    public FingerprintCursor cursor(long fromQuotient) {
        return new BlockCursor(table.blocks(), fromQuotient);
    }

    /** Returns the bytes that {@link #writeTo} writes. */
    long payloadBytes() {
        return table.blocks().words.length() * Long.BYTES;
    }

    /** Writes the blocks as payload. */
    void writeTo(FilterWriter writer) throws IOException {
        table.blocks().words.writeTo(writer);
    }

    /**
     * Reads what {@link #writeTo} wrote onto the heap: the rest of the payload.
     *
     * @param size fingerprints that it holds, with copies
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged, or are not
     *     those of such a table
     */
    static QuotientTable readFrom(FilterReader reader, long quotients, int remainderBits, long size)
            throws IOException {
        long length = Blocks.wordsFor(quotients, remainderBits);
        if (reader.payloadLeft() != length * Long.BYTES) {
            throw reader.corrupt(
                    reader.payloadLeft() + " bytes of payload, expected " + length * Long.BYTES);
        }
        Words words = Words.readFrom(reader, Storage.HEAP, length);
        reader.finish();
        Blocks blocks = Blocks.over(words, quotients, remainderBits);
        BlockInvariants invariants = new BlockInvariants(blocks);
        String problem = invariants.problem(size);
        if (!problem.isEmpty()) {
            throw reader.corrupt(problem);
        }
        QuotientTable table = new QuotientTable(BlockTable.of(blocks, invariants.mostSpilled()));
        table.size = size;
        return table;
    }

    /** Takes everything out. O(bytes). */
    public void clear() {
        Blocks blocks = table.blocks();
        blocks.words.clear();
        table = BlockTable.empty(blocks);
        size = 0;
    }

    /** Fingerprints held. */
    public long size() {
        return size;
    }

    /** Bytes of memory. */
    public long sizeInBytes() {
        return table.blocks().words.sizeInBytes();
    }

    /**
     * Checks every bit of the structure. O(n).
     *
     * @throws IllegalStateException if something is wrong: a defect, or memory that was damaged
     */
    public void checkInvariants() {
        String problem = new BlockInvariants(table.blocks()).problem(size);
        if (!problem.isEmpty()) {
            throw new IllegalStateException(problem);
        }
    }
}
