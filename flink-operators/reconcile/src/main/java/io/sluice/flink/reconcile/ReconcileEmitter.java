/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.ReconcileOutputs.Tags;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.element.ElementIds;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.Setup;
import io.sluice.flink.runtime.MinuteLog;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Emits and counts the results of exchanges. Repairs, reports and elements have the last timestamp
 * of their window or, if event time is beyond it, the first that is not late.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class ReconcileEmitter<T, K> {

    private final String operator;
    private final Setup setup;
    private final ElementIds<K> ids;
    private final Tags<T, K> tags;
    private final Output<StreamRecord<Repair<K>>> output;
    private final ReconcileClock clock;
    private final ReconcileMetrics counts;
    private final ProcessingTimeService wallClock;
    private final MinuteLog log;
    private final RefusalLog refusals;

    ReconcileEmitter(
            String operator,
            Setup setup,
            ElementIds<K> ids,
            Tags<T, K> tags,
            Output<StreamRecord<Repair<K>>> output,
            ReconcileClock clock,
            ReconcileMetrics counts,
            ProcessingTimeService wallClock,
            Consumer<String> log) {
        this.operator = operator;
        this.setup = setup;
        this.ids = ids;
        this.tags = tags;
        this.output = output;
        this.clock = clock;
        this.counts = counts;
        this.wallClock = wallClock;
        this.log = new MinuteLog(log);
        this.refusals = new RefusalLog(operator, wallClock, log);
    }

    private long timeOf(long window) {
        return clock.outputTime(setup.endOf(window) - 1);
    }

    /** An exchange refused a message of the peer about a window. */
    void refused(Refusal why, int group, long window) {
        counts.countRefused(why);
        refusals.refused(why, group, window);
    }

    /** A filter is made in which some elements have more copies than its counters count. */
    void saturated(int elements) {
        if (elements > 0) {
            counts.countSaturatedElements(elements);
            log.write(
                    wallClock.getCurrentProcessingTime(),
                    () ->
                            operator
                                    + ": "
                                    + elements
                                    + " elements of a filter have more copies than counterBits can"
                                    + " count, and are sent in full in every round; raise"
                                    + " counterBits, or set method to AUTO.");
        }
    }

    /** A record that is not reconciled, with its own timestamp. */
    void late(StreamRecord<T> record) {
        output.collect(tags.late(), record);
    }

    void repair(long window, byte[] id, long before, long after) throws IOException {
        counts.countRepaired();
        output.collect(
                new StreamRecord<>(
                        new Repair<>(window, ids.read(id), before, after), timeOf(window)));
    }

    void report(WindowReport report) {
        Outcome outcome = Outcome.valueOf(report.outcome());
        counts.countOutcome(outcome);
        counts.countFallback(Fallback.valueOf(report.fallback()));
        output.collect(tags.reports(), new StreamRecord<>(report, timeOf(report.window())));
        if (outcome != Outcome.AGREED) {
            log.write(wallClock.getCurrentProcessingTime(), () -> describe(report, outcome));
        }
    }

    private String describe(WindowReport report, Outcome outcome) {
        return operator
                + ": the exchange about window "
                + report.window()
                + " of key group "
                + report.group()
                + " ended without agreement ("
                + outcome
                + "): "
                + adviceFor(outcome);
    }

    private static String adviceFor(Outcome outcome) {
        return switch (outcome) {
            case AGREED -> "";
            case TIMED_OUT ->
                    "nothing was heard from the peer for ttl; check whether it runs, or"
                            + " raise ttl.";
            case SUSPENDED ->
                    "nothing was heard from the peer for ttl; its elements are kept for"
                            + " resumeWithin, and it goes on when the peer is back.";
            case TOO_LARGE -> "raise groups on both replicas, or maxMessage.";
            case NO_ROOM ->
                    "too much waits for the peer; check whether it runs, or raise"
                            + " maxWaitingElements and maxWindows.";
            case IRRECONCILABLE -> "check whether both replicas run the same release.";
            case PEER_GAVE_UP -> "the peer's report of the window says why.";
            case UNFINISHED ->
                    "both inputs have ended; a job started from the savepoint of a drain"
                            + " continues.";
        };
    }

    /** Whether finished multisets are wanted. */
    boolean wantsElements() {
        return tags.elements() != null;
    }

    void element(long window, byte[] id, long copies) throws IOException {
        OutputTag<WindowElement<K>> tag = tags.elements();
        if (tag != null) {
            output.collect(
                    tag,
                    new StreamRecord<>(
                            new WindowElement<>(window, ids.read(id), copies), timeOf(window)));
        }
    }

    void message(byte[] bytes) throws IOException {
        Message.Head head = MessageFormat.read(bytes, "the outbox").head();
        counts.countSent(bytes.length);
        output.collect(
                tags.messages(),
                new StreamRecord<>(
                        ReplicaMessage.of(head.kind(), head.group(), head.window(), bytes)));
    }
}
