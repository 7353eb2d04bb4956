/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.TopicLimits;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import javax.annotation.Nullable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Looks at the times of the input before a job starts: records keep their timestamps, so an output
 * topic that keeps records for a shorter time than they are old loses them as soon as they are
 * written.
 */
public final class OutputRetention {
    private OutputRetention() {}

    /**
     * Returns a warning for each existing output topic that keeps records for a shorter time than
     * the input does and than its oldest records are old. Returns none if the broker does not let
     * the user know. The topics must exist.
     *
     * @throws IOException if every record of the input is too old for such a topic, or the broker
     *     does not answer
     */
    public static List<String> warnings(KafkaJobOptions options) throws IOException {
        return warnings(options, null, null);
    }

    /**
     * Like {@link #warnings(KafkaJobOptions)}, for a job that writes a part of its input.
     *
     * @param written the partitions with records to write; null for all
     * @param from the time of the first record that is written; null if it is unknown
     */
    public static List<String> warnings(
            KafkaJobOptions options,
            @Nullable Collection<TopicPartition> written,
            @Nullable Instant from)
            throws IOException {
        Brokers asked = options.outputBrokers();
        try {
            Map<String, Long> outputs;
            try (Admin admin = asked.admin(Brokers.TIMEOUT)) {
                outputs = TopicLimits.retention(admin, options.topicsLikeTheInput());
            }
            asked = options.brokers();
            try (Admin admin = asked.admin(Brokers.TIMEOUT)) {
                return warnings(admin, options.inputTopics(), outputs, written, from);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for the retention of topics", e);
        } catch (ExecutionException | KafkaException e) {
            if (e.getCause() instanceof AuthorizationException) {
                return List.of();
            }
            throw new IOException(BrokerProblem.describe(asked, e), BrokerProblem.cause(e));
        }
    }

    private static List<String> warnings(
            Admin admin,
            List<String> inputs,
            Map<String, Long> outputs,
            @Nullable Collection<TopicPartition> written,
            @Nullable Instant from)
            throws IOException, InterruptedException, ExecutionException {
        long longest = 0;
        for (long kept : TopicLimits.retention(admin, inputs).values()) {
            longest = Math.max(longest, kept);
        }
        long kept = longest;
        outputs.values().removeIf(each -> each >= kept);
        if (outputs.isEmpty()) {
            return List.of();
        }
        Collection<TopicPartition> partitions =
                written != null ? written : partitions(admin, inputs);
        long now = System.currentTimeMillis();
        // Of the first record that has a timestamp.
        long oldest = age(now, times(admin, partitions, OffsetSpec.forTimestamp(0)), false);
        if (from != null) {
            oldest = Math.min(oldest, now - from.toEpochMilli());
        }
        long newest = age(now, times(admin, partitions, OffsetSpec.maxTimestamp()), true);
        List<String> warnings = new ArrayList<>();
        for (Map.Entry<String, Long> output : outputs.entrySet()) {
            if (newest > output.getValue()) {
                throw new IOException(text(output, "all records", "at least", newest));
            }
            if (oldest > output.getValue()) {
                warnings.add(text(output, "the oldest records", "about", oldest));
            }
        }
        return warnings;
    }

    private static String text(
            Map.Entry<String, Long> output, String which, String about, long age) {
        return which
                + " of the input are "
                + about
                + ' '
                + JobArguments.text(Duration.ofMillis(age).truncatedTo(unit(age)))
                + " old, but topic '"
                + output.getKey()
                + "' keeps records for "
                + JobArguments.text(Duration.ofMillis(output.getValue()))
                + " only, so Kafka deletes them soon after they are written: raise its"
                + " retention.ms, or name another topic";
    }

    /** Ages are told to the minute, unless they are shorter. */
    private static ChronoUnit unit(long age) {
        return age >= Duration.ofMinutes(1).toMillis() ? ChronoUnit.MINUTES : ChronoUnit.MILLIS;
    }

    private static Collection<TopicPartition> partitions(Admin admin, List<String> topics)
            throws InterruptedException, ExecutionException {
        List<TopicPartition> partitions = new ArrayList<>();
        for (TopicDescription topic : admin.describeTopics(topics).allTopicNames().get().values()) {
            topic.partitions()
                    .forEach(p -> partitions.add(new TopicPartition(topic.name(), p.partition())));
        }
        return partitions;
    }

    /** The timestamps that the broker finds, one per partition that has any. */
    private static List<Long> times(
            Admin admin, Collection<TopicPartition> partitions, OffsetSpec spec)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(partition -> asked.put(partition, spec));
        List<Long> times = new ArrayList<>();
        for (ListOffsetsResultInfo found : admin.listOffsets(asked).all().get().values()) {
            if (found.timestamp() >= 0) {
                times.add(found.timestamp());
            }
        }
        return times;
    }

    /** The age of the newest or the oldest of {@code times}; 0 if there are none. */
    private static long age(long now, List<Long> times, boolean newest) {
        return times.isEmpty()
                ? 0
                : now - (newest ? Collections.max(times) : Collections.min(times));
    }
}
