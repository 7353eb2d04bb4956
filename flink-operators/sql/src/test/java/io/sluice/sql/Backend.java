/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackendFactory;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;

/** The state backends that the functions are tested on. */
enum Backend {
    HASHMAP("hashmap"),
    ROCKSDB("rocksdb"),
    CASCADE(CascadeStateBackendFactory.class.getName());

    private final String type;

    Backend(String type) {
        this.type = type;
    }

    Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, type);
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        if (this == CASCADE) {
            configuration.set(CascadeBackendOptions.DELEGATE, "hashmap");
            // The environment of a harness has hardly any managed memory.
            configuration.set(CascadeBackendOptions.USE_MANAGED_MEMORY, false);
        }
        return configuration;
    }

    StateBackend make() throws Exception {
        return StateBackendLoader.loadStateBackendFromConfig(
                configuration(), Backend.class.getClassLoader(), null);
    }
}
