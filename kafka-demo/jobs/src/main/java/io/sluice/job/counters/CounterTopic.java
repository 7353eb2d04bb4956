/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.job.KafkaEnds;
import io.sluice.job.message.AvroTopicSchema;
import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.message.Field;
import io.sluice.message.IdJson;
import io.sluice.message.MessageReader;
import io.sluice.message.SchemaRegistry;
import io.sluice.message.TimeFormat;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The values of counters on their topic, as {@link CounterValueSchema} and {@link
 * CounterAvroSchema} describe them: the committed ones, up to the present end. A record without a
 * value deletes its counter.
 */
public final class CounterTopic implements CounterReading {
    private static final Duration POLL = Duration.ofMillis(200);

    /** Reads numbers as they are: a large value in Avro may be told with an exponent. */
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    private static final List<String> FIELDS = List.of("value", "expectedUndercount", "timestamp");

    private final Brokers brokers;
    private final String topic;
    private final Progress progress;
    private final @Nullable MessageReader avro;
    private final IdJson avroNumbers;

    /** Follows how far a reading is. */
    public interface Progress {
        /**
         * Takes note that more was read.
         *
         * @param read offsets that are behind the reading
         * @param all offsets that it will pass
         */
        void at(long read, long all);
    }

    /** Takes what is read. */
    private interface Taking {
        void take(ConsumerRecord<byte[], byte[]> record, String key) throws IOException;
    }

    /**
     * @param registry of the schemas of values in Avro; null if there is none
     */
    public CounterTopic(
            Brokers brokers, String topic, @Nullable SchemaRegistry registry, Progress progress) {
        this.brokers = brokers;
        this.topic = topic;
        this.progress = progress;
        List<Field> fields = FIELDS.stream().map(name -> Field.parse("avro:/" + name)).toList();
        this.avro =
                registry == null
                        ? null
                        : new MessageReader(fields, null, false, TimeFormat.DEFAULT, registry);
        this.avroNumbers = new IdJson(fields);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Time: O(records of the topic).
     */
    @Override
    public Map<String, StoredCounter> get(Set<String> keys) throws IOException {
        Newest newest = new Newest();
        read(
                (record, key) -> {
                    if (keys.contains(key)) {
                        newest.take(record, key);
                    }
                });
        return newest.counters();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Memory: O(most), while values grow. If one of the largest went down, or partitions were
     * added to the topic, O(counters), and the topic is read twice.
     */
    @Override
    public List<StoredCounter> top(int most, Consumer<String> reread) throws IOException {
        TopCounters top = new TopCounters(most);
        boolean[] strays = {false};
        int partitions =
                read(
                        (record, key) -> {
                            if (record.value() == null) {
                                top.delete(key);
                            } else {
                                top.add(counter(record, key));
                            }
                        },
                        strays);
        if (top.isExact() && !strays[0]) {
            return top.largest();
        }
        reread.accept(
                top.isExact()
                        ? "counters are not all in the partition of their key among " + partitions
                        : "the value of a counter went down");
        Newest newest = new Newest();
        read(newest);
        TopCounters last = new TopCounters(most);
        newest.counters().values().forEach(last::add);
        return last.largest();
    }

    /** The value of each counter that was written last, whatever its partition. */
    private final class Newest implements Taking {
        private final Map<String, StoredCounter> counters = new HashMap<>();
        private final Map<String, Write> writes = new HashMap<>();

        @Override
        public void take(ConsumerRecord<byte[], byte[]> record, String key) throws IOException {
            Write last = writes.get(key);
            Write write = Write.of(record);
            if (last != null) {
                if (last.partition() == write.partition()) {
                    // Whatever the clocks of its writers said.
                    write = write.notBefore(last.time());
                } else if (write.time() < last.time()) {
                    return;
                }
            }
            writes.put(key, write);
            if (record.value() == null) {
                counters.remove(key);
            } else {
                counters.put(key, counter(record, key));
            }
        }

        Map<String, StoredCounter> counters() {
            return counters;
        }
    }

    /** Where and when a counter was written or deleted. */
    private record Write(int partition, long time) {
        static Write of(ConsumerRecord<byte[], byte[]> record) {
            return new Write(record.partition(), record.timestamp());
        }

        Write notBefore(long earliest) {
            return time >= earliest ? this : new Write(partition, earliest);
        }
    }

    private int read(Taking taking) throws IOException {
        return read(taking, new boolean[1]);
    }

    /** Reads all, and returns the number of partitions. */
    private int read(Taking taking, boolean[] strays) throws IOException {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        settings(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (PartitionInfo info : consumer.partitionsFor(topic)) {
                partitions.add(new TopicPartition(topic, info.partition()));
            }
            if (partitions.isEmpty()) {
                throw new IOException("topic '" + topic + "' does not exist on " + brokers);
            }
            int count = partitions.size();
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long begin = sum(consumer.beginningOffsets(partitions));
            long all = sum(ends) - begin;
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                if (records.isEmpty()) {
                    requireAnswer(consumer, ends);
                }
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    if (record.key() == null) {
                        throw new IOException(foreign(record));
                    }
                    strays[0] |=
                            record.partition()
                                    != BuiltInPartitioner.partitionForKey(record.key(), count);
                    taking.take(record, new String(record.key(), ISO_8859_1));
                }
                long read = partitions.stream().mapToLong(consumer::position).sum() - begin;
                progress.at(Math.min(read, all), all);
            }
            return count;
        } catch (KafkaException e) {
            throw new IOException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
        }
    }

