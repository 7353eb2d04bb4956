/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.keyvalue.code.CellCode;
import io.sluice.filter.memory.Words;

/**
 * The cells of one key-value Bloom filter and what can be read out of them. Nothing is checked
 * here, and callers pass mixed hashes ({@link #mix}).
 *
 * <p>A cell holds how many keys are in it and the combination of their symbols; zero is the empty
 * cell. At its maximum a counter sticks: the cell no longer changes and says nothing.
 *
 * <p>Every operation first reads the counters of all k cells in a loop of its own, so that their
 * cache misses overlap, and decodes in a second pass. A lookup leaves that loop at the first empty
 * cell: for an absent key the branch is mispredicted once, which costs less than the cache lines
 * that it saves (among several tables, most lookups are for keys that are in another one). Not
 * thread-safe.
 */
final class CellTable {

    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    /** One for each probe, and the last for the tag. */
    private static final long[] MULTIPLIERS = new long[KeyValueShape.MAX_PROBES + 1];

    /** Bits for the number of a probe, below its counter. */
    private static final int PROBE_BITS = 5;

    private static final int PROBE_MASK = (1 << PROBE_BITS) - 1;

    static {
        // Odd, with well mixed bits: the outputs of SplitMix64.
        for (int i = 0; i < MULTIPLIERS.length; i++) {
            MULTIPLIERS[i] = Hashing.mix(i * GAMMA) | 1;
        }
    }

    private final CellArray cells;
    private final CellCode code;
    private final int probes;
    private final long cellsPerProbe;
    private final int counterBits;
    private final int counterMax;
    private final int decodable;
    private final int tagBits;
    private final int tagMask;
    private final long empty;

    private long keys;
    private long stuck;

    CellTable(KeyValueShape shape, CellCode code, Words words) {
        this.cells = new CellArray(words, shape.cellBits());
        this.code = code;
        probes = shape.probes();
        cellsPerProbe = shape.cellsPerProbe();
        counterBits = shape.counterBits();
        counterMax = (1 << counterBits) - 1;
        decodable = code.kind().decodable();
        tagBits = shape.tagBits();
        tagMask = (1 << tagBits) - 1;
        empty = code.empty();
    }

    /**
     * The form of a hash that the other methods take: combined with the seed, and every bit
     * dependent on all others.
     */
    static long mix(long hash, long seed) {
        return Hashing.mix(hash ^ seed);
    }

    /** The symbol of a key and a value. */
    int symbol(long mixed, int value) {
        return value << tagBits | tag(mixed);
    }

    private int tag(long mixed) {
        return (int) ((mixed * MULTIPLIERS[KeyValueShape.MAX_PROBES]) >>> 1 >>> (63 - tagBits));
    }

    private long position(long mixed, int probe) {
        long high = (mixed * MULTIPLIERS[probe]) >>> 32;
        return probe * cellsPerProbe + ((high * cellsPerProbe) >>> 32);
    }

    /**
     * Reads the cells of a key, so that they will soon be in a cache; the result depends on all of
     * them.
     */
    long touch(long mixed) {
        long read = 0;
        for (int i = 0; i < probes; i++) {
            read |= cells.get(position(mixed, i));
        }
        return read;
    }

