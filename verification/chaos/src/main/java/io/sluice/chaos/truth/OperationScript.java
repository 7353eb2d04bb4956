/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Operations of a client that retries, as packet records: each belongs to one of some hundred
 * sources, and every retry has the time of the first send.
 */
public final class OperationScript extends RepeatingScript {
    private static final int SOURCES = 500;
    private static final int FIRST_SOURCE = 10 << 24;
    private static final int TARGET = 192 << 24 | 168 << 16 | 1;
    private static final long NANOS_IN_MILLI = 1_000_000;

    private final String topic;
    private final Map<Long, Long> times = new HashMap<>();

    /** For a random number generator of its own. */
    public OperationScript(
            String topic, int partitions, SplittableRandom random, Duration window, int perSecond) {
        super(partitions, random, window, perSecond);
        this.topic = topic;
    }

    @Override
    ProducerRecord<byte[], byte[]> record(ScriptedIds.Due due, int partition, long now) {
        long id = due.id();
        long time = times.computeIfAbsent(id, first -> now + ahead(first));
        // By a mixed id, so that neighbours are of different sources.
        int source = FIRST_SOURCE + (int) Long.remainderUnsigned(id * 0x9E3779B97F4A7C15L, SOURCES);
        PacketBytes packet =
                new PacketBytes(
                        id, time * NANOS_IN_MILLI, PacketBytes.UDP, 0, source, 5000, TARGET, 53);
        return new ProducerRecord<>(topic, partition, now, null, packet.toBytes());
    }
}
