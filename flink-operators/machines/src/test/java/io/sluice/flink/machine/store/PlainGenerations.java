/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import io.sluice.filter.KeyValueFilter;
import io.sluice.flink.flow.FlowTimeouts;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;

/** Generations without errors, with a nominal size of 100 bytes plus 10 for each machine. */
public final class PlainGenerations implements GenerationFactory {

    static final long FIXED_BYTES = 100;
    static final long MACHINE_BYTES = 10;

    private static final class Plain implements KeyValueFilter {
        private final Map<Long, Integer> values = new HashMap<>();
        private final int states;

        Plain(int states) {
            this.states = states;
        }

        @Override
        public int query(long hash) {
            return values.getOrDefault(hash, ABSENT);
        }

        @Override
        public void insert(long hash, int value) {
            if (values.put(hash, value) != null) {
                throw new AssertionError("inserted twice");
            }
        }

        @Override
        public boolean update(long hash, int oldValue, int newValue) {
            return values.replace(hash, oldValue, newValue);
        }

        @Override
        public boolean remove(long hash, int value) {
            return values.remove(hash, value);
        }

        @Override
        public int values() {
            return states;
        }

        @Override
        public long refused() {
            return 0;
        }

        @Override
        public long sizeInBytes() {
            return FIXED_BYTES + MACHINE_BYTES * values.size();
        }
    }

    @Override
    public KeyValueFilter create(int ofClass, long flows) {
        return new Plain(FlowTimeouts.DEFAULT.states().classes().states(ofClass));
    }

    @Override
    public long bytes(int ofClass, long flows) {
        return FIXED_BYTES + MACHINE_BYTES;
    }

    @Override
    public double error(int slices) {
        return 0;
    }

    @Override
    public long growth(KeyValueFilter filter) {
        return MACHINE_BYTES;
    }

    @Override
    public void compact(KeyValueFilter filter) {
        // Always as small as possible.
    }

    @Override
    public void write(KeyValueFilter filter, OutputStream out) {
        throw new UnsupportedOperationException();
    }

    @Override
    public KeyValueFilter read(int ofClass, InputStream in, String source) {
        throw new UnsupportedOperationException();
    }
}
