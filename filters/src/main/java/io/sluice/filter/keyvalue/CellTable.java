/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.code.CellCode;
import io.sluice.filter.memory.Words;

/**
 * The cells of one key-value Bloom filter and what can be read out of them. Nothing is checked
 * here, and callers give mixed hashes ({@link #mix}).
 *
 * <p>A cell holds how many keys are in it and the combination of their symbols; zero is the empty
 * cell. At its maximum a counter sticks: the cell is not changed any more and says nothing.
 *
 * <p>Every lookup first reads the counters of all k cells without a branch, so that their cache
 * misses overlap, and decodes in a second pass. Not thread-safe.
 */
final class CellTable {

    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    /** One for each probe, and the last for the tag. */
    private static final long[] MULTIPLIERS = new long[KeyValueShape.MAX_PROBES + 1];

    /** No symbol. All others are not negative. */
    private static final int NONE = -1;

    static {
        // Odd, with well mixed bits: the outputs of SplitMix64.
        for (int i = 0; i < MULTIPLIERS.length; i++) {
            long z = (i + 1) * GAMMA;
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            MULTIPLIERS[i] = (z ^ (z >>> 31)) | 1;
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
     * The form of a hash that the other methods take: the seed in it, and all bits in the low ones.
     */
    static long mix(long hash, long seed) {
        long mixed = (hash ^ seed) * GAMMA;
        return mixed ^ mixed >>> 32;
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

    /** Whether all counters are above zero. */
    private boolean isCovered(long mixed) {
        long least = counterMax;
        for (int i = 0; i < probes; i++) {
            least = Math.min(least, cells.get(position(mixed, i)) & counterMax);
        }
        return least != 0;
    }

    private long decode(long cell) {
        int count = (int) cell & counterMax;
        return count > decodable
                ? CellCode.UNDECODABLE
                : code.decode(cell >>> counterBits ^ empty, count);
    }

    /**
     * The symbol that all cells allow, {@link KeyValueFilter#ABSENT} if there is none, {@link
     * KeyValueFilter#AMBIGUOUS} if there are several, or if no cell can be decoded.
     */
    int query(long mixed) {
        if (!isCovered(mixed)) {
            return KeyValueFilter.ABSENT;
        }
        int tag = tag(mixed);
        // The symbols that all cells so far allow: at most three, as many as the first cell has.
        int a = NONE;
        int b = NONE;
        int c = NONE;
        boolean any = false;
        for (int i = 0; i < probes; i++) {
            long found = decode(cells.get(position(mixed, i)));
            if (found < 0) {
                continue;
            }
            if (any) {
                a = isAmong(found, a) ? a : NONE;
                b = isAmong(found, b) ? b : NONE;
                c = isAmong(found, c) ? c : NONE;
            } else {
                any = true;
                a = ofTag(CellCode.lane(found, 0), tag);
                b = ofTag(CellCode.lane(found, 1), tag);
                c = ofTag(CellCode.lane(found, 2), tag);
                b = b == a ? NONE : b;
                c = c == a || c == b ? NONE : c;
            }
            if ((a & b & c) == NONE) {
                return KeyValueFilter.ABSENT;
            }
        }
        int symbol = Math.max(a, Math.max(b, c));
        // Two of the three are NONE if and only if the sum is less by 2.
        return a + b + c == symbol + 2 * NONE && any
                ? symbol >>> tagBits
                : KeyValueFilter.AMBIGUOUS;
    }

    private int ofTag(int symbol, int tag) {
        return (symbol & tagMask) == tag ? symbol : NONE;
    }

    /** Never true for NONE, which no lane is wide enough for. */
    private static boolean isAmong(long found, int symbol) {
        return CellCode.lane(found, 0) == symbol
                || CellCode.lane(found, 1) == symbol
                || CellCode.lane(found, 2) == symbol;
    }

    /** Whether no cell rules {@code symbol} out. */
    boolean mightHold(long mixed, int symbol) {
        if (!isCovered(mixed)) {
            return false;
        }
        for (int i = 0; i < probes; i++) {
            long found = decode(cells.get(position(mixed, i)));
            if (found >= 0 && !isAmong(found, symbol)) {
                return false;
            }
        }
        return true;
    }

    void insert(long mixed, int symbol) {
        combine(mixed, code.symbol(symbol), 1);
        keys++;
    }

    /** {@link #mightHold} must have said so. */
    void update(long mixed, int oldSymbol, int newSymbol) {
        combine(
                mixed,
                code.combine(code.symbol(newSymbol), code.inverse(code.symbol(oldSymbol))),
                0);
    }

    /** {@link #mightHold} must have said so. */
    void delete(long mixed, int symbol) {
        combine(mixed, code.inverse(code.symbol(symbol)), -1);
        keys--;
    }

    private void combine(long mixed, long word, int keysMore) {
        for (int i = 0; i < probes; i++) {
            long at = position(mixed, i);
            long cell = cells.get(at);
            int count = (int) cell & counterMax;
            if (count != counterMax) {
                cells.set(
                        at,
                        cell(count + keysMore, code.combine(cell >>> counterBits ^ empty, word)));
            }
        }
    }

    /** Packs a cell; the words of an empty and of a stuck one are always the same. */
    private long cell(int count, long word) {
        if (count == counterMax) {
            stuck++;
            return counterMax;
        }
        return count == 0 ? 0 : count | (word ^ empty) << counterBits;
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
            cells.set(
                    i,
                    cell(
                            Math.min(count, counterMax),
                            code.combine(
                                    mine >>> counterBits ^ empty, theirs >>> counterBits ^ empty)));
        }
        keys += other.keys;
    }

    /** Keys inserted and not deleted. */
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
        return true;
    }
}
