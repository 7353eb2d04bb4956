/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.StateBackendFactory;

/**
 * Makes the {@link CascadeStateBackend} from a configuration: put the name of this class into
 * {@code state.backend.type}. Options: {@link CascadeBackendOptions}.
 */
@PublicEvolving
public class CascadeStateBackendFactory implements StateBackendFactory<CascadeStateBackend> {

    @Override
    public CascadeStateBackend createFromConfig(ReadableConfig config, ClassLoader classLoader) {
        return new CascadeStateBackend().configure(config, classLoader);
    }
}
