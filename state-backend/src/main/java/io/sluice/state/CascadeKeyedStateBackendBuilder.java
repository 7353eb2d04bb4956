/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import java.util.Collection;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;

/**
 * Builds one subtask's keyed backend: the delegate with its share of memory and handles, and us.
 */
final class CascadeKeyedStateBackendBuilder<K> {

    private final AbstractStateBackend delegate;
    private final CascadeSettings settings;
    private final KeyedStateBackendParameters<K> parameters;

    CascadeKeyedStateBackendBuilder(
            AbstractStateBackend delegate,
            CascadeSettings settings,
            KeyedStateBackendParameters<K> parameters) {
        this.delegate = delegate;
        this.settings = settings;
        this.parameters = parameters;
    }

    CascadeKeyedStateBackend<K> build() throws IOException {
        AbstractKeyedStateBackend<K> keyedDelegate =
                delegate.createKeyedStateBackend(delegateParameters(parameters.getStateHandles()));
        return new CascadeKeyedStateBackend<>(keyedDelegate);
    }

    private KeyedStateBackendParameters<K> delegateParameters(
            Collection<KeyedStateHandle> handles) {
        boolean shared = settings.managedMemory() && delegate.useManagedMemory();
        double fraction = parameters.getManagedMemoryFraction();
        return new KeyedStateBackendParametersImpl<>(
                parameters.getEnv(),
                parameters.getJobID(),
                parameters.getOperatorIdentifier(),
                parameters.getKeySerializer(),
                parameters.getNumberOfKeyGroups(),
                parameters.getKeyGroupRange(),
                parameters.getKvStateRegistry(),
                parameters.getTtlTimeProvider(),
                parameters.getMetricGroup(),
                parameters.getCustomInitializationMetrics(),
                handles,
                parameters.getCancelStreamRegistry(),
                shared ? fraction * (1 - settings.memoryFraction()) : fraction);
    }
}
