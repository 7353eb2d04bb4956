/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;

/**
 * An operator for an input that is sorted by key, as in BATCH execution. It has no state, and
 * refuses to start from any.
 *
 * @param <IN> type of the records
 * @param <OUT> type of the output
 */
@Internal
public abstract class SortedOperator<IN, OUT> extends AbstractStreamOperator<OUT>
        implements OneInputStreamOperator<IN, OUT> {

    protected SortedOperator() {}

    /** Returns how messages name this operator. */
    protected final String describe() {
        return "'" + getRuntimeContext().getTaskInfo().getTaskName() + "'";
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        if (context.isRestored()) {
            throw NoStateInBatch.refusal(describe(), "state");
        }
    }

    @Override
    public boolean hasKeyContext1() {
        return false;
    }
}
