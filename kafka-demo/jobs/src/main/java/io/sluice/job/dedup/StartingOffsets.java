/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import javax.annotation.Nullable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * The offsets of the first records that a new job writes, as {@link From} says. A partition without
 * one is written from its beginning, so in doubt a record comes twice rather than never.
 */
public final class StartingOffsets {

    private final DedupOptions options;
    private final Admin admin;
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final Map<TopicPartition, Long> starts = new HashMap<>();
    private final List<TopicPartition> backlog = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    /** Where transactions are still open, the end is before them: they are to be written. */
    private Map<TopicPartition, Long> ends = Map.of();

    private StartingOffsets(DedupOptions options, Admin admin) {
        this.options = options;
        this.admin = admin;
    }

    /**
     * Asks the broker for the offsets of a job that begins now.
     *
     * @throws IOException if it does not answer, or lacks a topic
     */
    static Map<TopicPartition, Long> of(DedupOptions options) throws IOException {
        return ask(options).starts;
    }

    /**
     * Returns a warning for each partition in which the consumer group has no usable offset, if a
     * job is to begin at those.
     *
     * @throws IOException if the broker does not answer, or lacks a topic
     */
    public static List<String> warnings(DedupOptions options) throws IOException {
        return options.from().kind() == From.Kind.GROUP_OFFSETS ? ask(options).warnings : List.of();
    }

    /**
     * Returns the partitions in which records are to be written already.
     *
     * @throws IOException if the broker does not answer, or lacks a topic
     */
    static List<TopicPartition> backlog(DedupOptions options) throws IOException {
        return ask(options).backlog;
    }

    private static StartingOffsets ask(DedupOptions options) throws IOException {
        Brokers brokers = options.brokers();
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            StartingOffsets asked = new StartingOffsets(options, admin);
            asked.findPartitions();
            switch (options.from().kind()) {
                case EARLIEST -> {}
                case LATEST -> asked.starts.putAll(asked.ends);
                case TIME -> asked.startAtTime();
                case GROUP_OFFSETS -> asked.startAtGroup();
            }
            asked.findBacklog();
            return asked;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for offsets", e);
        } catch (ExecutionException | KafkaException e) {
            throw new IOException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
        }
    }

    private void findPartitions() throws InterruptedException, ExecutionException {
        for (TopicDescription topic :
                admin.describeTopics(options.inputTopics()).allTopicNames().get().values()) {
            topic.partitions()
                    .forEach(p -> partitions.add(new TopicPartition(topic.name(), p.partition())));
        }
        ends = offsets(OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    }

    /** -1 for a partition that has no such offset. */
    private Map<TopicPartition, Long> offsets(OffsetSpec spec, IsolationLevel isolation)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(partition -> asked.put(partition, spec));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> found :
                admin.listOffsets(asked, new ListOffsetsOptions(isolation))
                        .all()
                        .get()
                        .entrySet()) {
            offsets.put(found.getKey(), found.getValue().offset());
        }
        return offsets;
    }

    private void findBacklog() {
        for (TopicPartition partition : partitions) {
            Long start = starts.get(partition);
            if (start == null || start < ends.get(partition)) {
                backlog.add(partition);
            }
        }
    }

    private void startAtTime() throws InterruptedException, ExecutionException {
        // Negative ones have meanings of their own: -1 is the end.
        long timestamp = Math.max(0, options.timestampOf(options.from().time()));
        offsets(OffsetSpec.forTimestamp(timestamp), IsolationLevel.READ_COMMITTED)
                .forEach(
                        (partition, offset) ->
                                starts.put(partition, offset < 0 ? ends.get(partition) : offset));
    }

    private void startAtGroup() throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetAndMetadata> committed =
                admin.listConsumerGroupOffsets(options.group())
                        .partitionsToOffsetAndMetadata()
                        .get();
        Map<TopicPartition, Long> begins =
                offsets(OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
        Map<TopicPartition, Long> lasts =
                offsets(OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata found = committed.get(partition);
            String problem = problem(partition, found, begins.get(partition), lasts.get(partition));
            if (problem != null) {
                warnings.add(problem);
            } else if (found != null) {
                starts.put(partition, found.offset());
            }
        }
    }

    @Nullable
    private String problem(
            TopicPartition partition, @Nullable OffsetAndMetadata committed, long begin, long end) {
        String where = "consumer group '" + options.group() + "' ";
        if (committed == null) {
            return end == begin
                    ? null
                    : where
                            + "has no committed offset in "
                            + partition
                            + ", so that is written from its beginning: correct --group if it is"
                            + " another one";
        }
        String at = where + "is at offset " + committed.offset() + " of " + partition + ", but ";
        if (committed.offset() < begin) {
            return at + "the topic begins at " + begin + ": Kafka has deleted what is between them";
        }
        return committed.offset() <= end
                ? null
                : at
                        + "the topic ends at "
                        + end
                        + ", as if it had been made anew, so it is written from its beginning";
    }
}
