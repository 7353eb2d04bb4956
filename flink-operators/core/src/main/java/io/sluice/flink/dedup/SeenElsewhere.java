/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import org.apache.flink.annotation.Internal;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Counts the ids of an {@link io.sluice.flink.runtime.OptionalSecondInput} by what they changed.
 */
@Internal
public final class SeenElsewhere {

    private final Counter taken;
    private final Counter known;

    /**
     * Registers the counters.
     *
     * @param taken name of the counter of ids that were not known here
     */
    public SeenElsewhere(MetricGroup operator, String taken) {
        MetricGroup group = operator.addGroup(DeduplicateMetrics.GROUP);
        this.taken = group.counter(taken);
        this.known = group.counter(DeduplicateMetrics.ALREADY_SEEN);
    }

    /** Counts an id; one that is late is counted where it is found to be. */
    public void count(Verdict verdict) {
        if (verdict == Verdict.FIRST) {
            taken.inc();
        } else if (verdict.isDuplicate()) {
            known.inc();
        }
    }
}
