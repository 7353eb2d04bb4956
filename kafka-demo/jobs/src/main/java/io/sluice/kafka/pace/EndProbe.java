/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import io.sluice.kafka.pace.PartitionLags.LagAnswer;
import io.sluice.kafka.pace.PartitionLags.Question;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Asks the broker whether a partition has records from an offset on. Offsets alone do not tell:
 * transaction markers and records that were rolled back also take some. So if offsets are left, it
 * examines the next batch.
 */
final class EndProbe implements PartitionLags.Probe {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int FETCH_BYTES = 64 << 10;

    private static final Duration TIMEOUT_OF_ONE = Duration.ofSeconds(1);

    /** How long a partition that got no answer is left out of the questions. */
    private static final long ABSENCE_NANOS = 30_000_000_000L;

    private final Properties settings;

    /** The partitions that are left out, and since when. */
    private final Map<TopicPartition, Long> absent = new HashMap<>();

    private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer;
    private volatile boolean closed;

    /**
     * @param settings how to reach the broker, and the isolation of the source
     */
    EndProbe(Properties settings) {
        this.settings = new Properties();
        this.settings.putAll(settings);
        this.settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        this.settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        this.settings.put(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, Integer.toString(FETCH_BYTES));
        this.settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Integer.toString(FETCH_BYTES * 4));
        this.settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Long.toString(POLL.toMillis()));
    }

    @Override
    public List<LagAnswer> ask(List<Question> questions) {
        if (closed) {
            return List.of();
        }
        if (consumer == null) {
            consumer =
                    new KafkaConsumer<>(
                            settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }
        List<LagAnswer> answers = new ArrayList<>();
        long now = System.nanoTime();
        absent.values().removeIf(since -> now - since >= ABSENCE_NANOS);
        List<Question> asked =
                questions.stream().filter(each -> !absent.containsKey(each.partition())).toList();
        if (asked.isEmpty()) {
            return answers;
        }
        try {
            ask(consumer, asked, TIMEOUT, answers);
        } catch (TimeoutException e) {
            if (asked.size() > 1) {
                askOneByOne(consumer, asked, answers);
            } else {
                throw e;
            }
        }
        return answers;
    }

    /**
     * One partition of a topic that was deleted, or without a leader, leaves all that are asked
     * about with it without an answer. It is left out for a while.
     */
    private void askOneByOne(
            KafkaConsumer<byte[], byte[]> asking,
            List<Question> questions,
            List<LagAnswer> answers) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        for (Question question : questions) {
            if (System.nanoTime() >= deadline) {
                return;
            }
            try {
                ask(asking, List.of(question), TIMEOUT_OF_ONE, answers);
            } catch (TimeoutException e) {
                absent.put(question.partition(), System.nanoTime());
            }
        }
    }

    private static void ask(
            KafkaConsumer<byte[], byte[]> asking,
            List<Question> questions,
            Duration timeout,
            List<LagAnswer> answers) {
        List<TopicPartition> names = questions.stream().map(Question::partition).toList();
        // The client warns of answers about partitions that are not assigned.
        asking.assign(names);
        Map<TopicPartition, Long> ends = asking.endOffsets(names, timeout);
        Map<TopicPartition, Long> begins = asking.beginningOffsets(names, timeout);

        Map<TopicPartition, LagAnswer> open = new HashMap<>();
        for (Question question : questions) {
            TopicPartition name = question.partition();
            long from = Math.max(question.from(), begins.get(name));
            long end = Math.min(question.upTo(), ends.get(name));
            if (from >= end) {
                answers.add(new LagAnswer(question, question.from()));
            } else {
                open.put(name, new LagAnswer(question, end));
            }
        }
        if (!open.isEmpty()) {
            look(asking, open, begins, answers);
        }
        asking.unsubscribe();
    }

    /** Answers the {@code open} questions: whether each partition has a record before its mark. */
    private static void look(
            KafkaConsumer<byte[], byte[]> asking,
            Map<TopicPartition, LagAnswer> open,
            Map<TopicPartition, Long> begins,
            List<LagAnswer> answers) {
        asking.assign(open.keySet());
        open.forEach(
                (name, answer) ->
                        asking.seek(name, Math.max(answer.question().from(), begins.get(name))));
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!open.isEmpty() && System.nanoTime() < deadline) {
            ConsumerRecords<byte[], byte[]> records = asking.poll(POLL);
            List<TopicPartition> known = new ArrayList<>();
            open.forEach(
                    (name, answer) -> {
                        List<ConsumerRecord<byte[], byte[]>> here = records.records(name);
                        if (!here.isEmpty() && here.get(0).offset() < answer.mark()) {
                            answers.add(answer);
                            known.add(name);
                        } else if (!here.isEmpty() || asking.position(name) >= answer.mark()) {
                            answers.add(new LagAnswer(answer.question(), answer.question().from()));
                            known.add(name);
                        }
                    });
            known.forEach(open::remove);
            asking.pause(known);
        }
    }

    /** Ends another thread's wait. */
    void wakeUp() {
        closed = true;
        KafkaConsumer<byte[], byte[]> asking = consumer;
        if (asking != null) {
            asking.wakeup();
        }
    }

    /** Runs on the thread that asks. */
    void close() {
        KafkaConsumer<byte[], byte[]> asking = consumer;
        consumer = null;
        if (asking != null) {
            try {
                asking.close(CloseOptions.timeout(Duration.ZERO));
            } catch (WakeupException e) {
                // The call to be ended had already ended by itself.
            }
        }
    }
}
