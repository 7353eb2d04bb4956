/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Counts what became of every record, exactly once: numbers as they are have passed, their
 * complements were denied. It runs in the subtask of the operator before it.
 */
final class SoakTally extends AbstractStreamOperator<Long>
        implements OneInputStreamOperator<Long, Long> {
    private static final long serialVersionUID = 1L;

    private static final int KINDS = SoakIds.Kind.values().length;

    /** Passed and denied of each kind, then the three below. */
    static final int COUNTS = 2 * KINDS + 3;

    /** Repeats that passed because their first had been denied: the first time that id came out. */
    private static final int EXCUSED = 2 * KINDS;

    /** Other repeats that passed: a broken promise. */
    private static final int MISSED = 2 * KINDS + 1;

    /** Repeats that came after the lifetime, because the machine was slow. */
    private static final int EXPIRED = 2 * KINDS + 2;

    private final SoakJob job;
    private final SoakIds ids;
    private final Duration lifetime;
    private transient SoakStage stage;
    private transient long[] counts;

    /** Ids of denied first occurrences, and the latest record of each; about p of all. */
    private transient Map<Long, Long> denied;

    private transient long latest;
    private transient ListState<long[]> countsState;
    private transient ListState<long[]> deniedState;

    /**
     * @param lifetime by the wall clock, of an id
     */
    SoakTally(SoakJob job, SoakIds ids, Duration lifetime) {
        this.job = job;
        this.ids = ids;
        this.lifetime = lifetime;
    }

    static long passed(long[] counts, SoakIds.Kind kind) {
        return counts[kind.index()];
    }

    static long denied(long[] counts, SoakIds.Kind kind) {
        return counts[KINDS + kind.index()];
    }

    static long excused(long[] counts) {
        return counts[EXCUSED];
    }

    static long missed(long[] counts) {
        return counts[MISSED];
    }

    static long expired(long[] counts) {
        return counts[EXPIRED];
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        stage = SoakStage.of(job);
        counts = new long[COUNTS];
        denied = new HashMap<>();
        countsState =
                context.getOperatorStateStore()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "counts",
                                        PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO));
        deniedState =
                context.getOperatorStateStore()
                        .getUnionListState(
                                new ListStateDescriptor<>(
                                        "denied",
                                        PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO));
        for (long[] before : countsState.get()) {
            for (int i = 0; i < COUNTS; i++) {
                counts[i] += before[i];
            }
        }
        for (long[] entry : deniedState.get()) {
            denied.put(entry[0], entry[1]);
        }
    }

    @Override
    public void processElement(StreamRecord<Long> record) {
        if (stage.takesFailure()) {
            throw new IllegalStateException("a failure on purpose, to be restored from");
        }
        long number = record.getValue();
        boolean passes = number >= 0;
        latest = passes ? number : ~number;
        SoakIds.Kind kind = ids.kind(latest);
        counts[(passes ? 0 : KINDS) + kind.index()]++;
        if (kind == SoakIds.Kind.REPEAT) {
            if (passes) {
                counts[why()]++;
            }
        } else if (!passes) {
            denied.put(ids.id(latest), latest);
        }
    }

    /** For what reason a repeat has passed. */
    private int why() {
        if (denied.remove(ids.id(latest)) != null) {
            return EXCUSED;
        }
        boolean expired = stage.nanosSince(ids.repeated(latest)) >= lifetime.toNanos();
        return expired ? EXPIRED : MISSED;
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        denied.values().removeIf(number -> number < latest - 2 * ids.range());
        countsState.update(List.of(counts.clone()));
        deniedState.update(
                denied.entrySet().stream()
                        .map(entry -> new long[] {entry.getKey(), entry.getValue()})
                        .toList());
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        stage.tally(getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(), counts);
    }
}
