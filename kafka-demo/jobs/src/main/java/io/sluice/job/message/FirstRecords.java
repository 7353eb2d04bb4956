/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.job.KafkaEnds;
import io.sluice.kafka.BrokerProblem;
import io.sluice.message.MessageReader;
import io.sluice.message.SchemaRegistryException;
import io.sluice.message.TimeReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Looks at the first records of the input before a job starts. With seconds taken for milliseconds
 * its window would be a thousand times too long, and nobody would notice; without an id in any
 * record it would write dead letters alone, and tell at its end.
 */
public final class FirstRecords {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration POLL = Duration.ofMillis(200);

    private static final int FETCH_BYTES = 64 << 10;

    /** Records of all partitions that are enough. */
    private static final int ENOUGH = 10 * TimeReader.CERTAIN;

    private final RecordCheck check;
    private final Map<TopicPartition, Integer> counts = new HashMap<>();
    private final Set<String> problems = new TreeSet<>();
    private boolean hasOne;

    private FirstRecords(RecordCheck check) {
        this.check = check;
    }

    /** Finds out whether a job can use a record. */
    public interface RecordCheck {
        /** Returns why not, as a code of dead letters; null if it can. */
        @Nullable
        String problem(ConsumerRecord<byte[], byte[]> record) throws SchemaRegistryException;
    }

    /**
     * Returns a warning if there are records and the job can use none. A broker that is too slow is
     * not waited for.
     *
     * @throws IOException naming the unit that most of the times seem to have, if {@code
     *     --time-unit} does not say what they are; if the broker or the schema registry refuses to
     *     answer
     */
    public static List<String> warnings(MessageJobOptions options) throws IOException {
        MessageReader reader = options.readsMessages() ? new MessageReader(options.layout()) : null;
        FirstRecords first = new FirstRecords(options.recordCheck(reader));
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        settings(options),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            first.read(consumer, options.inputTopics());
        } catch (KafkaException e) {
            throw new IOException(
                    BrokerProblem.describe(options.brokers(), e), BrokerProblem.cause(e));
        }
        TimeReader times = reader == null ? null : reader.times();
        if (times != null
                && !options.isProcessingTime()
                && !options.messages.timeFormat.hasUnit()
                && times.seemingUnit() != null) {
            throw new IOException(TimeFormatArguments.refusal(times));
        }
        return first.hasOne || first.counts.isEmpty() ? List.of() : List.of(first.warning(options));
    }

    private String warning(MessageJobOptions options) {
        return "none of the first "
                + total(counts)
                + " records of the input "
                + options.needs()
                + " ("
                + String.join(", ", problems)
                + "): they are "
                + (options.readsMessages()
                        ? "dealt with by " + UnreadableArguments.ON_UNREADABLE
                        : "dead letters")
                + ". "
                + options.remedy();
    }

    private static Properties settings(MessageJobOptions options) {
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

    private void read(KafkaConsumer<byte[], byte[]> consumer, List<String> topics)
            throws IOException {
        List<TopicPartition> partitions = new ArrayList<>();
        for (String topic : topics) {
            for (PartitionInfo info : consumer.partitionsFor(topic)) {
                partitions.add(new TopicPartition(topic, info.partition()));
            }
        }
        // The client warns of answers about partitions that are not assigned.
        consumer.assign(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        consumer.seekToBeginning(partitions);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!partitions.isEmpty() && total(counts) < ENOUGH && System.nanoTime() < deadline) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> record : records) {
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                if (counts.merge(partition, 1, Integer::sum) <= TimeReader.CERTAIN) {
                    judge(record);
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

    private void judge(ConsumerRecord<byte[], byte[]> record) throws SchemaRegistryException {
        String problem = check.problem(record);
        if (problem == null) {
            hasOne = true;
        } else {
            problems.add(problem);
        }
    }

    private static int total(Map<TopicPartition, Integer> counts) {
        return counts.values().stream().mapToInt(n -> Math.min(n, TimeReader.CERTAIN)).sum();
    }
}
