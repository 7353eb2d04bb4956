/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.keyvalue.KeyValueShape;
import io.sluice.filter.keyvalue.KeyValueSizing;
import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.annotation.Internal;

/**
 * Generations that are key-value Bloom filters. Each holds the states of only one class, so that
 * its cells are narrower than they would be for all states. It grows by tables of its first size.
 */
@Internal
public final class KeyValueGenerations implements GenerationFactory {

    /** Three in 10^13 cells get stuck, see {@link KeyValueShape}. */
    private static final int COUNTER_BITS = 4;

    /** Each costs a lookup that finds the machine a cache miss; absent machines need one or two. */
    private static final int MAX_PROBES = 6;

    private static final int MAX_TABLES = 64;

    private final KeyValueSizing.Plan[] plans;

    /** Number of values of the filters of each class. */
    private final int[] states;

    private final long seed;
    private final Storage storage;

    /**
     * @param bitsPerMachine bits of the cells of a full table divided by machines, positive
     * @param seed changes the cells of all machines
     * @param frequencies for each class, roughly how often each of its states occurs; each sums to
     *     1
     */
    public KeyValueGenerations(
            double bitsPerMachine, long seed, Storage storage, List<double[]> frequencies) {
        this.seed = seed;
        this.storage = storage;
        plans = new KeyValueSizing.Plan[frequencies.size()];
        states = new int[plans.length];
        for (int c = 0; c < plans.length; c++) {
            // A filter has at least two values; the second one of a class of one state is not used.
            double[] given = frequencies.get(c);
            double[] ofStates = Arrays.copyOf(given, Math.max(2, given.length));
            states[c] = ofStates.length;
            plans[c] = KeyValueSizing.best(bitsPerMachine, COUNTER_BITS, MAX_PROBES, ofStates);
        }
    }

    /**
     * What a full table of a class promises, given the state frequencies that it was chosen for.
     */
    public KeyValueSizing.Plan plan(int ofClass) {
        return plans[ofClass];
    }

    @Override
    public KeyValueFilter create(int ofClass, long machines) {
        return KeyValueBloomFilter.builder()
                .shape(shape(ofClass, machines), machines)
                .mostFilters(MAX_TABLES)
                .storage(storage)
                .build();
    }

    private KeyValueShape shape(int ofClass, long machines) {
        return plans[ofClass].shape(states[ofClass], COUNTER_BITS, machines, seed);
    }

    @Override
    public long bytes(int ofClass, long machines) {
        return bytes(shape(ofClass, machines));
    }

    private static long bytes(KeyValueShape shape) {
        return shape.cells() * shape.cellBits() / Byte.SIZE + 2 * Long.BYTES;
    }

    @Override
    public long growth(KeyValueFilter filter) {
        KeyValueBloomFilter tables = (KeyValueBloomFilter) filter;
        if (tables.keys() < tables.capacity() * tables.filters()) {
            return 0;
        }
        return tables.filters() < MAX_TABLES ? bytes(tables.shape()) : Long.MAX_VALUE;
    }

    @Override
    public void compact(KeyValueFilter filter) {
        ((KeyValueBloomFilter) filter).compact();
    }

    @Override
    public void write(KeyValueFilter filter, OutputStream out) throws IOException {
        ((KeyValueBloomFilter) filter).writeTo(out);
    }

    @Override
    public KeyValueFilter read(int ofClass, InputStream in, String source) throws IOException {
        KeyValueBloomFilter filter = KeyValueBloomFilter.readFrom(in, source, storage);
        if (filter.values() != states[ofClass]) {
            throw new CorruptFilterException(
                    source,
                    0,
                    "holds "
                            + filter.values()
                            + " states, but machines of class "
                            + ofClass
                            + " have "
                            + states[ofClass]);
        }
        return filter;
    }
}
