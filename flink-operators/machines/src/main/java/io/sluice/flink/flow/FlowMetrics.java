/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.machine.FollowingMetrics;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreMemory;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

/**
 * The metrics of one subtask, in the group {@value #GROUP} of the operator's metric group. Counts
 * of packets and flows are part of the state: they go on after a restore, and their sum over all
 * subtasks is right at any parallelism. Gauges show what the task's thread last found ({@link
 * #refresh}).
 */
@Experimental
public final class FlowMetrics extends FollowingMetrics {

    public static final String PACKETS = "packets";
    public static final String AMBIGUOUS = "ambiguous";
    public static final String REFUSED = "refused";
    public static final String WITHOUT_ROOM = "withoutRoom";
    public static final String ILLEGAL = "illegal";
    public static final String BEGAN = "began";
    public static final String FIN_AND_RST = "finAndRst";
    public static final String ATTEMPTS = "attempts";
    public static final String COMPLETED = "completed";

    /** Followed by the name of a {@link ConnState}. */
    public static final String ENDED = "ended";

    /** Followed by the name of a {@link ConnState}. */
    public static final String TIMED_OUT = "timedOut";

    /** Flows held, closed ones included. */
    public static final String FLOWS = "flows";

    /** Flows held that have not ended. */
    public static final String OPEN = "open";

    public static final String BYTES = "bytes";

    /** Flows that began when there was no room for their totals; since the subtask started. */
    public static final String WITHOUT_TOTALS = "withoutTotals";

    /**
     * Flows that were open when the input ended, followed by the name of a {@link ConnState}; since
     * the subtask started.
     */
    public static final String OPEN_AT_END = "openAtEnd";

    /** What the gauges show; never changed once it is set. */
    private record Values(
            FlowCounts counts, long flows, long open, long bytes, long withoutTotals) {}

    private final Counter[] openAtEnd = new Counter[ConnState.COUNT];
    private volatile Values values = new Values(new FlowCounts(), 0, 0, 0, 0);

    FlowMetrics(MetricGroup operator, StoreMemory memory) {
        super(operator, memory);
        MetricGroup group = group();
        count(group, PACKETS, FlowCounts::packets);
        count(group, AMBIGUOUS, FlowCounts::ambiguous);
        count(group, REFUSED, FlowCounts::refused);
        count(group, WITHOUT_ROOM, FlowCounts::withoutRoom);
        count(group, ILLEGAL, FlowCounts::illegal);
        count(group, BEGAN, FlowCounts::began);
        count(group, FIN_AND_RST, FlowCounts::finAndRst);
        count(group, ATTEMPTS, FlowCounts::attempts);
        count(group, COMPLETED, FlowCounts::completed);
        for (ConnState state : ConnState.values()) {
            count(group, ENDED + state, counts -> counts.ended(state));
            count(group, TIMED_OUT + state, counts -> counts.timedOut(state));
            openAtEnd[state.code()] = group.counter(OPEN_AT_END + state, new SimpleCounter());
        }
        group.gauge(FLOWS, (Gauge<Long>) () -> values.flows());
        group.gauge(OPEN, (Gauge<Long>) () -> values.open());
        group.gauge(BYTES, (Gauge<Long>) () -> values.bytes() + sampleBytes());
        group.gauge(WITHOUT_TOTALS, (Gauge<Long>) () -> values.withoutTotals());
    }

    private void count(MetricGroup group, String name, ToLongFunction<FlowCounts> count) {
        group.gauge(name, (Gauge<Long>) () -> count.applyAsLong(values.counts()));
    }

    void countOpenAtEnd(ConnState state, long count) {
        openAtEnd[state.code()].inc(count);
    }

    /** The values of the last refresh. */
    long packets() {
        return values.counts().packets();
    }

    /**
     * Reads all key groups. To be called from the task's thread. O(key groups).
     *
     * @param trackers calls its argument for each of them
     */
    void refresh(Consumer<Consumer<? super FlowTracker>> trackers) {
        Sum sum = new Sum();
        trackers.accept(sum::add);
        values = new Values(sum.counts, sum.flows, sum.open, sum.bytes, sum.withoutTotals);
    }

    private static final class Sum {
        private final FlowCounts counts = new FlowCounts();
        private long flows;
        private long open;
        private long bytes;
        private long withoutTotals;

        void add(FlowTracker tracker) {
            StateStore store = tracker.store();
            counts.add(tracker.counts());
            flows += store.machines();
            bytes += store.sizeInBytes();
            TotalsTable totals = tracker.totals();
            if (totals != null) {
                bytes += totals.sizeInBytes();
                withoutTotals += totals.withoutRoom();
            }
            for (int state = 0; state < FlowStates.COUNT; state++) {
                open += FlowStates.isClosed(state) ? 0 : store.machines(state);
            }
        }
    }
}
