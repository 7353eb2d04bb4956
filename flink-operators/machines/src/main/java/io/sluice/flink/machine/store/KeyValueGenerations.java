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

    private static final int LEAST_BITS = 16;

    /** The first generation of a store is made for half of the machines that are expected. */
    private static final int TABLES = 2;

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
     * Returns the fewest bits that a full table of each class takes for a machine so that no more
     * than a share of the events is answered with a wrong state, or not at all; if none do, {@code
     * most}.
     *
     * @param error see {@link #error}
     */
    static double bits(double error, int slices, int most, List<double[]> frequencies) {
        int tooFew = LEAST_BITS - 1;
        int enough = most;
        while (enough - tooFew > 1) {
            int middle = (tooFew + enough) >>> 1;
            KeyValueGenerations tried =
                    new KeyValueGenerations(middle, 0, Storage.HEAP, frequencies);
            if (tried.error(slices) <= error) {
                enough = middle;
            } else {
                tooFew = middle;
            }
        }
        return enough;
    }

    /**
     * {@inheritDoc} That is where a state cannot be told, or another generation than that of the
     * machine answers; twice that, as the event may then change another machine.
     */
    @Override
    public double error(int slices) {
        double ambiguous = 0;
        double wrong = 0;
        for (KeyValueSizing.Plan plan : plans) {
            ambiguous = Math.max(ambiguous, plan.ambiguous());
            wrong += 2.0 * (slices + 1) * TABLES * plan.falsePositives();
        }
        return Math.min(1, ambiguous + wrong);
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
