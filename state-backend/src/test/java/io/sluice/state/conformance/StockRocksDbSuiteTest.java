/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.conformance;

import java.nio.file.Path;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flink's suite for keyed state backends on Flink's RocksDB backend alone, to compare counts with.
 */
@Tag("long")
@ExtendWith(NoOpTestExtension.class)
class StockRocksDbSuiteTest extends StateBackendTestBase<EmbeddedRocksDBStateBackend> {

    @TempDir Path checkpoints;

    @Override
    protected ConfigurableStateBackend getStateBackend() {
        return Subjects.rocksDb();
    }

    @Override
    protected boolean isSerializerPresenceRequiredOnRestore() {
        return false;
    }

    @Override
    protected boolean supportsAsynchronousSnapshots() {
        return true;
    }

    @Override
    protected boolean isSafeToReuseKVState() {
        return true;
    }

    @Override
    protected CheckpointStorage getCheckpointStorage() {
        return new FileSystemCheckpointStorage(checkpoints.toUri());
    }
}
