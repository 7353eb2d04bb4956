/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.suite.Ledger;
import java.io.IOException;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractManagedMemoryStateBackend;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.util.FlinkRuntimeException;

/** The cascade backend with an exact state beside each filter. */
public final class OracleStateBackend extends AbstractManagedMemoryStateBackend {

    private final CascadeStateBackend cascade;

    /**
     * @param cascade configured
     */
    public OracleStateBackend(CascadeStateBackend cascade) {
        this.cascade = cascade;
    }

    @Override
    public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        AbstractKeyedStateBackend<K> keyed = cascade.createKeyedStateBackend(parameters);
        Ledger.backendMade(!parameters.getStateHandles().isEmpty());
        return new OracleKeyedStateBackend<>(keyed);
    }

    @Override
    public OperatorStateBackend createOperatorStateBackend(
            OperatorStateBackendParameters parameters) {
        try {
            return cascade.createOperatorStateBackend(parameters);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new FlinkRuntimeException(e);
        }
    }

    @Override
    public boolean supportsNoClaimRestoreMode() {
        return cascade.supportsNoClaimRestoreMode();
    }

    @Override
    public boolean supportsSavepointFormat(SavepointFormatType formatType) {
        return cascade.supportsSavepointFormat(formatType);
    }
}
