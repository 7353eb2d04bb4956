/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.OutputBrokerOptions;
import io.sluice.kafka.TopicLeaders;
import io.sluice.kafka.TopicLimits;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.record.TimestampType;

/**
 * Prepares the topics before a job starts, when a clear message is still possible: a source without
 * a broker just retries, and a sink without a topic just fails.
 */
public final class JobTopics {
    private JobTopics() {}

    /** Returns whether a job goes on from a state that Flink's command line names. */
    public static boolean continues(StreamExecutionEnvironment env) {
        return env.getConfiguration().getOptional(StateRecoveryOptions.SAVEPOINT_PATH).isPresent();
    }

    /**
     * Makes sure that the broker answers, the input topics exist and the user may read them, and
     * creates missing output topics with as many partitions as the largest input; topics of upserts
     * are compacted.
     *
     * @throws IOException if the broker does not answer or refuses the login, an input topic is
     *     missing, an output topic cannot be created, or the user lacks a right
     */
    public static void prepare(KafkaJobOptions options) throws IOException {
        Set<String> alike = options.topicsLikeTheInput();
        Set<String> others = new TreeSet<>(options.outputTopics().values());
        others.removeAll(alike);
        options.brokers().requireAnswer();
        if (options.inputTopics().isEmpty()) {
            throw new IOException(
                    "no topic on "
                            + options.brokers()
                            + " is read yet, since "
                            + options.topicsToRead()
                            + ": make one first, or correct it");
        }
        int partitions = requireInputs(options.brokers(), options.inputTopics());
        Brokers output = options.outputBrokers();
        if (!output.equals(options.brokers())) {
            output.requireAnswer();
            requireOtherCluster(options);
        }
        createMissing(output, others, partitions, options.compactedTopics());
        try (Admin admin = output.admin(Brokers.TIMEOUT)) {
            if (options.writesInTransactions()) {
                requireTransactions(admin, output, options.transactionalIdPrefix());
            }
            if (!alike.isEmpty()) {
                prepareAlike(admin, options, alike, partitions);
            }
        } catch (ExecutionException | KafkaException | InterruptedException e) {
            throw explained(e, output);
        }
    }

    /**
     * Makes sure that the broker answers and the input topics exist, and creates the others that
     * are missing.
     *
     * @param inputs the largest determines the number of partitions
     * @param compacted output topics on which newer records replace older ones
     * @throws IOException like {@link #prepare(KafkaJobOptions)}
     */
    public static void prepare(
            Brokers brokers,
            Collection<String> inputs,
            Collection<String> outputs,
            Set<String> compacted)
            throws IOException {
        brokers.requireAnswer();
        createMissing(brokers, outputs, requireInputs(brokers, inputs), compacted);
    }

