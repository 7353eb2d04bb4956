/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.conformance;

import org.apache.flink.runtime.state.StateBackendMigrationTestBase;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Flink's suite for changed serializers on Flink's hashmap backend alone, to compare counts with.
 */
@ExtendWith(NoOpTestExtension.class)
class StockHashMapMigrationSuiteTest extends StateBackendMigrationTestBase<HashMapStateBackend> {

    @Override
    protected HashMapStateBackend getStateBackend() {
        return Subjects.hashMap();
    }
}
