/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateRecoveryOptions;

/**
 * Refuses a savepoint in BATCH execution. Flink's BATCH scheduler would ignore it without an error,
 * and every id in it would pass again.
 */
final class NoStateInBatch {

    private NoStateInBatch() {}

    /**
     * @param job the configuration of the job, as its tasks see it
     * @throws IllegalStateException if it runs in BATCH execution and is to start from a savepoint
     */
    static void check(String operator, ReadableConfig job) {
        if (job.get(ExecutionOptions.RUNTIME_MODE) == RuntimeExecutionMode.BATCH) {
            job.getOptional(StateRecoveryOptions.SAVEPOINT_PATH)
                    .ifPresent(
                            path -> {
                                throw refusal(
                                        operator,
                                        StateRecoveryOptions.SAVEPOINT_PATH.key() + " = " + path);
                            });
        }
    }

    static IllegalStateException refusal(String operator, String from) {
        return new IllegalStateException(
                "Operator "
                        + operator
                        + " is to start from "
                        + from
                        + ", but the job runs in BATCH execution, which restores no state: what"
                        + " was seen before would pass again. Start the job without a savepoint,"
                        + " or in STREAMING execution ("
                        + ExecutionOptions.RUNTIME_MODE.key()
                        + ").");
    }
}
