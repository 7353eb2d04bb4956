/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractManagedMemoryStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.OperatorStateBackend;

/**
 * A state backend that keeps states that only say "seen" in cascade filters, and everything else in
 * another backend, the <em>delegate</em> (RocksDB, or hashmap).
 *
 * <p>A state is a <em>membership state</em> if it is a {@code ValueState} of a Boolean and was
 * requested as one: by its name ({@link CascadeBackendOptions#STATES}) or by its descriptor ({@link
 * MembershipStateDescriptor}); or if it is a {@code MapState} with Boolean values that is named in
 * {@link CascadeBackendOptions#MAP_STATES}. It never forgets a key that was marked, and reports a
 * key that was never marked with at most the configured probability. All other state is exact; the
 * delegate keeps it.
 *
 * <p>Like every state backend this is a serializable factory; it holds no state itself and is safe
 * for use by several threads.
 */
@PublicEvolving
public class CascadeStateBackend extends AbstractManagedMemoryStateBackend
        implements ConfigurableStateBackend {

    /** Null until configured, unless given explicitly. */
    @Nullable private final AbstractStateBackend delegate;

    private final CascadeSettings settings;

    /** A backend whose delegate and options come from the configuration. */
    public CascadeStateBackend() {
        this(null, CascadeSettings.from(new Configuration()));
    }

    /** A backend with this delegate, whatever the configuration says. */
    public CascadeStateBackend(AbstractStateBackend delegate) {
        this(delegate, CascadeSettings.from(new Configuration()));
    }

    /**
     * Returns a backend for one operator, whatever backend its job has.
     *
     * @param operator its name; operators of a slot with different names share no memory
     * @param delegate what holds its other state, configured
     * @param config has {@link CascadeBackendOptions}; the fixed memory is the operator's own
     */
    @Internal
    public static CascadeStateBackend ofOperator(
            String operator, AbstractStateBackend delegate, ReadableConfig config) {
        Configuration own = Configuration.fromMap(config.toMap());
        own.set(CascadeSettings.MEMORY_OWNER, operator);
        return new CascadeStateBackend(delegate, CascadeSettings.from(own));
    }

    /**
     * Returns the least memory of an operator with one state in a filter, in bytes.
     *
     * @param keyGroups of the subtask
     */
    @Internal
    public static long leastMemory(int keyGroups) {
        return SlotShares.withBuffers((long) MembershipStates.MIN_BYTES_PER_KEY_GROUP * keyGroups);
    }

    private CascadeStateBackend(@Nullable AbstractStateBackend delegate, CascadeSettings settings) {
        this.delegate = delegate;
        this.settings = settings;
    }

    @Override
    public CascadeStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
        AbstractStateBackend configured =
                delegate == null
                        ? Delegates.create(config, classLoader)
                        : Delegates.configure(delegate, config, classLoader);
        return new CascadeStateBackend(configured, CascadeSettings.from(config));
    }

    @Override
    public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        return new CascadeKeyedStateBackendBuilder<>(configuredDelegate(), settings, parameters)
                .build();
    }

    @Override
    public boolean supportsAsyncKeyedStateBackend() {
        return configuredDelegate().supportsAsyncKeyedStateBackend();
    }

    @Override
    public <K> AsyncKeyedStateBackend<K> createAsyncKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws Exception {
        return configuredDelegate().createAsyncKeyedStateBackend(parameters);
    }

    @Override
    public OperatorStateBackend createOperatorStateBackend(
            OperatorStateBackendParameters parameters) throws Exception {
        return configuredDelegate().createOperatorStateBackend(parameters);
    }

    @Override
    public boolean supportsNoClaimRestoreMode() {
        return configuredDelegate().supportsNoClaimRestoreMode();
    }

    /**
     * Supports native and canonical savepoints, like the delegate: both contain the filters' files.
     */
    @Override
    public boolean supportsSavepointFormat(SavepointFormatType formatType) {
        return configuredDelegate().supportsSavepointFormat(formatType);
    }

    /** Returns what holds all state that is not in filters. */
    @Internal
    public AbstractStateBackend delegate() {
        return configuredDelegate();
    }

    private AbstractStateBackend configuredDelegate() {
        return delegate != null
                ? delegate
                : Delegates.create(new Configuration(), getClass().getClassLoader());
    }

    @Override
    public String toString() {
        return "CascadeStateBackend{delegate=" + delegate + ", " + settings + '}';
    }
}
