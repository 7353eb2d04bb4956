/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import io.sluice.flink.testkit.process.Await;
import io.sluice.kafka.TopicLeaders;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;

/** Makes topics, and waits until they are read. */
final class Topics {
    private static final Duration TO_LEAD = Duration.ofMinutes(1);
    private static final Duration TO_READ = Duration.ofMinutes(5);

    private final String servers;

    Topics(String servers) {
        this.servers = servers;
    }

    String servers() {
        return servers;
    }

    void create(Collection<String> topics, int partitions)
            throws IOException, InterruptedException {
        try (Admin admin = admin()) {
            admin.createTopics(topics.stream().map(topic -> topic(topic, partitions)).toList())
                    .all()
                    .get();
            for (String topic : topics) {
                TopicLeaders.await(admin, topic, partitions, TO_LEAD);
            }
        } catch (ExecutionException e) {
            throw new IOException("topics " + topics + " were not created", e.getCause());
        }
    }

    /** Takes any time: clocks jump. */
    private static NewTopic topic(String name, int partitions) {
        return new NewTopic(name, partitions, (short) 1)
                .configs(
                        Map.of(
                                TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG,
                                Long.toString(Long.MAX_VALUE)));
    }

    /** Waits until the offsets that {@code group} committed are the ends of the topics. */
    void awaitRead(String group, List<String> topics) throws IOException, InterruptedException {
        try (Admin admin = admin()) {
            Await.until(
                    "that " + group + " has read " + topics + " to the end",
                    TO_READ,
                    () -> isRead(admin, group, topics));
        }
    }

    private static boolean isRead(Admin admin, String group, List<String> topics)
            throws IOException, InterruptedException {
        try {
            Map<TopicPartition, OffsetSpec> asked =
                    admin.describeTopics(topics).allTopicNames().get().values().stream()
                            .flatMap(
                                    topic ->
                                            IntStream.range(0, topic.partitions().size())
                                                    .mapToObj(
                                                            p ->
                                                                    new TopicPartition(
                                                                            topic.name(), p)))
                            .collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest()));
            var ends = admin.listOffsets(asked).all().get();
            var committed =
                    admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
            return ends.entrySet().stream()
                    .allMatch(
                            end ->
                                    end.getValue().offset() == 0
                                            || (committed.get(end.getKey()) != null
                                                    && committed.get(end.getKey()).offset()
                                                            >= end.getValue().offset()));
        } catch (ExecutionException e) {
            throw new IOException("the broker does not answer", e.getCause());
        }
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", servers));
    }
}
