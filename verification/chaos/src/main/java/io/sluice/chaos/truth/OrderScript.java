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
public final class OrderScript extends RepeatingScript {
    private final String topic;

    /** The wrong times of ids, which all of their sends have. */
    private final Map<Long, Long> wild = new HashMap<>();

    private long sequence;

    /** For a random number generator of its own. */
    public OrderScript(
            String topic, int partitions, SplittableRandom random, Duration window, int perSecond) {
        super(partitions, random, window, perSecond);
        this.topic = topic;
    }

    @Override
    ProducerRecord<byte[], byte[]> record(ScriptedIds.Due due, int partition, long now) {
        long number = sequence++;
        long ahead = ahead(due.id());
        if (due.copy() == 0 && ahead != 0) {
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
