/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.io.IOException;
import java.util.BitSet;
import java.util.Map;
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
    static final String POINTER = "json:/order/id";

    private static final int PARTITIONS = 4;
    private static final int REPEAT_EVERY = 10;

    /** A repeated record is at most this many ids behind its first. */
    private static final int REPEAT_DISTANCE = 1_000_000;

    private static final String ID_PREFIX = "order-";
    private static final int ID_DIGITS = 12;

    private OrdersTopic() {}

    /**
     * What the output holds.
     *
     * @param missing ids of the input that are not in it
     * @param twice records whose id came before
     */
    record Count(long missing, long twice) {}

    /** Fills the topic with {@code records}, and returns the number of different ids. */
    static int fill(EmbeddedKafka kafka, long records) throws IOException {
        kafka.createTopics(PARTITIONS, NAME);
        long begin = System.currentTimeMillis();
        int ids = 0;
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
                boolean repeats = ids > 0 && record % REPEAT_EVERY == REPEAT_EVERY - 1;
                int id =
                        repeats
                                ? ids
                                        - 1
                                        - (int)
                                                Long.remainderUnsigned(
                                                        random, Math.min(ids, REPEAT_DISTANCE))
                                : ids++;
                var unused = producer.send(order(id, begin + record / 100));
            }
            producer.flush();
        }
        return ids;
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

    /** Reads a topic to its end. */
    static Count count(EmbeddedKafka kafka, String topic, int ids) {
        BitSet seen = new BitSet(ids);
        long[] twice = new long[1];
        try (CommittedRecords records = new CommittedRecords(kafka.bootstrapServers(), topic)) {
            records.pollAll(
                    record -> {
                        int id = id(record.value());
                        if (seen.get(id)) {
                            twice[0]++;
                        }
                        seen.set(id);
                    });
        }
        return new Count(ids - seen.cardinality(), twice[0]);
    }

    private static int id(byte[] value) {
        String text = new String(value, US_ASCII);
        int start = text.indexOf(ID_PREFIX) + ID_PREFIX.length();
        return Integer.parseInt(text.substring(start, start + ID_DIGITS));
    }
}
