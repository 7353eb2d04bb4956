/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import java.time.Duration;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/**
 * Passes on the ids of which a replica had no copy. They have the time of their window, by which a
 * filter can tell whether it has forgotten them; that of a repair is when it was found.
 *
 * @param <K> type of the ids
 */
final class Missing<K> implements FlatMapFunction<Repair<K>, K> {

    /** Returns the last timestamp of a repair's window. */
    static long timeOf(Repair<?> repair, Duration window) {
        return repair.window() + window.toMillis() - 1;
    }

    @Override
    public void flatMap(Repair<K> repair, Collector<K> out) {
        if (repair.before() == 0) {
            out.collect(repair.element());
        }
    }
}
