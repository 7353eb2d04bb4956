/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.KeyGroupedState;
import io.sluice.flink.flow.FlowMetrics;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics of one subtask, in the group {@link FlowMetrics#GROUP} of the operator's. What is
 * counted is part of the state: it goes on after a restore. Gauges show what the task's thread last
 * found.
 */
public final class AttackMetrics {

    /** Attempts that were started. */
    public static final String ATTEMPTS = "attempts";

    /** What came after its pane was closed, and was left out. */
    public static final String LATE = "late";

    /** Parties that had to make room, or found none. */
    public static final String FORGOTTEN = "forgotten";

    /** Attacks that were reported. */
    public static final String RAISED = "raised";

    /** Of those, the ones that are over. */
    public static final String CLEARED = "cleared";

    /** Parties of all panes. */
    public static final String TALLIES = "tallies";

    private record Values(AttackCounts counts, long tallies) {}

    private volatile Values values = new Values(new AttackCounts(), 0);

    AttackMetrics(MetricGroup operator) {
        MetricGroup group = operator.addGroup(FlowMetrics.GROUP);
        count(group, ATTEMPTS, counts -> counts.attempts);
        count(group, LATE, counts -> counts.late);
        count(group, FORGOTTEN, counts -> counts.forgotten);
        count(group, RAISED, counts -> counts.raised);
        count(group, CLEARED, counts -> counts.cleared);
        group.gauge(TALLIES, (Gauge<Long>) () -> values.tallies());
    }

    private void count(MetricGroup group, String name, ToLongFunction<AttackCounts> count) {
        group.gauge(name, (Gauge<Long>) () -> count.applyAsLong(values.counts()));
    }

    /** Reads all key groups. To be called from the task's thread. O(key groups). */
    void refresh(KeyGroupedState<AttackWatch> groups) {
        AttackCounts counts = new AttackCounts();
        long[] tallies = {0};
        groups.forEach(
                watch -> {
                    counts.add(watch.counts());
                    tallies[0] += watch.tallies();
                });
        values = new Values(counts, tallies[0]);
    }
}
