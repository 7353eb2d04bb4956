/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.function.LongBinaryOperator;
import java.util.function.Predicate;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which records a topic takes. A broker refuses the others, and a job that writes one in spite of
 * that fails, restarts, and fails again.
 *
 * @param bytes largest record, measured by {@link RecordLimit#sizeOf}, whatever its compression
 * @param batchBytes largest batch after our compression; 0 if the broker compresses anew, so that
 *     ours does not count
 * @param beforeMillis how far a timestamp may be behind the broker's clock; {@link Long#MAX_VALUE}
 *     for any
 * @param afterMillis how far it may be ahead
 * @param keptMillis how long the topic keeps a record by its timestamp; {@link Long#MAX_VALUE} for
 *     ever, or by the time of arrival
 * @param needsKey whether a record without a key is refused, as on a compacted topic
 */
public record TopicLimits(
        int bytes,
        int batchBytes,
        long beforeMillis,
        long afterMillis,
        long keptMillis,
        boolean needsKey) {
    private static final Logger LOG = LoggerFactory.getLogger(TopicLimits.class);

    /** Kafka's default of {@code max.message.bytes}. */
    private static final int DEFAULT_BYTES = 1_048_588;

    /** For clocks that differ, and records on their way: this much less is used of each limit. */
    private static final long MARGIN_MILLIS = 60_000;

    private static final String COMPRESSED_BY_PRODUCER = "producer";
    private static final String UNLIMITED = "-1";

    /**
     * What every one of the topics takes now. If the broker does not let the user know, Kafka's
     * defaults are assumed.
     *
     * @throws FlinkRuntimeException if it does not answer, for Flink to try again
     */
    public static TopicLimits of(Brokers brokers, List<String> topics) {
        TopicLimits limits = ofProducer(brokers);
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            for (Config config : describe(admin, topics).values()) {
                limits = limits.and(of(config));
            }
            return limits;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FlinkRuntimeException("interrupted while asking for the limits of topics", e);
        } catch (ExecutionException | KafkaException e) {
            if (!(e.getCause() instanceof AuthorizationException
                    || e.getCause() instanceof UnsupportedVersionException)) {
                throw new FlinkRuntimeException(
                        "the limits of the topics "
                                + topics
                                + " are unknown: "
                                + BrokerProblem.describe(brokers, e),
                        BrokerProblem.cause(e));
            }
            LOG.warn(
                    "The broker does not tell the configuration of the topics {}; records of {}"
                            + " bytes are assumed to fit. If a topic takes less, allow the user to"
                            + " describe configurations.",
                    topics,
                    DEFAULT_BYTES,
                    e);
            return limits.and(
                    new TopicLimits(
                            RecordLimit.uncompressed(DEFAULT_BYTES),
                            DEFAULT_BYTES,
                            Long.MAX_VALUE,
                            Long.MAX_VALUE,
                            Long.MAX_VALUE,
                            false));
        }
    }

    /** What our producers take, with the user's properties. */
    private static TopicLimits ofProducer(Brokers brokers) {
        return new TopicLimits(
                RecordLimit.largestRecord(brokers),
                Integer.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                false);
    }

    private static TopicLimits of(Config config) {
        int batchBytes =
                Integer.parseInt(
                        value(
                                config,
                                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                                Integer.toString(DEFAULT_BYTES)));
        boolean oursCounts =
                value(config, TopicConfig.COMPRESSION_TYPE_CONFIG, COMPRESSED_BY_PRODUCER)
                        .equals(COMPRESSED_BY_PRODUCER);
        boolean anyTime = takesTimeOfArrival(config);
        String any = Long.toString(Long.MAX_VALUE);
        String before = value(config, TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, any);
        String after = value(config, TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, any);
        return new TopicLimits(
                RecordLimit.uncompressed(batchBytes),
                oursCounts ? batchBytes : 0,
                anyTime ? Long.MAX_VALUE : Long.parseLong(before),
                anyTime ? Long.MAX_VALUE : Long.parseLong(after),
                retention(config),
                isCompacted(config));
    }

    private static boolean isCompacted(Config config) {
        return value(config, TopicConfig.CLEANUP_POLICY_CONFIG, "")
                .contains(TopicConfig.CLEANUP_POLICY_COMPACT);
    }

    private static String value(Config config, String name, String otherwise) {
        ConfigEntry entry = config.get(name);
        return entry == null || entry.value() == null ? otherwise : entry.value();
    }

    /**
     * The configuration of a topic that takes the records of all {@code inputs} and keeps them as
     * long as the one that keeps them longest. It is compacted only if they all are.
     *
     * @throws ExecutionException if the broker refuses to tell
     */
    public static Map<String, String> configFor(Admin admin, Collection<String> inputs)
            throws InterruptedException, ExecutionException {
        Collection<Config> all = describe(admin, inputs).values();
        Map<String, String> made = new HashMap<>();
        merge(all, made, TopicConfig.RETENTION_MS_CONFIG, Math::max);
        merge(all, made, TopicConfig.RETENTION_BYTES_CONFIG, TopicLimits::sum);
        merge(all, made, TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Math::max);
        merge(all, made, TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, Math::max);
        merge(all, made, TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, Math::max);
        made.put(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                all.stream().allMatch(TopicLimits::isCompacted)
                        ? TopicConfig.CLEANUP_POLICY_COMPACT
                        : TopicConfig.CLEANUP_POLICY_DELETE);
        return made;
    }

    private static void merge(
            Collection<Config> all,
            Map<String, String> made,
            String name,
            LongBinaryOperator widest) {
        String merged = null;
        for (Config config : all) {
            String value = value(config, name, "");
            if (value.isEmpty()) {
                // An older broker does not know it.
                return;
            }
            merged =
                    merged == null
                            ? value
                            : merged.equals(UNLIMITED) || value.equals(UNLIMITED)
                                    ? UNLIMITED
                                    : Long.toString(
                                            widest.applyAsLong(
                                                    Long.parseLong(merged), Long.parseLong(value)));
        }
        if (merged != null) {
            made.put(name, merged);
        }
    }

    private static long sum(long a, long b) {
        return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }

    /**
     * How long topics keep records by the records' own timestamps, in ms; {@link Long#MAX_VALUE}
     * for ever, or by the time of arrival.
     *
     * @throws ExecutionException if the broker refuses to tell
     */
    public static Map<String, Long> retention(Admin admin, Collection<String> topics)
            throws InterruptedException, ExecutionException {
        Map<String, Long> retention = new TreeMap<>();
        describe(admin, topics)
                .forEach((topic, config) -> retention.put(topic.name(), retention(config)));
        return retention;
    }

    private static long retention(Config config) {
        String kept = value(config, TopicConfig.RETENTION_MS_CONFIG, UNLIMITED);
        boolean deletes =
                value(config, TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE)
                        .contains(TopicConfig.CLEANUP_POLICY_DELETE);
        return !deletes || takesTimeOfArrival(config) || kept.equals(UNLIMITED)
                ? Long.MAX_VALUE
                : Long.parseLong(kept);
    }

    /** With LogAppendTime the broker replaces all timestamps. */
    private static boolean takesTimeOfArrival(Config config) {
        return value(config, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "CreateTime")
                .equals("LogAppendTime");
    }

    /**
     * Which of the topics are compacted.
     *
     * @throws ExecutionException if the broker refuses to tell
     */
    public static Set<String> compacted(Admin admin, Collection<String> topics)
            throws InterruptedException, ExecutionException {
        return those(admin, topics, TopicLimits::isCompacted);
    }

    /**
     * Which of the topics have the times of arrival instead of the records' own.
     *
     * @throws ExecutionException if the broker refuses to tell
     */
    public static Set<String> ofArrival(Admin admin, Collection<String> topics)
            throws InterruptedException, ExecutionException {
        return those(admin, topics, TopicLimits::takesTimeOfArrival);
    }

    private static Set<String> those(Admin admin, Collection<String> topics, Predicate<Config> are)
            throws InterruptedException, ExecutionException {
        Set<String> those = new TreeSet<>();
        describe(admin, topics)
                .forEach(
                        (topic, config) -> {
                            if (are.test(config)) {
                                those.add(topic.name());
                            }
                        });
        return those;
    }

    private static Map<ConfigResource, Config> describe(Admin admin, Collection<String> topics)
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
                Math.min(afterMillis, other.afterMillis),
                Math.min(keptMillis, other.keptMillis),
                needsKey || other.needsKey);
    }

    /**
     * Whether the topics take this timestamp.
     *
     * @param millis since 1970; negative for none, which the producer replaces by its clock
     * @param now the clock
     */
    public boolean takesTime(long millis, long now) {
        return millis < 0
                || (now - millis <= cautious(beforeMillis)
                        && millis - now <= cautious(afterMillis));
    }

    /**
     * Whether the topics take this timestamp, and keep a record that has it for a while: half as
     * long as a new one, at least.
     *
     * @param millis since 1970, not negative
     * @param now the clock
     */
    public boolean keepsTime(long millis, long now) {
        return takesTime(millis, now)
                && (keptMillis == Long.MAX_VALUE || now - millis <= keptMillis / 2);
    }

    private static long cautious(long limit) {
        return limit == Long.MAX_VALUE ? limit : limit - Math.min(MARGIN_MILLIS, limit / 2);
    }
}
