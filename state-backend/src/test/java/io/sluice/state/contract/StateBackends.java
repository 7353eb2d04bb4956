/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackendFactory;
import io.sluice.state.MembershipStateDescriptor;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/** The state backends that the contract is tested with. */
enum StateBackends {
    HASHMAP(0) {
        @Override
        StateBackend create() {
            return new HashMapStateBackend();
        }
    },

    /** With incremental checkpoints. */
    ROCKSDB(0) {
        @Override
        StateBackend create() {
            return new EmbeddedRocksDBStateBackend(true);
        }
    },

    /** Flags in filters because their descriptors say so, everything else on RocksDB. */
    CASCADE(1e-3) {
        @Override
        StateBackend create() {
            return cascade(UnaryOperator.identity());
        }

        @Override
        ValueStateDescriptor<Boolean> flag(String name) {
            return new MembershipStateDescriptor(name);
        }
    },

    /** As the last, with all other values and maps on the heap, and more on RocksDB. */
    CASCADE_HEAP_FIRST(1e-3) {
        @Override
        StateBackend create() {
            return cascade(
                    configuration ->
                            configuration
                                    .set(CascadeBackendOptions.HEAP_STATES, List.of("*"))
                                    .set(
                                            CascadeBackendOptions.HEAP_MEMORY,
                                            MemorySize.parse("500kb")));
        }

        @Override
        ValueStateDescriptor<Boolean> flag(String name) {
            return new MembershipStateDescriptor(name);
        }
    },

    /**
     * Flags in filters because of their names, everything else on the heap; with buffers of some
     * thousand keys, so that files are written and merged all the time, and less capacity than the
     * tests need.
     */
    CASCADE_SMALL(1e-3) {
        @Override
        StateBackend create() {
            return cascade(
                    configuration ->
                            configuration
                                    .set(CascadeBackendOptions.DELEGATE, "hashmap")
                                    .set(
                                            CascadeBackendOptions.BUFFER_SIZE,
                                            MemorySize.parse("16kb"))
                                    .set(CascadeBackendOptions.CAPACITY, 20_000L)
                                    .set(CascadeBackendOptions.TTL_BUCKETS, 3));
        }

        @Override
        int timeToLiveBuckets() {
            return 3;
        }
    };

    /** Names of flags in the tests, for backends that go by the name. */
    private static final String NAMES = "seen;one;two;brief;longer;lasting;other";

    private final double falsePositiveProbability;

    StateBackends(double falsePositiveProbability) {
        this.falsePositiveProbability = falsePositiveProbability;
    }

    abstract StateBackend create();

    /** Our backend, with the flags of the tests selected and the changes of {@code change}. */
    static StateBackend cascade(UnaryOperator<Configuration> change) {
        Configuration configuration = new Configuration();
        configuration.setString(CascadeBackendOptions.STATES.key(), NAMES);
        configuration.setString(CascadeBackendOptions.MAP_STATES.key(), "seen-*");
        configuration.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, 1e-3);
        configuration.set(CascadeBackendOptions.CAPACITY, 1_000_000L);
        return new CascadeStateBackendFactory()
                .createFromConfig(
                        change.apply(configuration), StateBackends.class.getClassLoader());
    }

    /** The descriptor of a flag for which this backend may answer with its error. */
    ValueStateDescriptor<Boolean> flag(String name) {
        return new ValueStateDescriptor<>(name, Types.BOOLEAN);
    }

    /** The descriptor of a map of flags for which this backend may answer with its error. */
    static MapStateDescriptor<String, Boolean> mapOfFlags() {
        return new MapStateDescriptor<>("seen-map", Types.STRING, Types.BOOLEAN);
    }

    /** Like {@link #flag(String)}, with the answer for keys that are not marked. */
    @SuppressWarnings("deprecation") // the only way, and jobs use it
    ValueStateDescriptor<Boolean> flagWithDefault(String name, boolean value) {
        return new ValueStateDescriptor<>(name, Types.BOOLEAN, value);
    }

    /** How often a key that was never marked may be reported; 0 for the exact ones. */
    final double falsePositiveProbability() {
        return falsePositiveProbability;
    }

    /** How many buckets a time to live is divided into; 0 if expiry is exact. */
    int timeToLiveBuckets() {
        return isExact() ? 0 : CascadeBackendOptions.TTL_BUCKETS.defaultValue();
    }

    final boolean isExact() {
        return falsePositiveProbability == 0;
    }

    /** Whether a flag's key is kept as an object, so that it must not change. */
    final boolean keepsKeyObjects() {
        return this == HASHMAP;
    }

    /** Whether a checkpoint may refer to files of earlier ones. */
    final boolean sharesFiles() {
        return this != HASHMAP;
    }
}
