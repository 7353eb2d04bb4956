/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.io.IOException;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic of JSON records, of which one in ten has the id of an earlier one, and what came out of
 * it, counted id by id without any part of the job.
 */
final class OrdersTopic {
    static final String NAME = "orders";

    /** Where the id is in a record. */
    static final String JSON_POINTER = "/order/id";

    /** The same, for the job. */
    static final String POINTER = "json:" + JSON_POINTER;

    static final int PARTITIONS = 4;
    private static final int REPEAT_EVERY = 10;

    /** A repeated record is at most this many ids behind its first. */
    private static final int REPEAT_DISTANCE = 1_000_000;

    private static final String ID_PREFIX = "order-";
    private static final int ID_DIGITS = 12;

    private OrdersTopic() {}

    /** Fills the topic with {@code records}, and returns the number of different ids. */
    static int fill(EmbeddedKafka kafka, long records) throws IOException {
        long begin = System.currentTimeMillis();
        return fill(kafka, records, record -> begin + record / 100);
    }

    /** The same, with times of one's own; see {@link #append}. */
    static int fill(EmbeddedKafka kafka, long records, LongUnaryOperator times) throws IOException {
        kafka.createTopics(PARTITIONS, NAME);
        return append(kafka, 0, records, times);
    }

    /**
     * Appends {@code records} to the topic, which has {@code ids} different ids; returns how many
     * it has then.
     *
     * @param times gives the timestamp of each record, when it is to be sent
     */
    static int append(EmbeddedKafka kafka, int ids, long records, LongUnaryOperator times) {
        int next = ids;
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                kafka.bootstrapServers(),
                                ProducerConfig.BATCH_SIZE_CONFIG,
                                256 << 10,
                                ProducerConfig.LINGER_MS_CONFIG,
                                20,
                                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                                "lz4"),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (long record = 0; record < records; record++) {
                long random = Hashing.mix(record);
                boolean repeats = next > 0 && record % REPEAT_EVERY == REPEAT_EVERY - 1;
                int id =
                        repeats
                                ? next
                                        - 1
                                        - (int)
                                                Long.remainderUnsigned(
                                                        random, Math.min(next, REPEAT_DISTANCE))
                                : next++;
                var unused = producer.send(order(id, times.applyAsLong(record)));
            }
            producer.flush();
        }
        return next;
    }

    /** How many records have {@code ids} different ids: one in ten repeats an id. */
    static long recordsOf(long ids) {
        return ids * REPEAT_EVERY / (REPEAT_EVERY - 1);
    }

    /** Equal ids have equal records. */
    private static ProducerRecord<byte[], byte[]> order(int id, long time) {
        long random = Hashing.mix(id);
        String customer = "c" + (random >>> 44);
        String value =
                "{\"type\":\"placed\",\"order\":{\"id\":\""
                        + ID_PREFIX
                        + String.valueOf(1_000_000_000_000L + id).substring(1)
                        + "\",\"amount\":"
                        + (random & 0xffff)
                        + "},\"customer\":\""
                        + customer
                        + "\"}";
        return new ProducerRecord<>(
                NAME, id % PARTITIONS, time, customer.getBytes(US_ASCII), value.getBytes(US_ASCII));
    }

    /** Reads a copy of the topic to its end. */
    static CommittedIds.Count count(EmbeddedKafka kafka, String topic, int ids) {
        try (CommittedIds committed = new CommittedIds(kafka, topic)) {
            committed.pollAll();
            return committed.count(ids);
        }
    }

    /** The id in a record's value. */
    static int id(byte[] value) {
        String text = new String(value, US_ASCII);
        int start = text.indexOf(ID_PREFIX) + ID_PREFIX.length();
        return Integer.parseInt(text.substring(start, start + ID_DIGITS));
    }
}
