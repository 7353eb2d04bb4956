/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.GroupExchanges.Fate;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.Phase;
import java.util.EnumMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics of one subtask, in the group {@value #GROUP} of the operator's metric group; the
 * package description lists them. Gauges show the values before the last checkpoint: reporters read
 * them from other threads.
 */
final class ReconcileMetrics {

    static final String GROUP = "sluice";
    static final String RECORDS = "records";
    static final String LATE = "late";
    static final String FUTURE = "future";
    static final String SATURATED = "saturated";
    static final String SATURATED_ELEMENTS = "saturatedElements";
    static final String NULL_IDS = "nullIds";
    static final String NO_COPIES = "noCopies";
    static final String REPAIRED = "repaired";
    static final String SENT_BYTES = "sentBytes";
    static final String WAITING_WINDOWS = "waitingWindows";
    static final String WAITING_ELEMENTS = "waitingElements";
    static final String LONGEST_WAIT_MILLIS = "longestWaitMillis";
    static final String WATERMARK_STALLED_MILLIS = "watermarkStalledMillis";
    static final String WATERMARK_AHEAD_MILLIS = "watermarkAheadMillis";

    private final Counter records;
    private final Counter late;
    private final Counter future;
    private final Counter saturated;
    private final Counter saturatedElements;
    private final Counter nullIds;
    private final Counter noCopies;
    private final Counter repaired;
    private final Counter sentBytes;
    private final Map<Refusal, Counter> refused = new EnumMap<>(Refusal.class);
    private final Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);
    private final Map<Fallback, Counter> fallbacks = new EnumMap<>(Fallback.class);
    private volatile Waiting waiting = new Waiting();

    /** What waits for the peer. */
    private static final class Waiting {
        private long windows;
        private long elements;
        private long longestMillis;
        private long stalledMillis;
        private long aheadMillis;
    }

    ReconcileMetrics(MetricGroup operator) {
        MetricGroup group = operator.addGroup(GROUP);
        records = group.counter(RECORDS);
        late = group.counter(LATE);
        future = group.counter(FUTURE);
        saturated = group.counter(SATURATED);
        saturatedElements = group.counter(SATURATED_ELEMENTS);
        nullIds = group.counter(NULL_IDS);
        noCopies = group.counter(NO_COPIES);
        repaired = group.counter(REPAIRED);
        sentBytes = group.counter(SENT_BYTES);
        for (Refusal why : Refusal.values()) {
            if (!Gate.REASONS.contains(why) || why == Refusal.FOREIGN) {
                refused.put(why, group.counter(why.metric()));
            }
        }
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome, group.counter(nameOf(outcome)));
        }
        fallbacks.put(Fallback.TOO_MANY_DIFFERENCES, group.counter("tooManyDifferences"));
        fallbacks.put(Fallback.CONTRADICTORY_SYMBOLS, group.counter("contradictorySymbols"));
        group.gauge(WAITING_WINDOWS, (Gauge<Long>) () -> waiting.windows);
        group.gauge(WAITING_ELEMENTS, (Gauge<Long>) () -> waiting.elements);
        group.gauge(LONGEST_WAIT_MILLIS, (Gauge<Long>) () -> waiting.longestMillis);
        group.gauge(WATERMARK_STALLED_MILLIS, (Gauge<Long>) () -> waiting.stalledMillis);
        group.gauge(WATERMARK_AHEAD_MILLIS, (Gauge<Long>) () -> waiting.aheadMillis);
    }

    /** Name of the counter of exchanges with this outcome. */
    static String nameOf(Outcome outcome) {
        return switch (outcome) {
            case AGREED -> "agreed";
            case TIMED_OUT -> "timedOut";
            case SUSPENDED -> "suspended";
            case TOO_LARGE -> "tooLarge";
            case NO_ROOM -> "noRoom";
            case IRRECONCILABLE -> "irreconcilable";
            case PEER_GAVE_UP -> "peerGaveUp";
            case UNFINISHED -> "unfinished";
        };
    }

    void countRecord(Fate fate) {
        records.inc();
        switch (fate) {
            case COUNTED -> {}
            case LATE -> late.inc();
            case SATURATED -> saturated.inc();
        }
    }

    void countNullId() {
        records.inc();
        nullIds.inc();
    }

    /** A record stands for no copy of its id. */
    void countNoCopies() {
        records.inc();
        noCopies.inc();
    }

    /** A record came too far ahead of the wall clock. */
    void countFuture() {
        records.inc();
        future.inc();
    }

    /** So many elements of a filter have more copies than its counters count. */
    void countSaturatedElements(int elements) {
        saturatedElements.inc(elements);
    }

    long records() {
        return records.getCount();
    }

    void countRepaired() {
        repaired.inc();
    }

    void countSent(int bytes) {
        sentBytes.inc(bytes);
    }

    void countRefused(Refusal why) {
        refused.get(why).inc();
    }

    void countOutcome(Outcome outcome) {
        outcomes.get(outcome).inc();
    }

    /** An exchange ended that went on with filters after coded symbols. */
    void countFallback(Fallback why) {
        if (why != Fallback.NONE) {
            fallbacks.get(why).inc();
        }
    }

    /** Looks at all exchanges. To be called from the task's thread. */
    void refresh(Iterable<GroupExchanges> groups, ReconcileClock clock) {
        Waiting now = new Waiting();
        clock.check(records());
        now.stalledMillis = clock.stalledMillis();
        now.aheadMillis = clock.aheadMillis();
        for (GroupExchanges group : groups) {
            for (Reconciliation exchange : group.exchanges()) {
                if (exchange.phase() == Phase.EXCHANGING) {
                    now.windows++;
                    now.elements += exchange.waitingElements();
                    now.longestMillis = Math.max(now.longestMillis, exchange.waitedMillis());
                }
            }
        }
        waiting = now;
    }
}
