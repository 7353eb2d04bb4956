/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.runtime.EventTimeWatch;
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
public final class FlowMetrics {

    public static final String GROUP = "sluice";
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

    /** How often a store needed more memory than was available, since the subtask started. */
    public static final String FULL = "full";

    /** Records that are not TCP packets, since the subtask started. */
    public static final String SKIPPED = "skipped";

    /** Packets behind the watermark, since the subtask started. */
    public static final String LATE = "late";

    /** Packets too far ahead of the watermark, since the subtask started. */
    public static final String FUTURE = "future";

    /**
     * Flows that were dropped for lack of room, as if they had timed out; since the subtask
     * started.
     */
    public static final String EVICTED = "evicted";

    /**
     * Flows that were open when the input ended, followed by the name of a {@link ConnState}; since
     * the subtask started.
     */
    public static final String OPEN_AT_END = "openAtEnd";

    /** How long the watermark has stood still in spite of records, in ms; else 0. */
    public static final String WATERMARK_STALLED = "watermarkStalledMillis";

    /** How far the watermark is ahead of the wall clock, in ms; 0 if it is not too far. */
    public static final String WATERMARK_AHEAD = "watermarkAheadMillis";

    /** What the gauges show; never changed once it is set. */
    private record Values(FlowCounts counts, long flows, long open, long bytes) {}

    private final Counter skipped = new SimpleCounter();
    private final Counter late = new SimpleCounter();
    private final Counter future = new SimpleCounter();
    private final Counter[] openAtEnd = new Counter[ConnState.COUNT];
    private volatile long stalledMillis;
    private volatile long aheadMillis;
    private volatile Values values = new Values(new FlowCounts(), 0, 0, 0);

    FlowMetrics(MetricGroup operator, StoreMemory memory) {
        MetricGroup group = operator.addGroup(GROUP);
        group.counter(SKIPPED, skipped);
        group.counter(LATE, late);
        group.counter(FUTURE, future);
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
        group.gauge(BYTES, (Gauge<Long>) () -> values.bytes());
        group.gauge(FULL, (Gauge<Long>) memory::refusals);
        group.gauge(EVICTED, (Gauge<Long>) memory::evicted);
        group.gauge(WATERMARK_STALLED, (Gauge<Long>) () -> stalledMillis);
        group.gauge(WATERMARK_AHEAD, (Gauge<Long>) () -> aheadMillis);
    }

    private void count(MetricGroup group, String name, ToLongFunction<FlowCounts> count) {
        group.gauge(name, (Gauge<Long>) () -> count.applyAsLong(values.counts()));
    }

    void countSkipped() {
        skipped.inc();
    }

    void countLate() {
        late.inc();
    }

    void countFuture() {
        future.inc();
    }

    void countOpenAtEnd(ConnState state, long count) {
        openAtEnd[state.code()].inc(count);
    }

    void eventTimeIs(EventTimeWatch watch) {
        stalledMillis = watch.stalledMillis();
        aheadMillis = watch.aheadMillis();
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
        values = new Values(sum.counts, sum.flows, sum.open, sum.bytes);
    }

    private static final class Sum {
        private final FlowCounts counts = new FlowCounts();
        private long flows;
        private long open;
        private long bytes;

        void add(FlowTracker tracker) {
            StateStore store = tracker.store();
            counts.add(tracker.counts());
            flows += store.machines();
            bytes += store.sizeInBytes();
            for (int state = 0; state < FlowStates.COUNT; state++) {
                open += FlowStates.isClosed(state) ? 0 : store.machines(state);
            }
        }
    }
}
