/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.record.CounterKind;
import java.util.EnumMap;
import java.util.Map;

/**
 * What a replay really sent: the summary, and the true value of every counter.
 *
 * @param summary the numbers and the faults
 * @param counters the counters of each kind
 */
public record Truth(TruthSummary summary, Map<CounterKind, CounterTotals> counters) {
    /** Keeps a copy of the map. */
    public Truth {
        counters = Map.copyOf(new EnumMap<>(counters));
    }

    /** The counters of one kind. */
    public CounterTotals counters(CounterKind kind) {
        return counters.get(kind);
    }
}
