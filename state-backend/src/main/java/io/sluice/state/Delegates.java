/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.Locale;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/** The backends that can hold all state other than membership states. */
final class Delegates {

    private Delegates() {}

    /** The backend that {@link CascadeBackendOptions#DELEGATE} names, configured. */
    static AbstractStateBackend create(ReadableConfig config, ClassLoader classLoader) {
        String name = config.get(CascadeBackendOptions.DELEGATE).toLowerCase(Locale.ROOT);
        return switch (name) {
            case "rocksdb" -> new RocksDb().create(config, classLoader);
            case "hashmap" -> new HashMapStateBackend().configure(config, classLoader);
            default ->
                    throw new IllegalConfigurationException(
                            CascadeBackendOptions.DELEGATE.key()
                                    + " is '"
                                    + name
                                    + "', but must be 'rocksdb' or 'hashmap'.");
        };
    }

    /** Returns {@code delegate}, falling back to {@code config} for values that it does not set. */
    static AbstractStateBackend configure(
            AbstractStateBackend delegate, ReadableConfig config, ClassLoader classLoader) {
        return delegate instanceof ConfigurableStateBackend configurable
                ? (AbstractStateBackend) configurable.configure(config, classLoader)
                : delegate;
    }

    /**
     * Loaded only when needed: with the hashmap delegate, RocksDB need not be on the class path.
     */
    private static final class RocksDb {
        AbstractStateBackend create(ReadableConfig config, ClassLoader classLoader) {
            return new EmbeddedRocksDBStateBackend().configure(config, classLoader);
        }
    }
}
