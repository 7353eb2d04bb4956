/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Orders in JSON, of which some come again: {@code {"seq":17,"id":"o4"}}. Each send has a number of
 * its own and goes to any partition.
 */
public final class OrderScript implements Script {
    /** One in so many ids has a wrong time, while there are such. */
    private static final int WILD_EVERY = 50;

    private final String topic;
    private final int partitions;
    private final ScriptedIds ids;
    private final SplittableRandom random;

    /** The wrong times of ids, which all of their sends have. */
    private final Map<Long, Long> wild = new HashMap<>();

    private volatile long wildMillis;
    private long sequence;

    /** For a random number generator of its own. */
    public OrderScript(
            String topic, int partitions, SplittableRandom random, Duration window, int perSecond) {
        this.topic = topic;
        this.partitions = partitions;
        this.random = random.split();
        ids = new ScriptedIds(random, window, perSecond);
    }

    @Override
    public void wildTimes(long millis) {
        wildMillis = millis;
    }

    @Override
    public Planned next() {
        ScriptedIds.Due due = ids.next();
        int partition = random.nextInt(partitions);
        long number = sequence++;
        return new Planned(due.millis(), now -> record(due, partition, number, now));
    }

    private ProducerRecord<byte[], byte[]> record(
            ScriptedIds.Due due, int partition, long number, long now) {
        long ahead = wildMillis;
        if (due.copy() == 0 && ahead != 0 && due.id() % WILD_EVERY == 0) {
            wild.put(due.id(), now + ahead);
        }
        return new ProducerRecord<>(
                topic,
                partition,
                wild.getOrDefault(due.id(), now),
                ("k" + number % 97).getBytes(US_ASCII),
                ("{\"seq\":" + number + ",\"id\":\"o" + due.id() + "\"}").getBytes(US_ASCII));
    }
}
