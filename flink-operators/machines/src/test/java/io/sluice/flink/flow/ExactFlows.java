/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.flow.Traffic.Segment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * An independent version of the rules of flows: a plain map from flows to their states and their
 * packets, with the operator's clock.
 */
final class ExactFlows {

    /**
     * @param packets since the flow began, with the times that were believed; null if totals are
     *     not kept
     */
    private record Held(int state, long millis, @Nullable List<Segment> packets) {}

    private final ConnectionMachine machine = new ConnectionMachine(true);
    private final FlowTimeouts timeouts;
    private final long maxFuture;
    private final boolean totals;
    private Map<Long, Held> flows = new HashMap<>();
    private long watermark = Long.MIN_VALUE;

    /** What was reported, as text. */
    List<String> reports = new ArrayList<>();

    ExactFlows(FlowTimeouts timeouts, long maxFuture, boolean totals) {
        this.totals = totals;
        this.timeouts = timeouts;
        this.maxFuture = maxFuture;
    }

    static String text(FinishedFlow flow) {
        return text(flow.flow(), flow.state(), flow.reason(), flow.millis(), flow.totals());
    }

    private static String text(
            long flow, Object state, Object reason, long millis, @Nullable FlowTotals totals) {
        return flow
                + " "
                + state
                + " "
                + reason
                + " at "
                + millis
                + (totals == null ? "" : " with " + totals);
    }

    /** The first SYN says who began, also if it was answered only; else the first packet does. */
    private static @Nullable FlowTotals totals(@Nullable List<Segment> packets) {
        if (packets == null) {
            return null;
        }
        Segment first =
                packets.stream()
                        .filter(packet -> (packet.flags() & TcpFlags.SYN) != 0)
                        .findFirst()
                        .orElse(packets.get(0));
        int opening = TcpFlags.SYN | TcpFlags.ACK;
        boolean isAnswer = (first.flags() & opening) == opening;
        boolean originatorIsLower = first.fromLower() != isAnswer;
        Endpoints ends = new FlowFixture.View().endpoints(first);
        long[] numbers = new long[4];
        for (Segment packet : packets) {
            int side = packet.fromLower() == originatorIsLower ? 0 : 2;
            numbers[side]++;
            numbers[side + 1] += new FlowFixture.View().bytes(packet);
        }
        return new FlowTotals(
                isAnswer ? ends.reversed() : ends,
                packets.stream().mapToLong(Segment::millis).min().orElseThrow(),
                packets.stream().mapToLong(Segment::millis).max().orElseThrow(),
                numbers[0],
                numbers[1],
                numbers[2],
                numbers[3]);
    }

    private long over(Held held) {
        long slice = timeouts.sliceMillis(IdleClass.of(held.state));
        return (Math.floorDiv(held.millis, slice) + timeouts.slices() + 1) * slice;
    }

    private void report(long flow, Held held, Reason reason) {
        if (!FlowStates.isClosed(held.state)) {
            reports.add(
                    text(
                            flow,
                            FlowStates.connState(held.state),
                            reason,
                            over(held),
                            totals(held.packets)));
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
        Segment believed =
                new Segment(segment.flow(), segment.fromLower(), segment.flags(), millis);
        boolean isNew = held == null || ConnectionMachine.begins(transition);
        List<Segment> packets = totals ? new ArrayList<>() : null;
        if (totals && !isNew) {
            packets.addAll(held.packets);
        }
        if (totals) {
            packets.add(believed);
        }
        flows.put(segment.flow(), new Held(after, used, packets));
        if (ConnectionMachine.ends(transition)) {
            boolean isOfNext = held != null && ConnectionMachine.begins(transition);
            reports.add(
                    text(
                            segment.flow(),
                            ConnectionMachine.end(transition),
                            Reason.ENDED,
                            millis,
                            totals(isOfNext ? held.packets : packets)));
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
                    Held bounded =
                            held.millis > latest
                                    ? new Held(held.state, latest, held.packets)
                                    : held;
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
