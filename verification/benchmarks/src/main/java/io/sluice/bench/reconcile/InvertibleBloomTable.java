/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.capture.SplitMix64;
import java.util.ArrayList;
import java.util.List;

/**
 * An invertible Bloom lookup table of elements with multiplicities: the difference of two tables
 * lists the difference of their sets, regardless of what they have in common.
 *
 * <p>Source: Goodrich, Mitzenmacher, <i>Invertible Bloom Lookup Tables</i> (2011), and Eppstein,
 * Goodrich, Uyeda, Varghese, <i>What's the Difference?</i> (2011). Departures: an entry is a pair
 * of hash and multiplicity, so an element with unequal multiplicities is two differences; an entry
 * has one cell in each third of the table, so that its cells always differ.
 *
 * <p>A rival for comparison, not for use. Not thread-safe.
 */
final class InvertibleBloomTable {
    /** Cells of an entry. Three need the fewest cells for more than some hundred differences. */
    static final int CELLS_PER_ENTRY = 3;

    /** Bytes of a cell on the wire: hash 8, multiplicity 2, check 4, count 2. */
    static final int CELL_BYTES = 16;

    /** The most that fits two bytes of a cell. */
    static final int MAX_COPIES = (1 << 16) - 1;

    /** Threshold for three cells per entry: below it nearly all large tables fail. */
    private static final double CELLS_PER_DIFFERENCE = 1.2218;

    private final long[] hashes;
    private final int[] copies;
    private final int[] checks;
    private final int[] counts;
    private final long seed;

    /** An empty table of {@code cells} cells, rounded up to a multiple of three. */
    InvertibleBloomTable(int cells, long seed) {
        if (cells < 1) {
            throw new IllegalArgumentException("cells must be at least 1, got " + cells);
        }
        int rounded = (cells + CELLS_PER_ENTRY - 1) / CELLS_PER_ENTRY * CELLS_PER_ENTRY;
        hashes = new long[rounded];
        copies = new int[rounded];
        checks = new int[rounded];
        counts = new int[rounded];
        this.seed = seed;
    }

    /**
     * Cells that list this many differences in nearly all cases: the threshold plus a tenth, plus
     * what small tables need because they are more uneven.
     */
    static int cells(long differences) {
        return (int)
                Math.ceil(
                        1.1 * CELLS_PER_DIFFERENCE * differences
                                + 2 * Math.sqrt((double) differences)
                                + 12);
    }

    /** One entry of a difference; {@code own} if this table's side has it rather than the other. */
    record Entry(long hash, int copies, boolean own) {}

    /**
     * What was listed.
     *
     * @param complete false if entries remain that could not be separated: the table was too small
     *     for the difference
     */
    record Listing(List<Entry> entries, boolean complete) {}

    int cells() {
        return hashes.length;
    }

    long sizeInBytes() {
        return (long) CELL_BYTES * hashes.length;
    }

    /**
     * Adds an element.
     *
     * @param multiplicity from 1 to {@value #MAX_COPIES}
     */
    void insert(long hash, long multiplicity) {
        if (multiplicity < 1 || multiplicity > MAX_COPIES) {
            throw new IllegalArgumentException(
                    "multiplicity must be from 1 to " + MAX_COPIES + ", got " + multiplicity);
        }
        toggle(hash, (int) multiplicity, 1);
    }

    private void toggle(long hash, int multiplicity, int sign) {
        long mixed = entryHash(hash, multiplicity);
        for (int i = 0; i < CELLS_PER_ENTRY; i++) {
            int cell = cell(mixed, i);
            hashes[cell] ^= hash;
            copies[cell] ^= multiplicity;
            checks[cell] ^= check(mixed);
            counts[cell] += sign;
        }
    }

    private long entryHash(long hash, int multiplicity) {
        return SplitMix64.mix(SplitMix64.mix(hash ^ seed) + multiplicity);
    }

    private static int check(long mixed) {
        return (int) SplitMix64.mix(mixed + SplitMix64.GAMMA);
    }

    private int cell(long mixed, int i) {
        int third = hashes.length / CELLS_PER_ENTRY;
        long bits = SplitMix64.mix(mixed - (i + 1) * SplitMix64.GAMMA) >>> 32;
        return i * third + (int) ((bits * third) >>> 32);
    }

    /**
     * Removes everything that {@code other} holds from this table, so that what both hold is gone.
     */
    void subtract(InvertibleBloomTable other) {
        if (other.hashes.length != hashes.length || other.seed != seed) {
            throw new IllegalArgumentException(
                    "tables must have equal cells and seeds, got "
                            + hashes.length
                            + " and "
                            + other.hashes.length
                            + " cells");
        }
        for (int cell = 0; cell < hashes.length; cell++) {
            hashes[cell] ^= other.hashes[cell];
            copies[cell] ^= other.copies[cell];
            checks[cell] ^= other.checks[cell];
            counts[cell] -= other.counts[cell];
        }
    }

    /** Lists what is in the table after {@link #subtract}, and empties it as far as possible. */
    Listing list() {
        List<Entry> entries = new ArrayList<>();
        // Visits every cell once, and again the cells of each entry; there are at most as many
        // entries.
        int[] waiting = new int[hashes.length * (CELLS_PER_ENTRY + 1)];
        int size = 0;
        for (int cell = 0; cell < hashes.length; cell++) {
            waiting[size++] = cell;
        }
        while (size > 0) {
            int cell = waiting[--size];
            if (!isPure(cell)) {
                continue;
            }
            if (entries.size() == hashes.length) {
                return new Listing(entries, false); // checks collided: no table holds this many
            }
            Entry entry = new Entry(hashes[cell], copies[cell], counts[cell] > 0);
            entries.add(entry);
            toggle(entry.hash, entry.copies, entry.own ? -1 : 1);
            long mixed = entryHash(entry.hash, entry.copies);
            for (int i = 0; i < CELLS_PER_ENTRY; i++) {
                waiting[size++] = cell(mixed, i);
            }
        }
        return new Listing(entries, isEmpty());
    }

    /** Whether it has exactly one entry, except for checks that are equal by chance. */
    private boolean isPure(int cell) {
        return (counts[cell] == 1 || counts[cell] == -1)
                && checks[cell] == check(entryHash(hashes[cell], copies[cell]));
    }

    private boolean isEmpty() {
        for (int cell = 0; cell < hashes.length; cell++) {
            if (counts[cell] != 0 || hashes[cell] != 0 || checks[cell] != 0) {
                return false;
            }
        }
        return true;
    }
}
