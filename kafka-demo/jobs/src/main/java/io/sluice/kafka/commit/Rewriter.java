/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

import io.sluice.kafka.Brokers;
import io.sluice.kafka.TopicSchema;
import io.sluice.kafka.commit.Origins.Origin;
import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema.KafkaSinkContext;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Reads records of the input once more, and writes the values that are made from them in one
 * transaction.
 *
 * @param <T> type of the values
 */
public final class Rewriter<T> implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final Duration POLL = Duration.ofMillis(200);

    /** A broker that sends nothing for so long does not answer. */
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private final Provenance<T> provenance;
    private final TopicSchema<T> schema;
    private final Brokers brokers;
    private final Properties producer;

    /**
     * @param brokers that have the input
     * @param producer settings of the producers of the job
     */
    public Rewriter(
            Provenance<T> provenance, TopicSchema<T> schema, Brokers brokers, Properties producer) {
        this.provenance = provenance;
        this.schema = schema;
        this.brokers = brokers;
        this.producer = producer;
    }

    Provenance<T> provenance() {
        return provenance;
    }

    /**
     * Writes the values of {@code origins}, or nothing.
     *
     * @param transactionalId of the transaction; one of this name that is open is aborted
     * @throws MissingRecordsException if the input no longer has all of the records
     * @throws IOException if the broker does not send them
     */
    void write(String transactionalId, Origins origins) throws Exception {
        Properties settings = new Properties();
        settings.putAll(producer);
        settings.setProperty(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        try (KafkaProducer<byte[], byte[]> writer =
                        new KafkaProducer<>(
                                settings, new ByteArraySerializer(), new ByteArraySerializer());
                KafkaConsumer<byte[], byte[]> reader =
                        new KafkaConsumer<>(
                                consumer(transactionalId),
                                new ByteArrayDeserializer(),
                                new ByteArrayDeserializer())) {
            Context context = new Context(writer);
            schema.open(context, context);
            writer.initTransactions();
            writer.beginTransaction();
            try {
                for (Map.Entry<TopicPartition, List<Origin>> entry :
                        origins.byPartition().entrySet()) {
                    copy(reader, entry.getKey(), entry.getValue(), writer, context);
                }
            } catch (IOException e) {
                // Left open, it would hold up the readers of the topic.
                writer.abortTransaction();
                throw e;
            }
            writer.commitTransaction();
        }
    }

    private Properties consumer(String clientId) {
        Properties settings = brokers.consumer();
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return settings;
    }

    private void copy(
            KafkaConsumer<byte[], byte[]> reader,
            TopicPartition partition,
            List<Origin> origins,
            KafkaProducer<byte[], byte[]> writer,
            Context context)
            throws IOException {
        List<Origin> wanted = new ArrayList<>(origins);
        wanted.sort(Comparator.comparingLong(Origin::offset));
        long last = wanted.get(wanted.size() - 1).offset();
        reader.assign(List.of(partition));
        reader.seek(partition, wanted.get(0).offset());
        int found = 0;
        long silentSince = System.nanoTime();
        while (found < wanted.size() && reader.position(partition) <= last) {
            ConsumerRecords<byte[], byte[]> records = reader.poll(POLL);
            if (!records.isEmpty()) {
                silentSince = System.nanoTime();
            } else if (System.nanoTime() - silentSince > SILENCE.toNanos()) {
                throw new IOException(
                        "the broker at " + brokers + " sends no records of " + partition);
            }
            for (ConsumerRecord<byte[], byte[]> record : records) {
                if (found < wanted.size()) {
                    Origin next = wanted.get(found);
                    if (record.offset() > next.offset()) {
                        throw missing(partition, next);
                    }
                    if (record.offset() == next.offset()) {
                        send(provenance.again(record, next.kind()), writer, context);
                        found++;
                    }
                }
            }
        }
        if (found < wanted.size()) {
            throw missing(partition, wanted.get(found));
        }
    }

    private static MissingRecordsException missing(TopicPartition partition, Origin origin) {
        return new MissingRecordsException(
                "the record at offset "
                        + origin.offset()
                        + " of "
                        + partition
                        + " is no longer in the input");
    }

    private void send(T value, KafkaProducer<byte[], byte[]> writer, Context context) {
        ProducerRecord<byte[], byte[]> record = schema.serialize(value, context, null);
        if (record != null) {
            var unused = writer.send(record);
        }
    }

    /** Says that records cannot be written once more. */
    static final class MissingRecordsException extends IOException {
        private static final long serialVersionUID = 1L;

        MissingRecordsException(String message) {
            super(message);
        }
    }

    /** What a schema asks for. */
    private static final class Context
            implements KafkaSinkContext, SerializationSchema.InitializationContext {
        private final KafkaProducer<byte[], byte[]> producer;
        private final Map<String, int[]> partitions = new HashMap<>();

        Context(KafkaProducer<byte[], byte[]> producer) {
            this.producer = producer;
        }

        @Override
        public int getParallelInstanceId() {
            return 0;
        }

        @Override
        public int getNumberOfParallelInstances() {
            return 1;
        }

        @Override
        public int[] getPartitionsForTopic(String topic) {
            return partitions.computeIfAbsent(
                    topic,
                    t ->
                            producer.partitionsFor(t).stream()
                                    .mapToInt(info -> info.partition())
                                    .toArray());
        }

        @Override
        public MetricGroup getMetricGroup() {
            return new UnregisteredMetricsGroup();
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
            return SimpleUserCodeClassLoader.create(Thread.currentThread().getContextClassLoader());
        }
    }
}
