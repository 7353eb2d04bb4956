/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.InvalidProgramException;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** User functions on their way into an operator. */
@Internal
public final class Closures {

    private Closures() {}

    /**
     * Returns {@code function} without its enclosing object if it does not use it, as Flink does
     * with the functions of its own operators.
     *
     * @param option the option that {@code function} was given for
     * @throws IllegalArgumentException if it still cannot be serialized
     */
    @Nullable
    public static <F> F clean(
            StreamExecutionEnvironment environment, String option, @Nullable F function) {
        if (function == null) {
            return null;
        }
        try {
            return environment.clean(function);
        } catch (InvalidProgramException e) {
            throw new IllegalArgumentException(
                    option
                            + " cannot be serialized, so it cannot be sent to the workers: "
                            + e.getMessage()
                            + " Make it a static method, a static class, or a lambda that uses no"
                            + " fields of the object around it.",
                    e);
        }
    }
}
