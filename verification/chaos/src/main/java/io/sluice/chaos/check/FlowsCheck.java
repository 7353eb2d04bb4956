/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.chaos.truth.FlowPlan;
import io.sluice.chaos.truth.PacketBytes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The rules of flows. Of a flow all of whose packets are on the topic:
 *
 * <ul>
 *   <li>If a packet ends it, it is reported once, with its ends and its state.
 *   <li>If nobody answers, it is reported once when its time is over; not before. Reports of those
 *       have no ends, so they are counted, and no two have the same flow.
 * </ul>
 *
 * A flow that lacks a packet, since its producer failed, may be anything, but is not reported twice
 * if it only lacks its end. Not thread-safe.
 */
public final class FlowsCheck {
    private static final Pattern STATE = Pattern.compile(".*\"state\":\"(\\w+)\".*");
    private static final Pattern REASON = Pattern.compile(".*\"reason\":\"([a-z-]+)\".*");
    private static final Pattern ENDS =
            Pattern.compile(
                    ".*\"originator\":\"([^\"]+)\",\"originatorPort\":(\\d+)"
                            + ",\"responder\":\"([^\"]+)\",\"responderPort\":(\\d+).*");

    private final long soonestMillis;
    private final long latestMillis;
    private final CheckResult verdict;
    private final Map<Long, Flow> flows = new HashMap<>();
    private final Map<String, Flow> byEnds = new HashMap<>();
    private final Set<String> timedOut = new HashSet<>();
    private final Map<Integer, Long> lastTimes = new HashMap<>();
    private long packets;
    private long reports;

    /** Reports of answered flows that lack an end. */
    private long unfinished;

    /** What is known of a flow. */
    private static final class Flow {
        final FlowPlan plan;
        final long began;

        /** A bit for each of its packets. */
        int seen;

        int reported;

        Flow(FlowPlan plan, long began) {
            this.plan = plan;
            this.began = began;
        }

        boolean isWhole() {
            return Integer.bitCount(seen) == plan.length();
        }

        /** Whether it has each packet up to the last one that it has. */
        boolean isWholeSoFar() {
            return (seen & (seen + 1)) == 0;
        }
    }

    /**
     * With the job's timeout of flows without an answer, in event time.
     *
     * @param soonestMillis before which no such flow is reported
     * @param latestMillis after which each is
     */
    public FlowsCheck(long soonestMillis, long latestMillis, CheckResult verdict) {
        this.soonestMillis = soonestMillis;
        this.latestMillis = latestMillis;
        this.verdict = verdict;
    }

    /** Takes a record of the input topic, each partition in order. */
    public void input(ConsumerRecord<byte[], byte[]> record) {
        input(record.partition(), PacketBytes.of(record.value()));
    }

    void input(int partition, PacketBytes packet) {
        packets++;
        lastTimes.merge(partition, packet.millis(), Math::max);
        int index = (int) (packet.operation() & 0xFF);
        boolean fromOriginator = FlowPlan.ofPort(packet.targetPort()) != null;
        FlowPlan plan = FlowPlan.ofPort(fromOriginator ? packet.targetPort() : packet.sourcePort());
        Flow flow =
                flows.computeIfAbsent(
                        packet.operation() >>> Byte.SIZE, id -> new Flow(plan, packet.millis()));
        flow.seen |= 1 << index;
        byEnds.put(
                fromOriginator
                        ? ends(
                                PacketBytes.text(packet.source()),
                                packet.sourcePort(),
                                PacketBytes.text(packet.target()),
                                packet.targetPort())
                        : ends(
                                PacketBytes.text(packet.target()),
                                packet.targetPort(),
                                PacketBytes.text(packet.source()),
                                packet.sourcePort()),
                flow);
    }

    /** Takes a record of the topic of flows, after all of the input. */
    public void report(ConsumerRecord<byte[], byte[]> record) {
        report(new String(record.key(), UTF_8), new String(record.value(), UTF_8));
    }

    void report(String key, String text) {
        reports++;
        String state = part(STATE, text);
        Matcher ends = ENDS.matcher(text);
        if (!ends.matches()) {
            if (!state.equals(FlowPlan.UNANSWERED.state())) {
                unfinished++;
            } else if (!part(REASON, text).equals("timed-out")) {
                verdict.broken("a flow without an answer did not time out", text);
            } else if (!timedOut.add(key)) {
                verdict.broken("a flow is reported twice", text);
            }
            return;
        }
        String originator = ends.group(1) + ' ' + ends.group(2);
        String responder = ends.group(3) + ' ' + ends.group(4);
        Flow flow = byEnds.get(originator + ' ' + responder);
        if (flow == null) {
            // Its beginning may have been lost, and with it who is the originator.
            Flow turned = byEnds.get(responder + ' ' + originator);
            if (turned == null || (turned.seen & 1) != 0) {
                verdict.broken("a report of no flow that was sent", text);
            }
            return;
        }
        flow.reported++;
        if (flow.isWhole() && !state.equals(flow.plan.state())) {
            verdict.broken("a flow has the wrong state", text + ", not " + flow.plan.state());
        }
        if (flow.isWholeSoFar() && flow.reported > 1) {
            verdict.broken("a flow is reported twice", text);
        }
    }

    /** Judges, when all was taken. */
    public void judge() {
        long ended = 0;
        long mustTimeOut = 0;
        long mayTimeOut = 0;
        long incomplete = 0;
        long first = lastTimes.values().stream().mapToLong(Long::longValue).min().orElse(0);
        long last = lastTimes.values().stream().mapToLong(Long::longValue).max().orElse(0);
        for (Map.Entry<Long, Flow> entry : flows.entrySet()) {
            Flow flow = entry.getValue();
            boolean mayBeOver = flow.began + soonestMillis <= last;
            incomplete += flow.isWhole() ? 0 : 1;
            if (!flow.isWhole() || flow.plan == FlowPlan.UNANSWERED) {
                mayTimeOut += mayBeOver ? 1 : 0;
            }
            if (flow.isWhole() && flow.plan == FlowPlan.UNANSWERED) {
                mustTimeOut += flow.began + latestMillis < first ? 1 : 0;
            } else if (flow.isWhole()) {
                ended++;
                if (flow.reported == 0) {
                    verdict.broken(
                            "a flow is not reported",
                            "number " + entry.getKey() + ", " + flow.plan.state());
                }
            }
        }
        verdict.number("in", packets);
        verdict.number("out", reports);
        verdict.number("ended", ended);
        verdict.number("timedOut", timedOut.size());
        verdict.number("timedOutAtLeast", mustTimeOut);
        verdict.number("incomplete", incomplete);
        if (ended + mustTimeOut == 0) {
            verdict.broken("no flow was sent that has to be reported", packets + " packets");
        }
        if (unfinished > incomplete) {
            verdict.broken("a report of no flow that was sent", unfinished + " without ends");
        }
        if (timedOut.size() < mustTimeOut) {
            verdict.broken(
                    "flows without an answer are not reported",
                    timedOut.size() + " of " + mustTimeOut);
        }
        if (timedOut.size() > mayTimeOut) {
            verdict.broken(
                    "more flows without an answer are reported than can be over",
                    timedOut.size() + " of " + mayTimeOut);
        }
    }

    private static String part(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.matches() ? matcher.group(1) : "";
    }

    private static String ends(
            String originator, int originatorPort, String responder, int responderPort) {
        return originator + ' ' + originatorPort + ' ' + responder + ' ' + responderPort;
    }
}
