/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Operations that go to two topics, of which some miss one of them, and some come twice to one.
 * Every copy has the time of the first.
 */
public final class ReplicasScript implements Script {
    private static final double SENDS_PER_OPERATION = 2.05;
    private static final double MISSES_ONE = 0.08;
    private static final double COMES_TWICE = 0.1;
    private static final int MAX_DELAY_MILLIS = 1500;
    private static final int SOURCES = 500;
    private static final int FIRST_SOURCE = 11 << 24;
    private static final int TARGET = 192 << 24 | 168 << 16 | 3;
    private static final long NANOS_IN_MILLI = 1_000_000;

    private final List<String> topics;
    private final int partitions;
    private final SplittableRandom random;
    private final double millisBetween;
    private final PriorityQueue<Due> copies =
            new PriorityQueue<>(
                    Comparator.comparingLong(Due::millis).thenComparingLong(Due::sequence));
    private double nextMillis;
    private long nextId;
    private long sequence;

    private record Due(long millis, long sequence, Operation operation, String topic) {}

    /** Has its time from its first copy on. */
    private static final class Operation {
        final long id;
        long time = -1;

        Operation(long id) {
            this.id = id;
        }
    }

    /** For two topics and a random number generator of its own. */
    public ReplicasScript(
            List<String> topics, int partitions, SplittableRandom random, int perSecond) {
        this.topics = topics;
        this.partitions = partitions;
        this.random = random;
        millisBetween = 1000 * SENDS_PER_OPERATION / perSecond;
    }

    @Override
    public Planned next() {
        while (copies.isEmpty() || copies.peek().millis() > nextMillis) {
            plan(new Operation(nextId++));
            nextMillis += millisBetween;
        }
        Due due = copies.remove();
        int partition = random.nextInt(partitions);
        return new Planned(due.millis(), now -> record(due, partition, now));
    }

    private void plan(Operation operation) {
        double which = random.nextDouble();
        int side = random.nextInt(2);
        if (which >= MISSES_ONE) {
            copy(operation, 1 - side);
        }
        copy(operation, side);
        if (which > 1 - COMES_TWICE) {
            copy(operation, side);
        }
    }

    private void copy(Operation operation, int side) {
        long millis = (long) nextMillis + random.nextInt(MAX_DELAY_MILLIS);
        copies.add(new Due(millis, sequence++, operation, topics.get(side)));
    }

    private ProducerRecord<byte[], byte[]> record(Due due, int partition, long now) {
        Operation operation = due.operation();
        if (operation.time < 0) {
            operation.time = now;
        }
        int source = FIRST_SOURCE + (int) (operation.id % SOURCES);
        PacketBytes packet =
                new PacketBytes(
                        operation.id,
                        operation.time * NANOS_IN_MILLI,
                        PacketBytes.UDP,
                        0,
                        source,
                        5000,
                        TARGET,
                        53);
        return new ProducerRecord<>(due.topic(), partition, now, null, packet.toBytes());
    }
}
