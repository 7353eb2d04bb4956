/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackendFactory;
import java.util.List;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;

/** The state backends that jobs run on. */
enum JobBackend {
    HASHMAP("hashmap", 0),
    ROCKSDB("rocksdb", 0),
    CASCADE(CascadeStateBackendFactory.class.getName(), 1e-3),

    /**
     * With everything except the flags on the heap, and with files written and merged all the time.
     */
    CASCADE_SMALL(CascadeStateBackendFactory.class.getName(), 1e-2) {
        @Override
        void configure(Configuration configuration) {
            super.configure(configuration);
            configuration.set(CascadeBackendOptions.DELEGATE, "hashmap");
            configuration.set(CascadeBackendOptions.BUFFER_SIZE, MemorySize.parse("4kb"));
            configuration.set(CascadeBackendOptions.CAPACITY, 3000L);
        }
    };

    private final String type;
    private final double falsePositiveProbability;

    JobBackend(String type, double falsePositiveProbability) {
        this.type = type;
        this.falsePositiveProbability = falsePositiveProbability;
    }

    void configure(Configuration configuration) {
        configuration.set(StateBackendOptions.STATE_BACKEND, type);
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        if (falsePositiveProbability > 0) {
            configuration.set(
                    CascadeBackendOptions.STATES,
                    List.of(
                            "seen",
                            "deduplicate-state",
                            "already-emitted-state-boolean",
                            "accState"));
            configuration.set(
                    CascadeBackendOptions.MAP_STATES, List.of("seen-map", "distinctAcc_*"));
            configuration.set(
                    CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, falsePositiveProbability);
        }
    }

    /** How often a first occurrence may be taken for a duplicate. */
    double falsePositiveProbability() {
        return falsePositiveProbability;
    }
}
