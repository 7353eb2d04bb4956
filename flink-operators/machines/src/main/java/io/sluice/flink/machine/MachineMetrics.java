/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.flink.machine.MachineCounts.Of;
import io.sluice.flink.machine.store.StoreMemory;
import java.util.function.Consumer;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics of one subtask. Counts of events and machines are part of the state: they go on after
 * a restore, and their sum over all subtasks is right at any parallelism. Gauges show what the
 * task's thread last found.
 */
@Experimental
public final class MachineMetrics extends FollowingMetrics {

    /** Events, whatever became of them. */
    public static final String EVENTS = Of.EVENTS.metric();

    /** Events whose machine's state could not be told: they changed nothing. */
    public static final String AMBIGUOUS = Of.AMBIGUOUS.metric();

    /** Events whose change of state an approximate store refused. */
    public static final String REFUSED = Of.REFUSED.metric();

    /** Events whose change of state found no room. */
    public static final String WITHOUT_ROOM = Of.WITHOUT_ROOM.metric();

    /** Events without a transition from the present state. */
    public static final String ILLEGAL = Of.ILLEGAL.metric();

    public static final String BEGAN = Of.BEGAN.metric();
    public static final String FINISHED = Of.FINISHED.metric();
    public static final String TIMED_OUT = Of.TIMED_OUT.metric();

    /** Machines held, finished ones included. */
    public static final String MACHINES = "machines";

    /** Bytes of the stores. */
    public static final String BYTES = "bytes";

    /** Machines that were open when the input ended, since the subtask started. */
    public static final String OPEN_AT_END = "openAtEnd";

    /** What the gauges show; never changed once it is set. */
    private record Values(MachineCounts counts, long machines, long bytes) {}

    private final Counter openAtEnd;
    private volatile Values values = new Values(new MachineCounts(), 0, 0);

    MachineMetrics(MetricGroup operator, StoreMemory memory) {
        super(operator, memory);
        for (Of each : Of.values()) {
            group().gauge(each.metric(), (Gauge<Long>) () -> values.counts().get(each));
        }
        group().gauge(MACHINES, (Gauge<Long>) () -> values.machines());
        group().gauge(BYTES, (Gauge<Long>) () -> values.bytes() + sampleBytes());
        openAtEnd = group().counter(OPEN_AT_END);
    }

    void countOpenAtEnd(int state, long machines) {
        openAtEnd.inc(machines);
    }

    /**
     * Reads all key groups, and returns the number of events. To be called from the task's thread.
     * O(key groups).
     *
     * @param groups calls its argument for each of them
     */
    long refresh(Consumer<Consumer<? super MachineGroup>> groups) {
        MachineCounts counts = new MachineCounts();
        long[] sums = new long[2];
        groups.accept(
                group -> {
                    counts.add(group.counts());
                    sums[0] += group.store().machines();
                    sums[1] += group.store().sizeInBytes();
                });
        values = new Values(counts, sums[0], sums[1]);
        return counts.get(Of.EVENTS);
    }
}
