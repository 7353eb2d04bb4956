/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.flink.state.rocksdb;

import io.sluice.suite.SuiteBackend;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendFactory;

/**
 * Stands before Flink's class of the same name on the class path, so that Flink's own tests get the
 * backend of this run when their configuration says "rocksdb".
 */
public class EmbeddedRocksDBStateBackendFactory implements StateBackendFactory<StateBackend> {

    @Override
    public StateBackend createFromConfig(ReadableConfig config, ClassLoader classLoader) {
        return SuiteBackend.insteadOfRocksDb(config, classLoader);
    }
}