    /**
     * The symbol that all cells allow, {@link KeyValueFilter#ABSENT} if there is none, {@link
     * KeyValueFilter#AMBIGUOUS} if there are several, or if no cell can be decoded.
     *
     * <p>Only the cell with the fewest keys is decoded; the others are asked whether they contain
     * what it says. The result is the intersection of what all decodable cells say.
     */
    int query(long mixed) {
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < probes; i++) {
            int count = (int) cells.get(position(mixed, i)) & counterMax;
            if (count == 0) {
                return KeyValueFilter.ABSENT;
            }
            least = Math.min(least, count << PROBE_BITS | i);
        }
        long found = decode(cells.get(position(mixed, least & PROBE_MASK)));
        for (int i = 0; i < probes && found < 0; i++) {
            found = decode(cells.get(position(mixed, i)));
        }
        return found < 0 ? KeyValueFilter.AMBIGUOUS : intersect(mixed, found);
    }

    private long decode(long cell) {
        int count = (int) cell & counterMax;
        return count > decodable ? CellCode.UNDECODABLE : code.decode(word(cell), count);
    }

    /**
     * Which of {@code found} have the key's tag and are allowed by all cells: none, one or several.
     */
    private int intersect(long mixed, long found) {
        int tag = tag(mixed);
        int first = CellCode.lane(found, 0);
        int second = CellCode.lane(found, 1);
        int third = CellCode.lane(found, 2);
        int answer = KeyValueFilter.ABSENT;
        if ((first & tagMask) == tag && isAllowed(mixed, first)) {
            answer = first >>> tagBits;
        }
        if (second != first && (second & tagMask) == tag && isAllowed(mixed, second)) {
            answer =
                    answer == KeyValueFilter.ABSENT ? second >>> tagBits : KeyValueFilter.AMBIGUOUS;
        }
        if (third != first
                && third != second
                && (third & tagMask) == tag
                && isAllowed(mixed, third)) {
            answer = answer == KeyValueFilter.ABSENT ? third >>> tagBits : KeyValueFilter.AMBIGUOUS;
        }
        return answer;
    }

    /** Whether no cell rules {@code symbol} out. */
    boolean mightHold(long mixed, int symbol) {
        return leastCount(mixed) != 0 && isAllowed(mixed, symbol);
    }

    /** The smallest counter; a loop of its own, so that the misses of all cells overlap. */
    private int leastCount(long mixed) {
        int least = counterMax;
        for (int i = 0; i < probes; i++) {
            least = Math.min(least, (int) cells.get(position(mixed, i)) & counterMax);
        }
        return least;
    }

    private boolean isAllowed(long mixed, int symbol) {
        int contradictions = 0;
        for (int i = 0; i < probes; i++) {
            long cell = cells.get(position(mixed, i));
            int count = (int) cell & counterMax;
            contradictions |= code.contradiction(word(cell), count, symbol);
        }
        return contradictions == 0;
    }

    void insert(long mixed, int symbol) {
        // Counters are read in a loop of their own, so that the misses of all cells overlap.
        boolean anyStuck = mostCount(mixed) == counterMax;
        for (int i = 0; i < probes; i++) {
            long at = position(mixed, i);
            long cell = cells.get(at);
            int count = (int) cell & counterMax;
            if (!anyStuck || count != counterMax) {
                cells.set(at, cell(count + 1, code.insert(word(cell), symbol)));
            }
        }
        keys++;
    }

    private int mostCount(long mixed) {
        int most = 0;
        for (int i = 0; i < probes; i++) {
            most = Math.max(most, (int) cells.get(position(mixed, i)) & counterMax);
        }
        return most;
    }

    /** {@link #mightHold} must have said so. */
    void update(long mixed, int oldSymbol, int newSymbol) {
        for (int i = 0; i < probes; i++) {
            long at = position(mixed, i);
            long cell = cells.get(at);
            int count = (int) cell & counterMax;
            if (count != counterMax) {
                cells.set(at, cell(count, code.replace(word(cell), oldSymbol, newSymbol)));
            }
        }
    }

    /** {@link #mightHold} must have said so. */
    void remove(long mixed, int symbol) {
        for (int i = 0; i < probes; i++) {
            long at = position(mixed, i);
            long cell = cells.get(at);
            int count = (int) cell & counterMax;
            if (count != counterMax) {
                cells.set(at, cell(count - 1, code.remove(word(cell), symbol)));
            }
        }
        keys--;
    }

    private long word(long cell) {
        return (cell >>> counterBits) ^ empty;
    }

    /** Packs a cell; the words of an empty and of a stuck one are always the same. */
    private long cell(int count, long word) {
        if (count == counterMax) {
            stuck++;
            return counterMax;
        }
        // All ones unless the cell is empty, see above.
        long used = -(long) count >> 63;
        return (count | (word ^ empty) << counterBits) & used;
    }

    /** Takes in all keys of {@code other}, which has the same shape. O(cells). */
    void merge(CellTable other) {
        for (long i = 0; i < probes * cellsPerProbe; i++) {
            long mine = cells.get(i);
            long theirs = other.cells.get(i);
            int count = ((int) mine & counterMax) + ((int) theirs & counterMax);
            if (((int) mine & counterMax) == counterMax || theirs == 0) {
                continue;
            }
            cells.set(i, cell(Math.min(count, counterMax), code.combine(word(mine), word(theirs))));
        }
        keys += other.keys;
    }

    /** Keys inserted and not removed. */
    long keys() {
        return keys;
    }

    /** Cells whose counter is at its maximum. */
    long stuck() {
        return stuck;
    }

    Words words() {
        return cells.words;
    }

    /** Completes a table that was read; false if the cells contradict {@code keysHeld}. */
    boolean restore(long keysHeld) {
        keys = keysHeld;
        stuck = 0;
        for (int probe = 0; probe < probes; probe++) {
            long sum = 0;
            boolean exact = true;
            for (long i = 0; i < cellsPerProbe; i++) {
                long cell = cells.get(probe * cellsPerProbe + i);
                long count = cell & counterMax;
                if ((count == 0 || count == counterMax) && cell != count) {
                    return false;
                }
                exact &= count != counterMax;
                stuck += count == counterMax ? 1 : 0;
                sum += count;
            }
            // Every key is in one cell of each partition.
            if (exact && sum != keysHeld) {
                return false;
            }
        }
        return cells.isZeroFrom(probes * cellsPerProbe);
    }
}
