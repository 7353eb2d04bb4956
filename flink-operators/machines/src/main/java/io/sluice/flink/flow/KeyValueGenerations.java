/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

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

    /** Each costs a lookup that finds the flow a cache miss; absent flows need one or two. */
    private static final int MAX_PROBES = 6;

    private static final int MAX_TABLES = 64;

    private final KeyValueSizing.Plan[] plans;

    /** Number of values of the filters of each class. */
    private final int[] states;

    private final long seed;
    private final Storage storage;

    /**
     * Makes generations for flows.
     *
     * @param bitsPerFlow bits of the cells of a full table divided by flows, positive
     * @param seed changes the cells of all flows
     */
    public KeyValueGenerations(double bitsPerFlow, long seed, Storage storage) {
        this(bitsPerFlow, seed, storage, IdleClass.frequencies());
    }

    /**
     * @param bitsPerFlow bits of the cells of a full table divided by flows, positive
     * @param seed changes the cells of all flows
     * @param frequencies for each class, roughly how often each of its states occurs; each sums to
     *     1
     */
    KeyValueGenerations(
            double bitsPerFlow, long seed, Storage storage, List<double[]> frequencies) {
        this.seed = seed;
        this.storage = storage;
        plans = new KeyValueSizing.Plan[frequencies.size()];
        states = new int[plans.length];
        for (int c = 0; c < plans.length; c++) {
            // A filter has at least two values; the second one of a class of one state is not used.
            double[] given = frequencies.get(c);
            double[] ofStates = Arrays.copyOf(given, Math.max(2, given.length));
            states[c] = ofStates.length;
            plans[c] = KeyValueSizing.best(bitsPerFlow, COUNTER_BITS, MAX_PROBES, ofStates);
        }
    }

    /**
     * What a full table of a class promises, given the state frequencies that it was chosen for.
     */
    public KeyValueSizing.Plan plan(IdleClass of) {
        return plans[of.code()];
    }

    @Override
    public KeyValueFilter create(int ofClass, long flows) {
        return KeyValueBloomFilter.builder()
                .shape(shape(ofClass, flows), flows)
                .mostFilters(MAX_TABLES)
                .storage(storage)
                .build();
    }

    private KeyValueShape shape(int ofClass, long flows) {
        return plans[ofClass].shape(states[ofClass], COUNTER_BITS, flows, seed);
    }

    @Override
    public long bytes(int ofClass, long flows) {
        return bytes(shape(ofClass, flows));
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
                            + " states, but flows of class "
                            + ofClass
                            + " have "
                            + states[ofClass]);
        }
        return filter;
    }
}
