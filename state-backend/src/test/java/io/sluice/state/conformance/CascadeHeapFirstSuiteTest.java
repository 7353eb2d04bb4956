/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.conformance;

import io.sluice.state.CascadeStateBackend;
import java.lang.reflect.Method;
import java.nio.file.Path;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;

/** The same suite where all values and maps are kept on the heap first. */
@ExtendWith({NoOpTestExtension.class, CascadeHeapFirstSuiteTest.WithoutCopies.class})
class CascadeHeapFirstSuiteTest extends StateBackendTestBase<CascadeStateBackend> {

    @TempDir Path checkpoints;

    @Override
    protected ConfigurableStateBackend getStateBackend() {
        return Subjects.cascadeHeapFirst("64mb");
    }

    @Override
    protected boolean isSerializerPresenceRequiredOnRestore() {
        return true;
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

    /**
     * Leaves out two tests whose serializer refuses to copy, as is done with what is on the heap.
     */
    static final class WithoutCopies implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return context.getTestMethod()
                    .map(Method::getName)
                    .filter(name -> name.startsWith("testKryoRegisteringRestoreResilience"))
                    .map(name -> ConditionEvaluationResult.disabled("its serializer does not copy"))
                    .orElse(ConditionEvaluationResult.enabled("it may be copied"));
        }
    }
}
