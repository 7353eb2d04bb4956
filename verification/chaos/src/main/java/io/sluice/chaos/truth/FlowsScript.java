/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * TCP flows, whose packets come in order in one partition; some packets come twice. The ends of a
 * flow are its own, and the port of its responder says how it goes, so that the packets on the
 * topic are all that a checker needs.
 */
public final class FlowsScript implements Script {
    private static final int PACKETS_A_FLOW = 6;
    private static final double COMES_TWICE = 0.05;
    private static final int MAX_PAUSE_MILLIS = 800;
    private static final long NANOS_IN_MILLI = 1_000_000;
    private static final int FIRST_ORIGINATOR = 10 << 24;
    private static final int RESPONDER = 192 << 24 | 168 << 16 | 2;
    private static final int PORTS = 50_000;
    private static final int FIRST_PORT = 10_000;

    private final String topic;
    private final int partitions;
    private final SplittableRandom random;
    private final double millisBetweenFlows;
    private final PriorityQueue<Due> packets =
            new PriorityQueue<>(
                    Comparator.comparingLong(Due::millis).thenComparingLong(Due::sequence));
    private double nextFlowMillis;
    private long nextFlow;
    private long sequence;

    private record Due(long millis, long sequence, long flow, FlowPlan plan, int index) {}

    /** For a random number generator of its own. */
    public FlowsScript(String topic, int partitions, SplittableRandom random, int perSecond) {
        this.topic = topic;
        this.partitions = partitions;
        this.random = random;
        millisBetweenFlows = 1000.0 * PACKETS_A_FLOW / perSecond;
    }

    @Override
    public Planned next() {
        while (packets.isEmpty() || packets.peek().millis() > nextFlowMillis) {
            FlowPlan plan = FlowPlan.any(random.nextDouble());
            packets.add(new Due((long) nextFlowMillis, sequence++, nextFlow++, plan, 0));
            nextFlowMillis += millisBetweenFlows;
        }
        Due due = packets.remove();
        int index = due.index();
        if (random.nextDouble() < COMES_TWICE) {
            packets.add(new Due(due.millis(), sequence++, due.flow(), due.plan(), index));
        } else if (index + 1 < due.plan().packets().size()) {
            long millis = due.millis() + 1 + random.nextInt(MAX_PAUSE_MILLIS);
            packets.add(new Due(millis, sequence++, due.flow(), due.plan(), index + 1));
        }
        return new Planned(due.millis(), now -> record(due, now));
    }

    private ProducerRecord<byte[], byte[]> record(Due due, long now) {
        FlowPlan.Packet packet = due.plan().packets().get(due.index());
        int originator = FIRST_ORIGINATOR + (int) (due.flow() / PORTS);
        int originatorPort = FIRST_PORT + (int) (due.flow() % PORTS);
        int port = due.plan().port();
        long id = due.flow() << Byte.SIZE | due.index();
        long nanos = now * NANOS_IN_MILLI;
        PacketBytes bytes =
                packet.isReply()
                        ? new PacketBytes(
                                id,
                                nanos,
                                PacketBytes.TCP,
                                packet.flags(),
                                RESPONDER,
                                port,
                                originator,
                                originatorPort)
                        : new PacketBytes(
                                id,
                                nanos,
                                PacketBytes.TCP,
                                packet.flags(),
                                originator,
                                originatorPort,
                                RESPONDER,
                                port);
        return new ProducerRecord<>(
                topic, (int) (due.flow() % partitions), now, null, bytes.toBytes());
    }
}
