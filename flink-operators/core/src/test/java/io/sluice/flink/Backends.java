/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import java.util.function.Supplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBOptions;

/** The state backends that operators are tested on. */
public enum Backends implements Supplier<StateBackend> {
    HASHMAP,
    ROCKSDB,
    /** RocksDB that keeps timers on the heap, and writes them to raw keyed state. */
    ROCKSDB_HEAP_TIMERS;

    @Override
    public StateBackend get() {
        return switch (this) {
            case HASHMAP -> new HashMapStateBackend();
            case ROCKSDB -> new EmbeddedRocksDBStateBackend();
            case ROCKSDB_HEAP_TIMERS ->
                    new EmbeddedRocksDBStateBackend()
                            .configure(
                                    new Configuration()
                                            .set(
                                                    RocksDBOptions.TIMER_SERVICE_FACTORY,
                                                    EmbeddedRocksDBStateBackend
                                                            .PriorityQueueStateType.HEAP),
                                    Backends.class.getClassLoader());
        };
    }
}
