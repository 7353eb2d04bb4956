/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.flow.FlowMetrics;
import java.util.function.ToLongFunction;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics of one subtask, in the group {@link FlowMetrics#GROUP} of the operator's metric
 * group. Counts are part of the state, so they go on after a restore. Gauges show what the task's
 * thread last found.
 */
@Experimental
public final class AttackMetrics {

    /** Attempts that were started. */
    public static final String ATTEMPTS = "attempts";

    /** Attempts that came after their pane was closed, and were left out. */
    public static final String LATE = "late";

    /** Attempts that came far ahead of the watermark. They are held until event time gets there. */
    public static final String AHEAD = "ahead";

    /** Parties that had to make room, and attacks that found none and were not reported. */
    public static final String FORGOTTEN = "forgotten";

    /** Attacks that were reported. */
    public static final String RAISED = "raised";

    /** Reported attacks that are over. */
    public static final String CLEARED = "cleared";

    /** Parties in all panes. */
    public static final String TALLIES = "tallies";

    /** How long the watermark has stood still in spite of attempts, in ms; 0 if it has not. */
    public static final String WATERMARK_STALLED_MILLIS = "watermarkStalledMillis";

    /** How far the watermark is ahead of the wall clock, in ms; 0 if it is not too far. */
    public static final String WATERMARK_AHEAD_MILLIS = "watermarkAheadMillis";

    private record Values(AttackCounts counts, long tallies, long stalled, long ahead) {}

    private volatile Values values = new Values(new AttackCounts(), 0, 0, 0);

    AttackMetrics(MetricGroup operator) {
        MetricGroup group = operator.addGroup(FlowMetrics.GROUP);
        count(group, ATTEMPTS, counts -> counts.attempts);
        count(group, LATE, counts -> counts.late);
        count(group, AHEAD, counts -> counts.ahead);
        count(group, FORGOTTEN, counts -> counts.forgotten);
        count(group, RAISED, counts -> counts.raised);
        count(group, CLEARED, counts -> counts.cleared);
        group.gauge(TALLIES, (Gauge<Long>) () -> values.tallies());
        group.gauge(WATERMARK_STALLED_MILLIS, (Gauge<Long>) () -> values.stalled());
        group.gauge(WATERMARK_AHEAD_MILLIS, (Gauge<Long>) () -> values.ahead());
    }

    private void count(MetricGroup group, String name, ToLongFunction<AttackCounts> count) {
        group.gauge(name, (Gauge<Long>) () -> count.applyAsLong(values.counts()));
    }

    /** Shows these values. To be called from the task's thread. */
    void show(AttackCounts counts, long tallies, long stalledMillis, long aheadMillis) {
        values = new Values(counts, tallies, stalledMillis, aheadMillis);
    }
}
