/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.util.Optional;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * How many subtasks and key groups an operator gets, as far as that is known when the job is built:
 * the operator itself may be given another parallelism later.
 */
@Internal
public record PlannedParallelism(int subtasks, int keyGroups) {

    /** Returns what the environment says; empty if it says none, or an impossible one. */
    public static Optional<PlannedParallelism> of(StreamExecutionEnvironment environment) {
        int subtasks = environment.getParallelism();
        if (subtasks < 1) {
            return Optional.empty();
        }
        int configured = environment.getMaxParallelism();
        int keyGroups =
                configured > 0
                        ? configured
                        : KeyGroupRangeAssignment.computeDefaultMaxParallelism(subtasks);
        return keyGroups < subtasks
                ? Optional.empty()
                : Optional.of(new PlannedParallelism(subtasks, keyGroups));
    }

    /** Returns how messages name an operator of which no more is known. */
    public String describe(String uid) {
        return "'" + uid + "', built for a parallelism of " + subtasks;
    }
}
