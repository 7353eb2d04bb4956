/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import io.sluice.state.OracleStateBackend;
import java.io.IOException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;

/** Another backend, as a subclass of the stock one: Flink's loader asks for one. */
final class HashMapStandIn extends HashMapStateBackend {

    private final OracleStateBackend backend;

    HashMapStandIn(OracleStateBackend backend) {
        this.backend = backend;
    }

    @Override
    public HashMapStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
        return this;
    }

    @Override
    public boolean useManagedMemory() {
        return backend.useManagedMemory();
    }

    @Override
    public boolean supportsNoClaimRestoreMode() {
        return backend.supportsNoClaimRestoreMode();
    }

    @Override
    public boolean supportsSavepointFormat(SavepointFormatType formatType) {
        return backend.supportsSavepointFormat(formatType);
    }

    @Override
    public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        return backend.createKeyedStateBackend(parameters);
    }

    @Override
    public OperatorStateBackend createOperatorStateBackend(OperatorStateBackendParameters given) {
        return backend.createOperatorStateBackend(given);
    }
}
