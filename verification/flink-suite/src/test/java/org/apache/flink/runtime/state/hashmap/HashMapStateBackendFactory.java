/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.flink.runtime.state.hashmap;

import io.sluice.suite.SuiteBackend;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.StateBackendFactory;

/**
 * Stands before Flink's class of the same name on the class path, so that Flink's own tests get the
 * backend of this run when their configuration says "hashmap" or nothing.
 */
public class HashMapStateBackendFactory implements StateBackendFactory<HashMapStateBackend> {

    @Override
    public HashMapStateBackend createFromConfig(ReadableConfig config, ClassLoader classLoader) {
        return SuiteBackend.insteadOfHashMap(config, classLoader);
    }
}
