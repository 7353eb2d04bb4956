/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.conformance;

import io.sluice.state.CascadeStateBackend;
import org.apache.flink.runtime.state.StateBackendMigrationTestBase;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's suite for changed serializers on our backend with the hashmap backend as delegate. */
@ExtendWith(NoOpTestExtension.class)
class CascadeOnHashMapMigrationSuiteTest
        extends StateBackendMigrationTestBase<CascadeStateBackend> {

    @Override
    protected CascadeStateBackend getStateBackend() {
        return Subjects.cascade("hashmap");
    }
}
