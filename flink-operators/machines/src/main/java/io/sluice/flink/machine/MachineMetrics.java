/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.filter.MeasuredError;
import io.sluice.flink.machine.MachineCounts.Of;
import io.sluice.flink.machine.store.StoreMemory;
import java.util.function.Consumer;
import javax.annotation.Nullable;
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

    /**
     * Share of events that an approximate store answers with a wrong state, or not at all, at most,
     * by the machines that it holds.
     */
    public static final String PREDICTED_ERROR = "predictedError";

    /** The same as an exact sample of the keys measures it; NaN while nothing was watched. */
    public static final String MEASURED_ERROR = "measuredError";

    /** Lower end of its interval of 95 %. */
    public static final String MEASURED_ERROR_LOWER = "measuredErrorLower";

    /** Upper end of its interval of 95 %. */
    public static final String MEASURED_ERROR_UPPER = "measuredErrorUpper";

    /** Events of the sample, since the subtask started. */
    public static final String WATCHED_EVENTS = "watchedEvents";

    /** Events of the sample that were answered with a wrong state, or not at all. */
    public static final String WATCHED_WRONG = "watchedWrong";

    /** What the gauges show; never changed once it is set. */
    private record Values(
            MachineCounts counts,
            long machines,
            long bytes,
            double predicted,
            MeasuredError error) {

        private static final Values NONE =
                new Values(new MachineCounts(), 0, 0, 0, MeasuredError.NONE);
    }

    private final Counter openAtEnd;
    private volatile Values values = Values.NONE;

    MachineMetrics(MetricGroup operator, StoreMemory memory) {
        super(operator, memory);
        for (Of each : Of.values()) {
            group().gauge(each.metric(), (Gauge<Long>) () -> values.counts().get(each));
        }
        group().gauge(MACHINES, (Gauge<Long>) () -> values.machines());
        group().gauge(BYTES, (Gauge<Long>) () -> values.bytes());
        openAtEnd = group().counter(OPEN_AT_END);
    }

    /** Shows the error of an approximate store. */
    void showError() {
        group().gauge(PREDICTED_ERROR, (Gauge<Double>) () -> values.predicted());
        group().gauge(MEASURED_ERROR, (Gauge<Double>) () -> values.error().rate());
        group().gauge(
                        MEASURED_ERROR_LOWER,
                        (Gauge<Double>) () -> values.error().lower(MeasuredError.Z_95));
        group().gauge(
                        MEASURED_ERROR_UPPER,
                        (Gauge<Double>) () -> values.error().upper(MeasuredError.Z_95));
        group().gauge(WATCHED_EVENTS, (Gauge<Long>) () -> values.error().firsts());
        group().gauge(WATCHED_WRONG, (Gauge<Long>) () -> values.error().dropped());
    }

    void countOpenAtEnd(long count) {
        openAtEnd.inc(count);
    }

    /**
     * Reads all key groups, and returns the number of events. To be called from the task's thread.
     * O(key groups).
     *
     * @param groups calls its argument for each of them
     * @param shadow measures the error; null if the store is exact
     */
    long refresh(Consumer<Consumer<? super MachineGroup>> groups, @Nullable MachineShadow shadow) {
        MachineCounts counts = new MachineCounts();
        long[] sums = new long[2];
        double[] wrong = new double[1];
        groups.accept(
                group -> {
                    counts.add(group.counts());
                    sums[0] += group.store().machines();
                    sums[1] += group.store().sizeInBytes();
                    wrong[0] += group.store().predictedError() * group.store().machines();
                });
        double predicted = sums[0] == 0 ? 0 : wrong[0] / sums[0];
        values =
                shadow == null
                        ? new Values(counts, sums[0], sums[1], 0, MeasuredError.NONE)
                        : new Values(
                                counts,
                                sums[0],
                                sums[1] + shadow.sizeInBytes(),
                                predicted,
                                shadow.error());
        return counts.get(Of.EVENTS);
    }
}
