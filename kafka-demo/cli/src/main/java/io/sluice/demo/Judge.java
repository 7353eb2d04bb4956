/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import io.sluice.record.CounterKind;
import io.sluice.record.PacketRecord;
import io.sluice.replay.CounterTotals;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Judges the job by what was sent and what was committed.
 *
 * <p>Every operation was sent s times (the truth); d of the sends came out as duplicates and l as
 * late. The other s - d - l sends were counted. If one send was counted, that is right; if none, it
 * is a false positive, or a loss if it was late; each send counted beyond the first is a missed
 * duplicate. Then counters are compared one by one: the value must be the truth, minus the false
 * positives, plus the missed duplicates <em>of that counter</em>.
 */
final class Judge {
    private final CounterKind kind;
    private final Truth truth;
    private final Map<Long, long[]> deviations = new HashMap<>();
    private final Curve operationsOverTime;
    private final Curve falsePositivesOverTime;
    private final Curve watchedOverTime;

    private long counted;
    private long falsePositives;
    private long missedDuplicates;
    private long lateOperations;
    private long impossible;
    private long wrongCounters;
    private long wrongUnfiltered;
    private long withFilter;
    private long withoutFilter;
    private double expectedUndercount;

    Judge(CounterKind kind, Truth truth, Timeline time) {
        this.kind = kind;
        this.truth = truth;
        operationsOverTime = new Curve(time);
        falsePositivesOverTime = new Curve(time);
        watchedOverTime = new Curve(time);
    }

    /** The key of the counter with the largest true value; the smallest such key. */
    static long largestCounter(CounterTotals totals) {
        long[] best = {0, -1};
        totals.forEach(
                (key, operations, bytes, sends, beyond) -> {
                    if (operations > best[1]) {
                        best[0] = key;
                        best[1] = operations;
                    }
                });
        return best[0];
    }

    /**
     * Judges every operation of {@code capture}, in order.
     *
     * @param watched the counter whose true values over time are kept
     */
    void judgeOperations(Path capture, OperationIds duplicates, OperationIds late, long watched)
            throws IOException {
        PacketRecord operation = new PacketRecord();
        long id = truth.summary().firstOperationId();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            Packet packet = reader.packet();
            while (reader.next()) {
                if (packet.isIp()) {
                    operation.set(id, packet);
                    judge(operation, duplicates.count(id), late.count(id), watched);
                    id++;
                }
            }
        }
        impossible += duplicates.foreign() + late.foreign();
    }

    private void judge(PacketRecord operation, int dropped, int late, long watched) {
        int sends = truth.summary().faults().sends(operation.operationId());
        int applied = sends - dropped - late;
        if (applied < 0) {
            // More came out than went in: something was committed twice.
            impossible += -applied;
            return;
        }
        long key = kind.keyOf(operation);
        counted += applied;
        if (sends > 0) {
            operationsOverTime.add(operation.timestampMillis(), 1);
            if (key == watched) {
                watchedOverTime.add(operation.timestampMillis(), 1);
            }
        }
        if (applied > 1) {
            missedDuplicates += applied - 1;
            deviations.computeIfAbsent(key, k -> new long[1])[0] += applied - 1;
        } else if (applied == 0 && sends > 0) {
            if (late > 0) {
                lateOperations++;
            } else {
                falsePositives++;
                falsePositivesOverTime.add(operation.timestampMillis(), 1);
            }
            deviations.computeIfAbsent(key, k -> new long[1])[0]--;
        }
    }

    /** Compares every counter with the truth and its own deviations. */
    void judgeCounters(
            Map<String, CounterHistory.Value> filtered,
            Map<String, CounterHistory.Value> unfiltered) {
        CounterTotals totals = truth.counters(kind);
        Set<String> known = new HashSet<>();
        totals.forEach(
                (key, operations, bytes, sends, beyond) -> {
                    String name = kind.format(key);
                    known.add(name);
                    long deviation = deviations.getOrDefault(key, new long[1])[0];
                    CounterHistory.Value with =
                            filtered.getOrDefault(name, CounterHistory.Value.NONE);
                    if (with.value() != operations + deviation) {
                        wrongCounters++;
                    }
                    CounterHistory.Value without =
                            unfiltered.getOrDefault(name, CounterHistory.Value.NONE);
                    if (without.value() != sends) {
                        wrongUnfiltered++;
                    }
                    withFilter += with.value();
                    expectedUndercount += with.expectedUndercount();
                    withoutFilter += without.value();
                });
        wrongCounters += filtered.keySet().stream().filter(name -> !known.contains(name)).count();
        wrongUnfiltered +=
                unfiltered.keySet().stream().filter(name -> !known.contains(name)).count();
    }

    /**
     * What is wrong, most serious first; empty if nothing is.
     *
     * @param filter whether the counters had one
     * @param deadLetters records on the dead-letter topic
     * @param bound of the false positives
     */
    List<String> complaints(boolean filter, long deadLetters, long bound) {
        List<String> complaints = new ArrayList<>();
        if (missedDuplicates > 0) {
            complaints.add(
                    missedDuplicates
                            + " retries were counted twice"
                            + (filter ? "" : ", since the filter is switched off (--no-filter)"));
        }
        if (impossible > 0) {
            complaints.add(impossible + " operations came out that were never sent");
        }
        if (wrongCounters > 0) {
            complaints.add(
                    wrongCounters
                            + " counters differ from the truth by more than their operations");
        }
        if (wrongUnfiltered > 0) {
            complaints.add(
                    wrongUnfiltered + " counters without a filter differ from the records sent");
        }
        if (falsePositives > bound) {
            complaints.add(falsePositives + " false positives are more than the credible " + bound);
        }
        if (lateOperations > 0) {
            complaints.add(lateOperations + " operations were not counted because they were late");
        }
        long malformed = truth.summary().malformedRecords();
        if (deadLetters != malformed) {
            complaints.add(
                    deadLetters
                            + " dead letters were written for "
                            + malformed
                            + " malformed records");
        }
        return complaints;
    }

    long counted() {
        return counted;
    }

    long falsePositives() {
        return falsePositives;
    }

    long missedDuplicates() {
        return missedDuplicates;
    }

    long wrongCounters() {
        return wrongCounters;
    }

    long withFilter() {
        return withFilter;
    }

    long withoutFilter() {
        return withoutFilter;
    }

    double expectedUndercount() {
        return expectedUndercount;
    }

    /** Operations sent, up to the end of each interval. */
    double[] operationsOverTime() {
        return operationsOverTime.cumulative();
    }

    double[] falsePositivesOverTime() {
        return falsePositivesOverTime.cumulative();
    }

    double[] watchedOverTime() {
        return watchedOverTime.cumulative();
    }
}
