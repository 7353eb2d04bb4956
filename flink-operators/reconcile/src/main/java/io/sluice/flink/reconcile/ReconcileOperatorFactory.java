/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperatorFactory;

/**
 * Makes the operator if it can work: messages leave with completed checkpoints, so without
 * checkpoints, as in BATCH execution, nothing would ever be sent. A wrong setup is refused at
 * construction if it is visible there; AUTOMATIC execution is decided later.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class ReconcileOperatorFactory<T, K> extends SimpleOperatorFactory<Repair<K>>
        implements TwoInputStreamOperatorFactory<T, Tuple2<Integer, byte[]>, Repair<K>> {

    ReconcileOperatorFactory(ReconcileOperator<T, K> operator) {
        super(operator);
    }

    /**
     * Returns if there are checkpoints.
     *
     * @throws IllegalArgumentException with the option to set, if there are none
     */
    static void requireCheckpoints(boolean areEnabled, boolean isBatch) {
        if (isBatch) {
            throw new IllegalArgumentException(
                    "Reconcile needs STREAMING execution, but execution.runtime-mode is BATCH, or"
                            + " AUTOMATIC with bounded inputs: an exchange with the peer takes"
                            + " several checkpoints, and BATCH has none. Set"
                            + " RuntimeExecutionMode.STREAMING.");
        }
        if (!areEnabled) {
            throw new IllegalArgumentException(
                    "Reconcile needs checkpoints, but execution.checkpointing.interval is not set:"
                            + " messages to the peer leave with completed checkpoints, so none"
                            + " would ever leave. Call enableCheckpointing(millis) before apply.");
        }
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // Flink's signature
    public <S extends StreamOperator<Repair<K>>> S createStreamOperator(
            StreamOperatorParameters<Repair<K>> parameters) {
        Environment environment = parameters.getContainingTask().getEnvironment();
        requireCheckpoints(
                CheckpointingOptions.isCheckpointingEnabled(environment.getJobConfiguration()),
                environment.getJobType() == JobType.BATCH);
        return super.createStreamOperator(parameters);
    }
}
