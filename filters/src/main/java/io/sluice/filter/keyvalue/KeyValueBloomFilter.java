/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.format.Persistent;
import io.sluice.filter.keyvalue.code.CellCode;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Touches;
import io.sluice.filter.memory.Words;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * The key-value Bloom filter of Xiong, Yao, Cao and He (kBF): each key is in k cells; a cell holds
 * how many keys are in it and a combination of their values, from which a few values can be read
 * back.
 *
 * <p><b>Guarantee:</b> as long as every inserted key is new, and every old value that a caller
 * names is correct, a query for a held key answers its value or ambiguous, never another value and
 * never absent. A key that is not held may get a value or be ambiguous. {@link KeyValueModel} gives
 * the probabilities of both.
 *
 * <p><b>Departures from the paper.</b> A query intersects what all decodable cells allow, where the
 * paper believes the first cell with one key (its query rule 1): no more held keys stay ambiguous,
 * and far fewer absent ones get a value. The cells of a key differ (two equal ones would cancel),
 * and all are checked before any is changed. The code is by default one in which equal values
 * decode, and a symbol has bits of the key in it ({@link KeyValueShape}). {@link #update} and
 * {@link #remove} take the old value from the caller and refuse what is impossible, because one
 * wrong combination would spoil the cells of other keys for good.
 *
 * <p><b>Growth</b> adds filters of the same shape: a key lives in one of them, and is ambiguous if
 * two claim it. Errors for absent keys add up. {@link #compact} merges filters again.
 *
 * <p>Optionally a few keys that were ambiguous right after they were inserted or updated are also
 * kept in a small exact table, which is asked only if the cells do not know.
 *
 * <p>Hashes are mixed, together with the seed, so numbers that are not hashes work as well.
 *
 * <p>Cost: O(k) per operation and filter, nothing allocated. Not thread-safe: query and update are
 * atomic with respect to each other because one thread calls them.
 */
public final class KeyValueBloomFilter implements KeyValueFilter, Persistent, AutoCloseable {

    /** Operations of a batch whose memory accesses overlap. */
    private static final int AHEAD = 32;

    private final KeyValueShape shape;
    private final long capacity;
    private final int mostFilters;
    private final Storage storage;
    private final CellCode code;
    private final ExactKeys exact;

    /** Oldest first; never empty. Replaced when their number changes. */
    private CellTable[] tables = {};

    private long refused;

    private final Touches touches = new Touches();

    /** A filter without tables: the caller adds at least one. */
    private KeyValueBloomFilter(
            KeyValueShape shape,
            long capacity,
            int mostFilters,
            int exactKeys,
            Storage storage,
            CellCode code) {
        this.shape = shape;
        this.capacity = capacity;
        this.mostFilters = mostFilters;
        this.storage = storage;
        this.code = code;
        this.exact = new ExactKeys(exactKeys);
    }

    static KeyValueBloomFilter create(
            KeyValueShape shape, long capacity, int mostFilters, int exactKeys, Storage storage) {
        KeyValueBloomFilter filter = unfilled(shape, capacity, mostFilters, exactKeys, storage);
        filter.addTable(Words.allocate(storage, shape.words()));
        return filter;
    }

    /** For reading: tables, exact keys and refusals are filled in later. */
    static KeyValueBloomFilter unfilled(
            KeyValueShape shape, long capacity, int mostFilters, int exactKeys, Storage storage) {
        return new KeyValueBloomFilter(
                shape, capacity, mostFilters, exactKeys, storage, shape.createCode());
    }

    /** Sizes and makes a filter. */
    public static KeyValueBloomFilterBuilder builder() {
        return new KeyValueBloomFilterBuilder();
    }

    /** Another filter with the same content, options and storage. O(cells). */
    public KeyValueBloomFilter copy() {
        KeyValueBloomFilter copy =
                unfilled(shape, capacity, mostFilters, exact.capacity(), storage);
        for (CellTable table : tables) {
            copy.addTable(table.words().copy()).restore(table.keys());
        }
        for (long hash : exact.sortedHashes()) {
            copy.exact.put(hash, exact.get(hash));
        }
        copy.refused = refused;
        return copy;
    }

    /**
     * Frees memory off the heap now; memory on the heap is the collector's in any case. The filter
     * must not be used afterwards.
     */
    @Override
    public void close() {
        for (CellTable table : tables) {
            table.words().release();
        }
    }

    @Override
    public int query(long hash) {
        long mixed = CellTable.mix(hash, shape.seed());
        int answer = tables[tables.length - 1].query(mixed);
        for (int i = tables.length - 2; i >= 0; i--) {
            int older = tables[i].query(mixed);
            answer = answer == ABSENT ? older : older == ABSENT ? answer : AMBIGUOUS;
        }
        return answer == AMBIGUOUS ? known(hash) : answer < shape.values() ? answer : AMBIGUOUS;
    }

    private int known(long hash) {
        int value = exact.get(hash);
        return value >= 0 ? value : AMBIGUOUS;
    }

    /**
     * {@inheritDoc}
     *
     * <p>The key goes to the oldest filter with room, so that newer ones can run empty.
     *
     * @throws FilterFullException if all filters are at capacity and no more are allowed
     */
    @Override
    public void insert(long hash, int value) {
        checkValue("value", value);
        CellTable table = tableWithRoom();
        long mixed = CellTable.mix(hash, shape.seed());
        table.insert(mixed, table.symbol(mixed, value));
        remember(hash, value);
    }

    private CellTable tableWithRoom() {
        for (CellTable table : tables) {
            if (table.keys() < capacity) {
                return table;
            }
        }
        if (tables.length == mostFilters) {
            throw new FilterFullException(
                    "all "
                            + mostFilters
                            + " filters hold "
                            + capacity
                            + " keys: remove keys, or allow more filters");
        }
        return addTable(Words.allocate(storage, shape.words()));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Also refused if several filters might hold the key with the old value, because it is
     * unknown where to change it.
     */
    @Override
    public boolean update(long hash, int oldValue, int newValue) {
        checkValue("oldValue", oldValue);
        checkValue("newValue", newValue);
        long mixed = CellTable.mix(hash, shape.seed());
        CellTable table = holder(hash, mixed, oldValue);
        if (table == null) {
            refused++;
            return false;
        }
        table.update(mixed, table.symbol(mixed, oldValue), table.symbol(mixed, newValue));
        forget(hash);
        remember(hash, newValue);
        return true;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Also refused if several filters might hold the key with this value.
     */
    @Override
    public boolean remove(long hash, int value) {
        checkValue("value", value);
        long mixed = CellTable.mix(hash, shape.seed());
        CellTable table = holder(hash, mixed, value);
        if (table == null || table.keys() == 0) {
            refused++;
            return false;
        }
        table.remove(mixed, table.symbol(mixed, value));
        forget(hash);
        int last = tables.length - 1;
        if (last > 0 && tables[last].keys() == 0) {
            tables[last].words().release();
            tables = Arrays.copyOf(tables, last);
        }
        return true;
    }

    /**
     * {@inheritDoc}
     *
     * <p>In a filter larger than the caches this is about a third faster, because the memory
     * accesses of many keys overlap; a single call is too long for the processor to begin the next
     * one while it waits.
     */
    @Override
    public int queryAll(long[] hashes, int from, int length, int[] answers) {
        int found = 0;
        for (int begin = from, to = from + length; begin < to; begin += AHEAD) {
            int end = Math.min(to, begin + AHEAD);
            touch(hashes, begin, end);
            for (int i = begin; i < end; i++) {
                int answer = query(hashes[i]);
                answers[i] = answer;
                found += answer == ABSENT ? 0 : 1;
            }
        }
        return found;
    }

    /** {@inheritDoc} This is faster, see {@link #queryAll}. */
    @Override
    public int updateAll(
            long[] hashes, int[] oldValues, int[] newValues, int from, int length, boolean[] done) {
        int count = 0;
        for (int begin = from, to = from + length; begin < to; begin += AHEAD) {
            int end = Math.min(to, begin + AHEAD);
            touch(hashes, begin, end);
            for (int i = begin; i < end; i++) {
                done[i] = update(hashes[i], oldValues[i], newValues[i]);
                count += done[i] ? 1 : 0;
            }
        }
        return count;
    }

    /** Reads what the operations on these hashes will read first. */
    private void touch(long[] hashes, int from, int to) {
        long read = 0;
        for (int i = from; i < to; i++) {
            long mixed = CellTable.mix(hashes[i], shape.seed());
            for (CellTable table : tables) {
                read |= table.touch(mixed);
            }
        }
        touches.keep(read);
    }

    /** The only filter that might hold the key with this value, or null. */
    private CellTable holder(long hash, long mixed, int value) {
        int known = exact.size() == 0 ? ABSENT : exact.get(hash);
        if (known >= 0 && known != value) {
            return null;
        }
        CellTable holder = null;
        for (CellTable table : tables) {
            if (table.mightHold(mixed, table.symbol(mixed, value))) {
                if (holder != null) {
                    return null;
                }
                holder = table;
            }
        }
        return holder;
    }

    private void forget(long hash) {
        if (exact.size() > 0) {
            exact.remove(hash);
        }
    }

    /** Notes the value of a held key if the cells do not tell it. */
    private void remember(long hash, int value) {
        if (exact.capacity() > 0 && query(hash) == AMBIGUOUS) {
            exact.put(hash, value);
        }
    }

    /**
     * Merges filters whose keys together are at most {@link #capacity}, and drops empty ones. Sound
     * because shape and seed are the same and no key is in two filters. O(size).
     *
     * @return how many fewer filters there are
     */
    public int compact() {
        int before = tables.length;
        tables = new TableMerge(capacity, mostFilters).compact(tables);
        return before - tables.length;
    }

    /**
     * Takes in all keys of {@code other}, which stays as it is. Cell by cell (section III of the
     * paper), into filters with room for all keys of one of {@code other}'s, otherwise into new
     * ones. Keys that {@code other} holds exactly are held exactly here as far as there is room;
     * keys that become ambiguous by the merge are not. O(size of {@code other}).
     *
     * @param other of the same shape, seed included; holds no key that this filter holds
     * @throws IllegalArgumentException if the shape differs, or it is this filter
     * @throws FilterFullException if that takes more filters than are allowed, or one of {@code
     *     other}'s holds more keys than a filter here may; nothing has changed
     */
    public void merge(KeyValueBloomFilter other) {
        if (other == this) {
            throw new IllegalArgumentException("a filter cannot be merged into itself");
        }
        if (!shape.equals(other.shape)) {
            throw new IllegalArgumentException(
                    "other must have the shape "
                            + shape
                            + ", got "
                            + other.shape
                            + ": build both filters with one shape");
        }
        int[] into = new TableMerge(capacity, mostFilters).places(tables, other.tables);
        // All memory first: an error leaves empty filters at most.
        for (int filters = Arrays.stream(into).max().getAsInt() + 1; tables.length < filters; ) {
            addTable(Words.allocate(storage, shape.words()));
        }
        for (int i = 0; i < into.length; i++) {
            tables[into[i]].merge(other.tables[i]);
        }
        for (long hash : other.exact.sortedHashes()) {
            exact.put(hash, other.exact.get(hash));
        }
        refused += other.refused;
    }

    @Override
    public int values() {
        return shape.values();
    }

    @Override
    public long refused() {
        return refused;
    }

    /** Keys inserted and not removed. */
    public long keys() {
        long sum = 0;
        for (CellTable table : tables) {
            sum += table.keys();
        }
        return sum;
    }

    /** Keys for which each filter was sized. */
    public long capacity() {
        return capacity;
    }

    /** Filters now; more than one after growth. */
    public int filters() {
        return tables.length;
    }

    /** Filters that there may be. */
    public int mostFilters() {
        return mostFilters;
    }

    /** The shape of each filter. */
    public KeyValueShape shape() {
        return shape;
    }

    /** Cells whose counter is at its maximum; they say nothing until the filter is rebuilt. */
    public long stuckCells() {
        return Arrays.stream(tables).mapToLong(CellTable::stuck).sum();
    }

    /** Keys in the exact table. */
    public int exactKeys() {
        return exact.size();
    }

    @Override
    public long sizeInBytes() {
        long sum = exact.sizeInBytes();
        for (CellTable table : tables) {
            sum += table.words().sizeInBytes();
        }
        return sum;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        KeyValueBloomFilterFormat.write(this, out);
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @param storage where the cells will be, wherever they were before
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static KeyValueBloomFilter readFrom(InputStream in, String source, Storage storage)
            throws IOException {
        return KeyValueBloomFilterFormat.read(in, source, storage);
    }

    CellTable[] tables() {
        return tables;
    }

    ExactKeys exact() {
        return exact;
    }

    CellTable addTable(Words words) {
        CellTable table = new CellTable(shape, code, words);
        tables = Arrays.copyOf(tables, tables.length + 1);
        tables[tables.length - 1] = table;
        return table;
    }

    /** Completes a filter that was read. */
    void restore(long refusedBefore) {
        refused = refusedBefore;
    }

    private void checkValue(String name, int value) {
        if (value < 0 || value >= shape.values()) {
            throw new IllegalArgumentException(
                    name
                            + " must be between 0 and "
                            + (shape.values() - 1)
                            + ", got "
                            + value
                            + ": number values with a ValueDictionary");
        }
    }
}
