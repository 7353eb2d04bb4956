/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;

/** The state backends that jobs run on. */
enum JobBackend {
    HASHMAP("hashmap"),
    ROCKSDB("rocksdb");

    private final String type;

    JobBackend(String type) {
        this.type = type;
    }

    void configure(Configuration configuration) {
        configuration.set(StateBackendOptions.STATE_BACKEND, type);
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    }

    /** How often a first occurrence may be taken for a duplicate. */
    double falsePositiveProbability() {
        return 0;
    }
}
