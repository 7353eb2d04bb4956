/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.VisibleForTesting;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.sorted.state.BatchExecutionStateBackend;

/**
 * Chooses between two operators when the task starts, since it is not known earlier how the job
 * runs. In BATCH execution Flink sorts a keyed input by key, and by timestamp within a key, and its
 * state backend for BATCH keeps the state of one key. Flink refuses this backend without the
 * sorting, so its presence means that the input is sorted. With either operator, a job in BATCH
 * execution that should start from a savepoint fails ({@link NoStateInBatch}).
 *
 * @param <IN> type of the records
 * @param <OUT> type of the output
 */
@Internal
public final class SortedInputFactory<IN, OUT> extends SimpleOperatorFactory<OUT>
        implements OneInputStreamOperatorFactory<IN, OUT> {

    private final OneInputStreamOperator<IN, OUT> forSortedInput;

    /** Null: that of the job. */
    @Nullable private final OwnBackend backend;

    /** Null: there is no choice. */
    @Nullable private final OtherEngine<IN, ?, OUT> other;

    /**
     * @param forStreams for all other jobs, including BATCH without its state backend
     * @param forSortedInput for inputs that are sorted by key
     */
    public SortedInputFactory(
            OneInputStreamOperator<IN, OUT> forStreams,
            OneInputStreamOperator<IN, OUT> forSortedInput) {
        super(requireNonNull(forStreams, "forStreams"));
        this.forSortedInput = requireNonNull(forSortedInput, "forSortedInput");
        this.backend = null;
        this.other = null;
    }

    /**
     * As the other.
     *
     * @param backend of {@code forStreams}; null: that of the job
     * @param other what a task may choose instead of {@code forStreams}; null without a choice
     */
    public SortedInputFactory(
            OptionalSecondInput<IN, ?, OUT> forStreams,
            OneInputStreamOperator<IN, OUT> forSortedInput,
            @Nullable OwnBackend backend,
            @Nullable OtherEngine<IN, ?, OUT> other) {
        super(requireNonNull(forStreams, "forStreams"));
        this.forSortedInput = requireNonNull(forSortedInput, "forSortedInput");
        this.backend = backend;
        this.other = other;
    }

    /** Returns what the operator for streams has instead of the job's backend; null: nothing. */
    @VisibleForTesting
    @Nullable
    public OwnBackend backend() {
        return backend;
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // Flink's signature
    public <S extends StreamOperator<OUT>> S createStreamOperator(
            StreamOperatorParameters<OUT> parameters) {
        NoStateInBatch.check(
                "'" + parameters.getStreamConfig().getOperatorName() + "'",
                parameters.getContainingTask().getEnvironment().getJobConfiguration());
        ClassLoader classLoader = parameters.getContainingTask().getUserCodeClassLoader();
        StateBackend ofJob = parameters.getStreamConfig().getStateBackend(classLoader);
        if (ofJob instanceof BatchExecutionStateBackend) {
            return SimpleOperatorFactory.of(forSortedInput).createStreamOperator(parameters);
        }
        return OtherEngine.<OUT, S>create(
                other, backend, () -> super.createStreamOperator(parameters), parameters);
    }
}
