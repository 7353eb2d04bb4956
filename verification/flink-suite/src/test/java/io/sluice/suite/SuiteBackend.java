/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackend;
import io.sluice.state.OracleStateBackend;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/**
 * Which backend Flink's tests get when they ask for one of the stock backends, as {@link SuiteRun}
 * says: what they ask for, or ours over one delegate, whichever they ask for if that is possible.
 */
public final class SuiteBackend {

    /** So small that buffers are written, and files merged, in tests of a few thousand keys. */
    private static final MemorySize BUFFERS = MemorySize.ofMebiBytes(1).divide(128);

    private static final MemorySize MEMORY = MemorySize.ofMebiBytes(4);

    /** So few that filters outgrow what they were made for. */
    private static final long CAPACITY = 1000;

    private SuiteBackend() {}

    /** What the factory of "hashmap" has to return: its signature asks for a subclass. */
    public static HashMapStateBackend insteadOfHashMap(
            ReadableConfig config, ClassLoader classLoader) {
        return SuiteRun.current() == SuiteRun.STOCK
                ? new HashMapStateBackend().configure(config, classLoader)
                : new HashMapStandIn(cascade("hashmap", config, classLoader));
    }

    /** What the factory of "rocksdb" returns. */
    public static StateBackend insteadOfRocksDb(ReadableConfig config, ClassLoader classLoader) {
        return SuiteRun.current() == SuiteRun.STOCK
                ? new EmbeddedRocksDBStateBackend().configure(config, classLoader)
                : cascade("rocksdb", config, classLoader);
    }

    private static OracleStateBackend cascade(
            String asked, ReadableConfig config, ClassLoader classLoader) {
        Configuration options = Configuration.fromMap(config.toMap());
        options.set(
                CascadeBackendOptions.DELEGATE,
                RunningClass.getsWhatItAsksFor() ? asked : SuiteRun.current().delegate());
        options.set(CascadeBackendOptions.STATES, List.of("*"));
        options.set(CascadeBackendOptions.CAPACITY, CAPACITY);
        options.set(CascadeBackendOptions.BUFFER_SIZE, BUFFERS);
        options.set(CascadeBackendOptions.FIXED_MEMORY, MEMORY);
        return new OracleStateBackend(new CascadeStateBackend().configure(options, classLoader));
    }
}