    /** Returns the number of partitions of the largest. */
    private static int requireInputs(Brokers brokers, Collection<String> inputs)
            throws IOException {
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            Map<String, TopicDescription> read = present(admin, brokers, inputs);
            int partitions = 1;
            for (String topic : inputs) {
                TopicDescription description = read.get(topic);
                if (description == null) {
                    throw new IOException(
                            "topic '"
                                    + topic
                                    + "' does not exist on "
                                    + brokers
                                    + ": fill it first, or correct --input-topic");
                }
                require(description, brokers, AclOperation.READ);
                partitions = Math.max(partitions, description.partitions().size());
            }
            return partitions;
        } catch (ExecutionException | KafkaException | InterruptedException e) {
            throw explained(e, brokers);
        }
    }

    private static void createMissing(
            Brokers brokers, Collection<String> topics, int partitions, Set<String> compacted)
            throws IOException {
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            Set<String> present = present(admin, brokers, topics).keySet();
            for (String topic : topics) {
                if (!present.contains(topic)) {
                    create(admin, topic, partitions, compacted.contains(topic));
                }
            }
            requireWritable(admin, brokers, topics);
        } catch (ExecutionException | KafkaException | InterruptedException e) {
            throw explained(e, brokers);
        }
    }

    /** Under two addresses the brokers may be the same, and the job would read what it writes. */
    private static void requireOtherCluster(KafkaJobOptions options) throws IOException {
        String cluster = clusterId(options.outputBrokers());
        if (!cluster.equals(clusterId(options.brokers()))) {
            return;
        }
        for (Map.Entry<String, String> output : options.outputTopics().entrySet()) {
            if (options.topicsToRead().contains(output.getValue())) {
                throw new IOException(
                        "topic '"
                                + output.getValue()
                                + "' would be read and written: "
                                + OutputBrokerOptions.BOOTSTRAP_SERVERS
                                + " leads to the Kafka cluster of the input ("
                                + cluster
                                + "): correct it, or give another "
                                + output.getKey());
            }
        }
    }

    private static String clusterId(Brokers brokers) throws IOException {
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            return admin.describeCluster().clusterId().get();
        } catch (ExecutionException | KafkaException | InterruptedException e) {
            throw explained(e, brokers);
        }
    }

    /**
     * Makes sure that no record of the output topic would be written once more by a job that has no
     * state of it.
     *
     * @throws IOException if the topic has records, naming {@code option}, which allows it
     */
    public static void requireEmptyOutput(KafkaJobOptions options, String option)
            throws IOException {
        String topic = options.outputTopic();
        Brokers brokers = options.outputBrokers();
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            TopicDescription description = present(admin, brokers, List.of(topic)).get(topic);
            if (description == null) {
                return;
            }
            Map<TopicPartition, OffsetSpec> first = new HashMap<>();
            Map<TopicPartition, OffsetSpec> last = new HashMap<>();
            for (TopicPartitionInfo partition : description.partitions()) {
                TopicPartition name = new TopicPartition(topic, partition.partition());
                first.put(name, OffsetSpec.earliest());
                last.put(name, OffsetSpec.latest());
            }
            var begins = admin.listOffsets(first).all().get();
            var ends = admin.listOffsets(last).all().get();
            for (TopicPartition name : first.keySet()) {
                if (begins.get(name).offset() < ends.get(name).offset()) {
                    throw new IOException(
                            "topic '"
                                    + topic
                                    + "' has records already, and this run has no state of them, so"
                                    + " it would write them again: continue an"
                                    + " earlier run with its --state-dir, use another"
                                    + " --output-topic, delete the topic, or say "
                                    + option);
                }
            }
        } catch (ExecutionException | KafkaException | InterruptedException e) {
            throw explained(e, brokers);
        }
    }

    private static void prepareAlike(
            Admin admin, KafkaJobOptions options, Set<String> topics, int partitions)
            throws IOException, InterruptedException, ExecutionException {
        Brokers brokers = options.outputBrokers();
        Map<String, TopicDescription> present = present(admin, brokers, topics);
        Map<String, String> config = null;
        for (String topic : topics) {
            TopicDescription description = present.get(topic);
            if (description == null) {
                if (config == null) {
                    config = configFor(options.brokers(), options.inputTopics());
                }
                Map<String, String> own = new HashMap<>(config);
                if (!topic.equals(options.outputTopic())) {
                    // All of the records that were set aside, not the last of each key.
                    own.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
                }
                create(admin, topic, partitions, own);
            } else {
                if (options.keepsPartitions() && description.partitions().size() < partitions) {
                    throw new IOException(
                            "topic '"
                                    + topic
                                    + "' has "
                                    + description.partitions().size()
                                    + " partitions, but the input has "
                                    + partitions
                                    + ", and records keep the number of theirs: add partitions, or"
                                    + " use --partitioning key");
                }
            }
        }
        requireWritable(admin, brokers, topics);
    }

    private static Map<String, String> configFor(Brokers brokers, Collection<String> inputs)
            throws IOException {
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            return TopicLimits.configFor(admin, inputs);
        } catch (ExecutionException | KafkaException | InterruptedException e) {
            throw explained(e, brokers);
        }
    }

    /** Like {@link #prepare}, for topics without an input topic. */
    public static void create(Brokers brokers, Collection<String> topics, int partitions)
            throws IOException {
        createMissing(brokers, topics, partitions, Set.of());
    }

    private static Map<String, TopicDescription> present(
            Admin admin, Brokers brokers, Collection<String> topics)
            throws IOException, InterruptedException, ExecutionException {
        Map<String, KafkaFuture<TopicDescription>> asked =
                admin.describeTopics(
                                topics,
                                new DescribeTopicsOptions().includeAuthorizedOperations(true))
                        .topicNameValues();
        Map<String, TopicDescription> present = new HashMap<>();
        for (String topic : topics) {
            try {
                present.put(topic, asked.get(topic).get());
            } catch (ExecutionException e) {
                if (e.getCause() instanceof TopicAuthorizationException) {
                    throw new IOException(
                            "the broker does not allow the user to see topic '"
                                    + topic
                                    + "', if there is one: add an ACL for the operation DESCRIBE,"
                                    + " or use another login in "
                                    + brokers.commandConfig(),
                            e);
                }
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        }
        return present;
    }

    private static void requireWritable(Admin admin, Brokers brokers, Collection<String> topics)
            throws IOException, InterruptedException, ExecutionException {
        for (TopicDescription description : present(admin, brokers, topics).values()) {
            require(description, brokers, AclOperation.WRITE);
        }
    }

    private static void require(TopicDescription topic, Brokers brokers, AclOperation operation)
            throws IOException {
        Set<AclOperation> allowed = topic.authorizedOperations();
        if (allowed != null && !allowed.isEmpty() && !allowed.contains(operation)) {
            throw new IOException(
                    "the user may not "
                            + (operation == AclOperation.READ ? "read from" : "write to")
                            + " topic '"
                            + topic.name()
                            + "': add an ACL for the operation "
                            + operation
                            + ", or use another login in "
                            + brokers.commandConfig());
        }
    }

    /** A user that may not even describe a transaction may not write in one either. */
    private static void requireTransactions(Admin admin, Brokers brokers, String prefix)
            throws IOException, InterruptedException, ExecutionException {
        String id = prefix + "/any";
        try {
            var unused = admin.describeTransactions(List.of(id)).description(id).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TransactionalIdAuthorizationException) {
                throw new IOException(
                        "the user may not write in transactions whose name begins with '"
                                + prefix
                                + "': add a prefixed ACL for the operation WRITE on transactional"
                                + " ids, or use another login in "
                                + brokers.commandConfig(),
                        e);
            }
            if (!(e.getCause() instanceof TransactionalIdNotFoundException)) {
                throw e;
            }
        }
    }

    private static IOException explained(Exception e, Brokers brokers) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new IOException("interrupted while asking the broker at " + brokers, e);
        }
        return new IOException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
    }

    private static void create(Admin admin, String topic, int partitions, boolean compacted)
            throws InterruptedException, ExecutionException {
        create(
                admin,
                topic,
                partitions,
                Map.of(
                        TopicConfig.CLEANUP_POLICY_CONFIG,
                        compacted
                                ? TopicConfig.CLEANUP_POLICY_COMPACT
                                : TopicConfig.CLEANUP_POLICY_DELETE));
    }

    private static void create(
            Admin admin, String topic, int partitions, Map<String, String> config)
            throws InterruptedException, ExecutionException {
        Map<String, String> own = new HashMap<>(config);
        // Whatever the broker's default is: records keep their timestamps.
        own.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, TimestampType.CREATE_TIME.name);
        NewTopic created =
                new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(own);
        try {
            admin.createTopics(List.of(created)).all().get();
            TopicLeaders.await(admin, topic, partitions, Brokers.TIMEOUT);
        } catch (ExecutionException e) {
            // Another job may have created it in the meantime.
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }
}
