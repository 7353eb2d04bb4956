/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OptionException;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperatorFactory;

/**
 * Makes an operator with its second input. BATCH execution is refused, at construction if it is
 * visible there, else when the task starts: AUTOMATIC execution is decided in between.
 *
 * @param <IN> type of the records
 * @param <FOUND> type of what was found elsewhere
 * @param <OUT> type of the output
 */
@Internal
public final class SecondInputFactory<IN, FOUND, OUT> extends SimpleOperatorFactory<OUT>
        implements TwoInputStreamOperatorFactory<IN, FOUND, OUT> {

    private final String method;

    /** Null: that of the job. */
    @Nullable private final OwnBackend backend;

    /** Null: there is no choice. */
    @Nullable private final OtherEngine<IN, FOUND, OUT> other;

    /** As the other, with the backend of the job. */
    public SecondInputFactory(
            OptionalSecondInput<IN, FOUND, OUT> operator,
            String method,
            StreamExecutionEnvironment environment) {
        this(operator, method, environment, null, null);
    }

    /**
     * @param method of the builder that connects the input, for messages
     * @param backend of the operator; null: that of the job
     * @param other what a task may choose instead of {@code operator}; null without a choice
     * @throws OptionException if the environment runs in BATCH execution
     */
    public SecondInputFactory(
            OptionalSecondInput<IN, FOUND, OUT> operator,
            String method,
            StreamExecutionEnvironment environment,
            @Nullable OwnBackend backend,
            @Nullable OtherEngine<IN, FOUND, OUT> other) {
        super(requireNonNull(operator, "operator"));
        this.method = requireNonNull(method, "method");
        this.backend = backend;
        this.other = other;
        requireStreaming(
                environment.getConfiguration().get(ExecutionOptions.RUNTIME_MODE)
                        == RuntimeExecutionMode.BATCH);
    }

    private void requireStreaming(boolean isBatch) {
        if (isBatch) {
            throw new OptionException(
                    method,
                    " needs STREAMING execution, but ",
                    ExecutionOptions.RUNTIME_MODE.key(),
                    " is BATCH, or AUTOMATIC with bounded inputs: BATCH sorts both inputs by id, so"
                            + " what came first is not known, and keeps no state that could agree"
                            + " with that of another job. Set RuntimeExecutionMode.STREAMING, or"
                            + " leave ",
                    method,
                    " out.");
        }
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // Flink's signature
    public <S extends StreamOperator<OUT>> S createStreamOperator(
            StreamOperatorParameters<OUT> parameters) {
        requireStreaming(
                parameters.getContainingTask().getEnvironment().getJobType() == JobType.BATCH);
        return OtherEngine.<OUT, S>create(
                other, backend, () -> super.createStreamOperator(parameters), parameters);
    }
}
