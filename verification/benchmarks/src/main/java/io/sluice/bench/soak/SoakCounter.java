/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Behind the source: holds that every number comes once and in order, over restores too. */
final class SoakCounter extends AbstractStreamOperator<Long>
        implements OneInputStreamOperator<Long, Long> {
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
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
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
    public void processElement(StreamRecord<Long> record) {
        if (record.getValue() != next) {
            throw new IllegalStateException(
                    "record " + record.getValue() + " came where " + next + " was due");
        }
        next++;
        if (next % STEP == 0) {
            stage.moveTo(next);
        }
        output.collect(record);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        nextState.update(List.of(next));
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        stage.moveTo(next);
        stage.emitted(next);
    }
}
