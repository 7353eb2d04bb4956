/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.memory.Storage;

/**
 * Makes a {@link KeyValueBloomFilter}.
 *
 * <pre>{@code
 * KeyValueBloomFilter states =
 *         KeyValueBloomFilter.builder().values(11).sized(1_000_000, 64).build();
 * }</pre>
 */
public final class KeyValueBloomFilterBuilder {

    private static final int DEFAULT_COUNTER_BITS = 4;
    private static final int DEFAULT_MAX_PROBES = 6;

    /** The numbers of keys of this many filters still fit into the format's parameters. */
    static final int MAX_FILTERS = 1 << 16;

    static final int MAX_EXACT_KEYS = 1 << 28;

    private int values;
    private double[] probabilities;
    private int counterBits = DEFAULT_COUNTER_BITS;
    private int mostProbes = DEFAULT_MAX_PROBES;
    private long seed;
    private long capacity;
    private double bitsPerKey;
    private KeyValueShape shape;
    private int mostFilters = 1;
    private int exactKeys;
    private Storage storage = Storage.HEAP;

    KeyValueBloomFilterBuilder() {}

    /** Number of values, assumed equally likely. At least 2. */
    public KeyValueBloomFilterBuilder values(int number) {
        values = number;
        return this;
    }

    /** How often each value occurs; gives a better choice than {@link #values}. */
    public KeyValueBloomFilterBuilder probabilities(double... ofValues) {
        probabilities = ofValues.clone();
        values = ofValues.length;
        return this;
    }

    /**
     * Keys that a filter holds, and memory for each: {@link KeyValueSizing} chooses the rest.
     *
     * @param bitsOfKey bits of the cells divided by keys at capacity
     */
    public KeyValueBloomFilterBuilder sized(long keys, double bitsOfKey) {
        capacity = keys;
        bitsPerKey = bitsOfKey;
        shape = null;
        return this;
    }

    /** Width of the counters, when sized. Default {@value #DEFAULT_COUNTER_BITS}. */
    public KeyValueBloomFilterBuilder counterBits(int bits) {
        counterBits = bits;
        return this;
    }

    /** Cells per key at most, when sized. Default {@value #DEFAULT_MAX_PROBES}. */
    public KeyValueBloomFilterBuilder mostProbes(int probes) {
        mostProbes = probes;
        return this;
    }

    /** Changes the cells of all keys, when sized. Default 0. */
    public KeyValueBloomFilterBuilder seed(long seedOfCells) {
        seed = seedOfCells;
        return this;
    }

    /** Sets everything by hand, instead of {@link #sized}. */
    public KeyValueBloomFilterBuilder shape(KeyValueShape given, long keys) {
        shape = given;
        capacity = keys;
        return this;
    }

    /** Most filters, up to 2^16, each as large as the first. Default 1: no growth. */
    public KeyValueBloomFilterBuilder mostFilters(int filters) {
        mostFilters = filters;
        return this;
    }

    /** Ambiguous keys that may be kept exactly, 12 to 48 bytes each. Default 0. */
    public KeyValueBloomFilterBuilder exactKeys(int keys) {
        exactKeys = keys;
        return this;
    }

    /** Where the cells are. Default: on the heap. */
    public KeyValueBloomFilterBuilder storage(Storage where) {
        storage = where;
        return this;
    }

    /**
     * The filter.
     *
     * @throws IllegalArgumentException if something is missing or out of range
     */
    public KeyValueBloomFilter build() {
        if (capacity < 1
                || mostFilters < 1
                || mostFilters > MAX_FILTERS
                || exactKeys < 0
                || exactKeys > MAX_EXACT_KEYS) {
            throw new IllegalArgumentException(
                    "keys must be at least 1, filters between 1 and "
                            + MAX_FILTERS
                            + ", and exact keys between 0 and "
                            + MAX_EXACT_KEYS
                            + ", got "
                            + capacity
                            + ", "
                            + mostFilters
                            + " and "
                            + exactKeys);
        }
        return KeyValueBloomFilter.create(
                shape != null ? shape : sizedShape(), capacity, mostFilters, exactKeys, storage);
    }

    private KeyValueShape sizedShape() {
        if (values < 2) {
            throw new IllegalArgumentException(
                    "values must be at least 2, got " + values + ": name values or probabilities");
        }
        double[] likely = probabilities != null ? probabilities : KeyValueModel.uniform(values);
        KeyValueSizing.Plan plan = KeyValueSizing.best(bitsPerKey, counterBits, mostProbes, likely);
        return plan.shape(values, counterBits, capacity, seed);
    }
}
