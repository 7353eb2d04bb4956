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

    private final KeyValueSizing.Plan[] plans = new KeyValueSizing.Plan[IdleClass.COUNT];
    private final long seed;
    private final Storage storage;

    /**
     * @param bitsPerFlow bits of the cells of a full table divided by flows, positive
     * @param seed changes the cells of all flows
     */
    public KeyValueGenerations(double bitsPerFlow, long seed, Storage storage) {
        this.seed = seed;
        this.storage = storage;
        for (IdleClass of : IdleClass.values()) {
            plans[of.code()] =
                    KeyValueSizing.best(bitsPerFlow, COUNTER_BITS, MAX_PROBES, frequencies(of));
        }
    }

    /**
     * Roughly how often states occur on most links. Only half of a class's flows are assumed to be
     * in one of the usual states, though it may be nine in ten: flows end in the rare states, and a
     * shape chosen only for the usual ones cannot tell them apart.
     */
    private static double[] frequencies(IdleClass of) {
        double[] frequencies = new double[of.states()];
        int[] usual =
                switch (of) {
                    case OPENING -> new int[] {FlowStates.SYN, FlowStates.SYN + 1};
                    case OPEN -> new int[] {FlowStates.ESTABLISHED, FlowStates.ESTABLISHED + 1};
                    case CLOSED -> new int[] {FlowStates.CLOSED_FIN};
                };
        Arrays.fill(frequencies, 0.5 / (frequencies.length - usual.length));
        for (int state : usual) {
            frequencies[state - of.firstState()] = 0.5 / usual.length;
        }
        return frequencies;
    }

    /**
     * What a full table of a class promises, given the state frequencies that it was chosen for.
     */
    public KeyValueSizing.Plan plan(IdleClass of) {
        return plans[of.code()];
    }

    @Override
    public KeyValueFilter create(IdleClass of, long flows) {
        return KeyValueBloomFilter.builder()
                .shape(shape(of, flows), flows)
                .mostFilters(MAX_TABLES)
                .storage(storage)
                .build();
    }

    private KeyValueShape shape(IdleClass of, long flows) {
        return plan(of).shape(of.states(), COUNTER_BITS, flows, seed);
    }

    @Override
    public long bytes(IdleClass of, long flows) {
        return bytes(shape(of, flows));
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
    public KeyValueFilter read(IdleClass of, InputStream in, String source) throws IOException {
        KeyValueBloomFilter filter = KeyValueBloomFilter.readFrom(in, source, storage);
        if (filter.values() != of.states()) {
            throw new CorruptFilterException(
                    source,
                    0,
                    "holds "
                            + filter.values()
                            + " states, but flows of class "
                            + of
                            + " have "
                            + of.states());
        }
        return filter;
    }
}