    /** Polling alone would wait for ever for a broker that is away, or a topic that is gone. */
    private void requireAnswer(
            KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends)
            throws IOException {
        Map<TopicPartition, Long> now = consumer.endOffsets(ends.keySet());
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            if (now.get(end.getKey()) < end.getValue()) {
                throw new IOException(
                        "topic '" + topic + "' was made anew while it was read: read it again");
            }
        }
    }

    private static long sum(Map<TopicPartition, Long> offsets) {
        return offsets.values().stream().mapToLong(offset -> offset).sum();
    }

    private Properties settings() {
        Properties settings = brokers.consumer();
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, KafkaEnds.COMMITTED);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                Long.toString(Brokers.TIMEOUT.toMillis()));
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        return settings;
    }

    private StoredCounter counter(ConsumerRecord<byte[], byte[]> record, String key)
            throws IOException {
        JsonNode json = isAvro(record) ? numbers(record) : json(record.value());
        if (json == null
                || !json.path("value").canConvertToLong()
                || !json.path("expectedUndercount").isNumber()
                || !json.path("timestamp").canConvertToLong()) {
            throw new IOException(foreign(record));
        }
        return new StoredCounter(
                key,
                json.path("value").longValue(),
                json.path("expectedUndercount").doubleValue(),
                json.path("timestamp").longValue());
    }

    private static boolean isAvro(ConsumerRecord<byte[], byte[]> record) {
        return record.value().length > 0 && record.value()[0] == AvroTopicSchema.MAGIC;
    }

    /** Returns the fields of a value in Avro as if it were JSON; null if it does not have them. */
    @Nullable
    private JsonNode numbers(ConsumerRecord<byte[], byte[]> record) throws IOException {
        if (avro == null) {
            throw new IOException(
                    "the values of topic '"
                            + topic
                            + "' are in Avro: say with --schema-registry where their schema is");
        }
        String found = avro.read(record).id();
        if (found == null) {
            return null;
        }
        JsonNode array = JSON.readTree(avroNumbers.json(found));
        ObjectNode object = JSON.createObjectNode();
        for (int i = 0; i < FIELDS.size(); i++) {
            object.set(FIELDS.get(i), array.path(i));
        }
        return object;
    }

    @Nullable
    private static JsonNode json(byte[] value) {
        try {
            return JSON.readTree(value);
        } catch (IOException e) {
            // The bytes are in memory, so only their form can be wrong.
            return null;
        }
    }

    private static String foreign(ConsumerRecord<byte[], byte[]> record) {
        return "the record at offset "
                + record.offset()
                + " of partition "
                + record.partition()
                + " of topic '"
                + record.topic()
                + "' is not the value of a counter: name the --output-topic of a 'job counters'";
    }
}
