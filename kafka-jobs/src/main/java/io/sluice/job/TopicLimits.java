/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.kafka.Brokers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which records a topic takes. A broker refuses the others, and a job that writes one in spite of
 * that fails, restarts, and fails again.
 *
 * @param bytes largest record, measured by {@link RecordLimit#sizeOf}, whatever its compression
 * @param batchBytes largest batch after its compression, {@code max.message.bytes}
 * @param beforeMillis how far a timestamp may be behind the broker's clock; {@link Long#MAX_VALUE}
 *     for any
 * @param afterMillis how far it may be ahead
 */
record TopicLimits(int bytes, int batchBytes, long beforeMillis, long afterMillis) {
    /** What our producers and the largest of clocks take. */
    static final TopicLimits NONE =
            new TopicLimits(
                    RecordLimit.PRODUCER_BYTES, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

    private static final Logger LOG = LoggerFactory.getLogger(TopicLimits.class);

    /** Kafka's default of {@code max.message.bytes}. */
    private static final int DEFAULT_BYTES = 1_048_588;

    /** What a topic of the same records should have too. */
    private static final Set<String> COPIED =
            Set.of(
                    TopicConfig.CLEANUP_POLICY_CONFIG,
                    TopicConfig.RETENTION_MS_CONFIG,
                    TopicConfig.RETENTION_BYTES_CONFIG,
                    TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                    TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG,
                    TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG);

    /**
     * What every one of the topics takes now. Of one that the broker does not tell, its default.
     */
    static TopicLimits of(Brokers brokers, List<String> topics) {
        TopicLimits limits = NONE;
        try (Admin admin = brokers.admin(JobTopics.TIMEOUT)) {
            for (Config config : describe(admin, topics).values()) {
                limits = limits.and(of(config));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | KafkaException | NumberFormatException e) {
            LOG.warn(
                    "The broker does not tell the configuration of the topics {}; records of {}"
                            + " bytes are assumed to fit. If a topic takes less, allow the job to"
                            + " describe configurations.",
                    topics,
                    DEFAULT_BYTES,
                    e);
            limits =
                    new TopicLimits(
                            RecordLimit.uncompressed(DEFAULT_BYTES),
                            DEFAULT_BYTES,
                            Long.MAX_VALUE,
                            Long.MAX_VALUE);
        }
        return limits;
    }

    private static TopicLimits of(Config config) {
        int batchBytes = Integer.parseInt(config.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value());
        int bytes = RecordLimit.uncompressed(batchBytes);
        if (config.get(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG).value().equals("LogAppendTime")) {
            // The broker replaces all timestamps.
            return new TopicLimits(bytes, batchBytes, Long.MAX_VALUE, Long.MAX_VALUE);
        }
        return new TopicLimits(
                bytes,
                batchBytes,
                millis(config, TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG),
                millis(config, TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG));
    }

    private static long millis(Config config, String name) {
        ConfigEntry entry = config.get(name);
        return entry == null ? Long.MAX_VALUE : Long.parseLong(entry.value());
    }

    /**
     * What was set for {@code topic} itself, and a topic of the same records should have too.
     *
     * @throws ExecutionException if the broker refuses to tell
     */
    static Map<String, String> configOf(Admin admin, String topic)
            throws InterruptedException, ExecutionException {
        Map<String, String> copied = new HashMap<>();
        for (Config config : describe(admin, List.of(topic)).values()) {
            for (ConfigEntry entry : config.entries()) {
                if (entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG
                        && COPIED.contains(entry.name())) {
                    copied.put(entry.name(), entry.value());
                }
            }
        }
        return copied;
    }

    private static Map<ConfigResource, Config> describe(Admin admin, List<String> topics)
            throws InterruptedException, ExecutionException {
        List<ConfigResource> resources = new ArrayList<>();
        for (String topic : topics) {
            resources.add(new ConfigResource(ConfigResource.Type.TOPIC, topic));
        }
        return admin.describeConfigs(resources).all().get();
    }

    private TopicLimits and(TopicLimits other) {
        return new TopicLimits(
                Math.min(bytes, other.bytes),
                Math.min(batchBytes, other.batchBytes),
                Math.min(beforeMillis, other.beforeMillis),
                Math.min(afterMillis, other.afterMillis));
    }

    /**
     * Whether the topics take this timestamp.
     *
     * @param millis since 1970; negative for none, which the producer replaces by its clock
     * @param now the clock
     */
    boolean takesTime(long millis, long now) {
        return millis < 0 || (now - millis <= beforeMillis && millis - now <= afterMillis);
    }
}
