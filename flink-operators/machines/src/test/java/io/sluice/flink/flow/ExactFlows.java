/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.flow.Traffic.Segment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An independent version of the rules of flows: a plain map from flows to their states, with the
 * operator's clock.
 */
final class ExactFlows {

    private record Held(int state, long millis) {}

    private final ConnectionMachine machine = new ConnectionMachine(true);
    private final FlowTimeouts timeouts;
    private final long maxFuture;
    private Map<Long, Held> flows = new HashMap<>();
    private long watermark = Long.MIN_VALUE;

    /** What was reported, as text. */
    List<String> reports = new ArrayList<>();

    ExactFlows(FlowTimeouts timeouts, long maxFuture) {
        this.timeouts = timeouts;
        this.maxFuture = maxFuture;
    }

    static String text(FinishedFlow flow) {
        return text(flow.flow(), flow.state(), flow.reason(), flow.millis());
    }

    private static String text(long flow, Object state, Object reason, long millis) {
        return flow + " " + state + " " + reason + " at " + millis;
    }

    private long over(Held held) {
        long slice = timeouts.sliceMillis(IdleClass.of(held.state));
        return (Math.floorDiv(held.millis, slice) + timeouts.slices() + 1) * slice;
    }

    private void report(long flow, Held held, Reason reason) {
        if (!FlowStates.isClosed(held.state)) {
            reports.add(text(flow, FlowStates.connState(held.state), reason, over(held)));
        }
    }

    void packet(Segment segment) {
        long millis = segment.millis();
        if (watermark != Long.MIN_VALUE) {
            millis = Math.min(millis, watermark + maxFuture);
        }
        Held held = flows.get(segment.flow());
        if (held != null && millis >= over(held)) {
            report(segment.flow(), held, Reason.TIMED_OUT);
            held = null;
        }
        int before = held == null ? ConnectionMachine.NONE : held.state;
        int transition = machine.transition(before, segment.fromLower(), segment.flags());
        int after = ConnectionMachine.nextState(transition);
        boolean isSameClass = held != null && IdleClass.of(before) == IdleClass.of(after);
        long used =
                !isSameClass
                        ? millis
                        : FlowStates.isClosed(after) ? held.millis : Math.max(held.millis, millis);
        flows.put(segment.flow(), new Held(after, used));
        if (ConnectionMachine.ends(transition)) {
            reports.add(
                    text(segment.flow(), ConnectionMachine.end(transition), Reason.ENDED, millis));
        }
    }

    /**
     * @param sweeps whether a slice has ended since the last sweep, so that flows are dropped
     */
    void watermark(long millis, boolean sweeps) {
        if (millis <= watermark) {
            return;
        }
        watermark = millis;
        if (!sweeps) {
            return;
        }
        Map<Long, Held> left = new HashMap<>();
        flows.forEach(
                (flow, held) -> {
                    long latest = watermark + maxFuture;
                    Held bounded = held.millis > latest ? new Held(held.state, latest) : held;
                    if (over(bounded) <= watermark + 1) {
                        report(flow, bounded, Reason.TIMED_OUT);
                    } else {
                        left.put(flow, bounded);
                    }
                });
        flows = left;
    }

    void end() {
        flows.forEach((flow, held) -> report(flow, held, Reason.END_OF_INPUT));
    }

    /** A start from what is held: watermarks start over. */
    void restart() {
        watermark = Long.MIN_VALUE;
    }

    int held() {
        return flows.size();
    }

    /** Copies another's present flows and clock. */
    void copyFrom(ExactFlows other) {
        flows = new HashMap<>(other.flows);
        watermark = other.watermark;
        reports = new ArrayList<>(other.reports);
    }
}
