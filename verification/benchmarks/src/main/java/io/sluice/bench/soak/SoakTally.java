/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.soak.SoakIds.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/**
 * Counts what became of every record, exactly once: numbers as they are have passed, their
 * complements were denied. It runs in the subtask of the operator before it, and tells its counts
 * with each checkpoint; those of the savepoint with which a job stops are of all that was emitted.
 */
final class SoakTally extends RichMapFunction<Long, Long> implements CheckpointedFunction {
    private static final long serialVersionUID = 1L;

    private static final int KINDS = Kind.values().length;

    /** Repeats that passed because their first had been denied: the first time that id came out. */
    static final int EXCUSED = 2 * KINDS;

    /** Other repeats that passed: a broken promise. */
    static final int MISSED = 2 * KINDS + 1;

    /** Repeats that came after the lifetime, because the machine was slow. */
    static final int EXPIRED = 2 * KINDS + 2;

    /** Passed and denied of each kind, then the three above. */
    static final int COUNTS = 2 * KINDS + 3;

    private static final ListStateDescriptor<long[]> COUNTS_STATE = descriptor("counts");
    private static final ListStateDescriptor<long[]> DENIED_STATE = descriptor("denied");

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
     * A tally of nothing yet.
     *
     * @param lifetime by the wall clock, of an id
     */
    SoakTally(SoakJob job, SoakIds ids, Duration lifetime) {
        this.job = job;
        this.ids = ids;
        this.lifetime = lifetime;
    }

    private static ListStateDescriptor<long[]> descriptor(String name) {
        return new ListStateDescriptor<>(
                name, PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO);
    }

    /** Where the records of a kind that passed are counted. */
    static int passed(Kind kind) {
        return kind.index();
    }

    /** Where the records of a kind that were denied are counted. */
    static int denied(Kind kind) {
        return KINDS + kind.index();
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        stage = SoakStage.of(job);
        counts = new long[COUNTS];
        denied = new HashMap<>();
        countsState = context.getOperatorStateStore().getListState(COUNTS_STATE);
        deniedState = context.getOperatorStateStore().getUnionListState(DENIED_STATE);
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
    public Long map(Long marked) {
        if (stage.takesFailure()) {
            throw new IllegalStateException("a failure on purpose, to be restored from");
        }
        boolean passes = marked >= 0;
        latest = passes ? marked : ~marked;
        Kind kind = ids.kind(latest);
        counts[passes ? passed(kind) : denied(kind)]++;
        if (kind == Kind.REPEAT && passes) {
            counts[why()]++;
        } else if (kind != Kind.REPEAT && !passes) {
            denied.put(ids.id(latest), latest);
        }
        return marked;
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
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        denied.values().removeIf(number -> number < latest - 2 * ids.range());
        countsState.update(List.of(counts.clone()));
        deniedState.update(
                denied.entrySet().stream()
                        .map(entry -> new long[] {entry.getKey(), entry.getValue()})
                        .toList());
        stage.tally(getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(), counts);
    }
}
