/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.conformance;

import org.apache.flink.runtime.state.StateBackendMigrationTestBase;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Flink's suite for changed serializers on Flink's RocksDB backend alone, to compare counts with.
 */
@ExtendWith(NoOpTestExtension.class)
class StockRocksDbMigrationSuiteTest
        extends StateBackendMigrationTestBase<EmbeddedRocksDBStateBackend> {

    @Override
    protected EmbeddedRocksDBStateBackend getStateBackend() {
        return Subjects.rocksDb();
    }
}
