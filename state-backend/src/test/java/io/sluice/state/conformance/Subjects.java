/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.conformance;

import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackend;
import java.util.List;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/** The backends that Flink's suites run on. */
final class Subjects {

    private Subjects() {}

    static CascadeStateBackend cascade(String delegate) {
        Configuration config = incremental().set(CascadeBackendOptions.DELEGATE, delegate);
        return new CascadeStateBackend().configure(config, Subjects.class.getClassLoader());
    }

    /** All values and maps are kept on the heap, as many as there is room for. */
    static CascadeStateBackend cascadeHeapFirst(String memory) {
        Configuration config =
                incremental()
                        .set(CascadeBackendOptions.HEAP_STATES, List.of("*"))
                        .set(CascadeBackendOptions.HEAP_MEMORY, MemorySize.parse(memory));
        return new CascadeStateBackend().configure(config, Subjects.class.getClassLoader());
    }

    static EmbeddedRocksDBStateBackend rocksDb() {
        return new EmbeddedRocksDBStateBackend()
                .configure(incremental(), Subjects.class.getClassLoader());
    }

    static HashMapStateBackend hashMap() {
        return new HashMapStateBackend().configure(incremental(), Subjects.class.getClassLoader());
    }

    private static Configuration incremental() {
        return new Configuration().set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    }
}
