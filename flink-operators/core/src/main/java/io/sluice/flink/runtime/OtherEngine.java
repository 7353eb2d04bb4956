/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.util.Optional;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/**
 * Another engine for streams, which a task may choose when it starts: only then is the parallelism
 * known, and what is restored.
 *
 * @param operator of the engine
 * @param backend of that operator
 * @param <IN> type of the records
 * @param <FOUND> type of what was found elsewhere
 * @param <OUT> type of the output
 */
@Internal
public record OtherEngine<IN, FOUND, OUT>(
        OptionalSecondInput<IN, FOUND, OUT> operator, OwnBackend backend, Choice choice)
        implements Serializable {

    /** Whether the other engine is chosen. */
    @FunctionalInterface
    public interface Choice extends Serializable {

        /**
         * Returns the same in all subtasks.
         *
         * @param restored the layout that is restored, in the sense of {@link KeyGroupedState};
         *     empty without state
         */
        boolean isOther(TaskInfo task, Optional<String> restored);
    }

    public OtherEngine {
        requireNonNull(operator, "operator");
        requireNonNull(backend, "backend");
        requireNonNull(choice, "choice");
    }

    private boolean isChosen(StreamOperatorParameters<OUT> parameters) {
        Environment environment = parameters.getContainingTask().getEnvironment();
        return choice.isOther(
                environment.getTaskInfo(),
                RestoredLayout.of(
                        environment,
                        parameters.getStreamConfig().getOperatorID(),
                        parameters.getStreamConfig().getOperatorName()));
    }

    /**
     * Makes the operator for streams.
     *
     * @param other null without a choice
     * @param backend of the usual operator, null: that of the job
     * @param usual makes the usual operator
     */
    @SuppressWarnings("TypeParameterUnusedInFormals") // Flink's signature
    static <OUT, S extends StreamOperator<OUT>> S create(
            @Nullable OtherEngine<?, ?, OUT> other,
            @Nullable OwnBackend backend,
            Supplier<S> usual,
            StreamOperatorParameters<OUT> parameters) {
        if (other != null && other.isChosen(parameters)) {
            S made =
                    SimpleOperatorFactory.<OUT>of(other.operator())
                            .createStreamOperator(parameters);
            return OwnBackend.give(other.backend(), made, parameters);
        }
        S made = usual.get();
        return backend == null ? made : OwnBackend.give(backend, made, parameters);
    }
}
