/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.job.KafkaEnds;
import io.sluice.kafka.BrokerProblem;
import io.sluice.message.MessageReader;
import io.sluice.message.TimeReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Looks at the first records of the input before a job starts: with seconds taken for milliseconds
 * its window would be a thousand times too long, and nobody would notice.
 */
public final class TimeCheck {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration POLL = Duration.ofMillis(200);

    private static final int FETCH_BYTES = 64 << 10;

    /** Records of all partitions that are enough. */
    private static final int ENOUGH = 10 * TimeReader.CERTAIN;

    private TimeCheck() {}

    /**
     * Makes sure that the times at the beginning of the input are milliseconds, if there are any
     * and {@code --time-unit} does not say what they are. A broker that is too slow for this is not
     * waited for: the job looks once more.
     *
     * @throws IOException naming the unit that most of the times seem to have, or if the broker or
     *     the schema registry refuses to answer
     */
    public static void requireUnit(DedupOptions options) throws IOException {
        if (options.isProcessingTime() || options.timeFormat.hasUnit()) {
            return;
        }
        MessageReader reader = new MessageReader(options.layout());
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        settings(options),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            read(consumer, options.inputTopics(), reader);
        } catch (KafkaException e) {
            throw new IOException(
                    BrokerProblem.describe(options.brokers(), e), BrokerProblem.cause(e));
        }
        if (reader.times().seemingUnit() != null) {
            throw new IOException(TimeFormatArguments.refusal(reader.times()));
        }
    }

    private static Properties settings(DedupOptions options) {
        Properties settings = options.brokers().consumer();
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, KafkaEnds.COMMITTED);
        settings.put(ConsumerConfig.CLIENT_ID_CONFIG, options.group() + "-times");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, Integer.toString(FETCH_BYTES));
        settings.put(
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(TIMEOUT.toMillis()));
        settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Long.toString(POLL.toMillis()));
        return settings;
    }

    private static void read(
            KafkaConsumer<byte[], byte[]> consumer, List<String> topics, MessageReader reader)
            throws IOException {
        List<TopicPartition> partitions = new ArrayList<>();
        for (String topic : topics) {
            for (PartitionInfo info : consumer.partitionsFor(topic)) {
                partitions.add(new TopicPartition(topic, info.partition()));
            }
        }
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        Map<TopicPartition, Integer> counts = new HashMap<>();
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!partitions.isEmpty() && total(counts) < ENOUGH && System.nanoTime() < deadline) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> record : records) {
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                if (counts.merge(partition, 1, Integer::sum) <= TimeReader.CERTAIN) {
                    var unused = reader.read(record);
                }
            }
            partitions.removeIf(
                    each -> {
                        boolean done =
                                counts.getOrDefault(each, 0) >= TimeReader.CERTAIN
                                        || consumer.position(each) >= ends.get(each);
                        if (done) {
                            consumer.pause(List.of(each));
                        }
                        return done;
                    });
        }
    }

    private static int total(Map<TopicPartition, Integer> counts) {
        return counts.values().stream().mapToInt(n -> Math.min(n, TimeReader.CERTAIN)).sum();
    }
}
