/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.util.List;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/** Behind the source: holds that every number comes once and in order, over restores too. */
final class SoakCounter implements MapFunction<Long, Long>, CheckpointedFunction {
    private static final long serialVersionUID = 1L;
    private static final int STEP = 1024;

    private final SoakJob job;
    private transient SoakStage stage;
    private transient long next;
    private transient ListState<Long> nextState;

    SoakCounter(SoakJob job) {
        this.job = job;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        stage = SoakStage.of(job);
        nextState =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("next", Types.LONG));
        for (long before : nextState.get()) {
            next = before;
        }
        stage.started();
        stage.moveTo(next);
    }

    @Override
    public Long map(Long number) {
        if (number != next) {
            throw new IllegalStateException(
                    "record " + number + " came where " + next + " was due");
        }
        next++;
        if (next % STEP == 0) {
            stage.moveTo(next);
        }
        return number;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        nextState.update(List.of(next));
        stage.moveTo(next);
    }
}
