/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.kafka.BrokerOptions;
import io.sluice.kafka.Brokers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/**
 * Which of two replicas a job is, where the other one is, and the topics between them. Each replica
 * writes on its own brokers, and reads the peer's topics from the peer's. So a peer that is down,
 * together with its brokers, does not stop this side; the peer's brokers are needed only when this
 * job starts, to find the topics.
 */
public final class ReplicaArguments {
    public static final String REPLICA = "--replica";
    public static final String PEER = "--peer";
    public static final String PEER_BOOTSTRAP = "--peer-bootstrap";
    public static final String PEER_COMMAND_CONFIG = "--peer-command-config";

    /** Suffix of the topic of reports. */
    public static final String REPORTS = "reports";

    @Option(
            names = REPLICA,
            paramLabel = "NAME",
            description =
                    "Name of this replica, if the same job runs elsewhere too and both are to"
                            + " agree; its topics are named after it. With --bounded all windows"
                            + " close at the end of the input, and the job runs on for its peer.")
    private @Nullable String replica;

    @Option(names = PEER, paramLabel = "NAME", description = "Name of the other replica.")
    private @Nullable String peer;

    @Option(
            names = PEER_BOOTSTRAP,
            paramLabel = "HOST:PORT,...",
            description =
                    "Kafka brokers of the other replica. Default: the same as this replica's.")
    private @Nullable String peerBootstrap;

    @Option(
            names = PEER_COMMAND_CONFIG,
            paramLabel = "FILE",
            description =
                    "Like --command-config, for the brokers of --peer-bootstrap, which get no"
                            + " property of this replica's brokers.")
    private @Nullable Path peerCommandConfig;

    private @Nullable Brokers peerBrokers;

    /** Returns whether the job is a replica. */
    public boolean areGiven() {
        return replica != null || peer != null;
    }

    /**
     * Checks the names, and finds the peer's brokers.
     *
     * @param own the brokers of this replica
     * @throws IllegalArgumentException naming option, value and remedy
     */
    public void check(Brokers own) {
        if (!areGiven()) {
            for (Object[] other :
                    new Object[][] {
                        {PEER_BOOTSTRAP, peerBootstrap}, {PEER_COMMAND_CONFIG, peerCommandConfig}
                    }) {
                if (other[1] != null) {
                    throw new IllegalArgumentException(
                            other[0]
                                    + " needs "
                                    + REPLICA
                                    + " and "
                                    + PEER
                                    + ": give the names of both replicas");
                }
            }
            return;
        }
        if (isBlank(replica) || isBlank(peer) || replica.equals(peer)) {
            throw new IllegalArgumentException(
                    REPLICA
                            + " and "
                            + PEER
                            + " must be two different names, but are "
                            + quoted(replica)
                            + " and "
                            + quoted(peer));
        }
        if (peerBootstrap == null && peerCommandConfig != null) {
            throw new IllegalArgumentException(
                    PEER_COMMAND_CONFIG
                            + " needs "
                            + PEER_BOOTSTRAP
                            + ": the brokers are this replica's, and so are their properties");
        }
        if (peerBrokers == null) {
            Map<String, String> properties =
                    BrokerOptions.read(peerCommandConfig, PEER_COMMAND_CONFIG);
            peerBrokers = peerBootstrap == null ? own : Brokers.at(peerBootstrap, properties);
        }
    }

    private static boolean isBlank(@Nullable String name) {
        return name == null || name.isBlank();
    }

    private static String quoted(@Nullable String name) {
        return name == null ? "not given" : "'" + name + "'";
    }

    /**
     * Returns the same for the other side.
     *
     * @param own the brokers of this replica
     */
    ReplicaArguments mirrored(Brokers own) {
        ReplicaArguments other = new ReplicaArguments();
        other.replica = peer;
        other.peer = replica;
        other.peerBrokers = own;
        return other;
    }

    /** Returns the name of this replica. */
    public String replica() {
        return requireNonNull(replica, REPLICA);
    }

    /** Returns the name of the other replica. */
    public String peer() {
        return requireNonNull(peer, PEER);
    }

    /** Returns the brokers of the other replica. */
    public Brokers peerBrokers() {
        return requireNonNull(peerBrokers, PEER_BOOTSTRAP);
    }

    /** Returns the topic of this replica with this suffix. */
    public String topic(String prefix, String ending) {
        return prefix + "-" + replica() + "-" + ending;
    }

    /** Returns the topics of messages and reports that this replica writes. */
    public List<String> writtenTopics(String prefix) {
        List<String> topics = messageTopics(prefix);
        topics.add(topic(prefix, REPORTS));
        return topics;
    }

    /** Returns the topics that this replica writes, and the other one reads. */
    public List<String> messageTopics(String prefix) {
        return messageTopics(prefix, replica());
    }

    /** Returns the topics that the other replica writes, and this one reads. */
    public List<String> peerTopics(String prefix) {
        return messageTopics(prefix, peer());
    }

    private static List<String> messageTopics(String prefix, String writer) {
        List<String> topics = new ArrayList<>();
        for (MessageKind kind : MessageKind.values()) {
            topics.add(prefix + "-" + writer + "-" + ending(kind.name()));
        }
        return topics;
    }

    /** Returns topics by what names them: an option, with what follows the prefix that it gives. */
    static Map<String, String> byOption(String option, String prefix, List<String> topics) {
        Map<String, String> named = new LinkedHashMap<>();
        for (String topic : topics) {
            named.put(option + " with " + topic.substring(prefix.length()), topic);
        }
        return named;
    }

    /**
     * Returns what may keep two replicas from agreeing.
     *
     * @param operator full name of the operator that reconciles
     * @param window the option with the length of its windows
     * @param ttl the option that says how long a window waits
     * @param groups the option with the number of key groups
     */
    static List<Trouble> troubles(String operator, String window, String ttl, String groups) {
        return List.of(
                new Trouble(
                        operator,
                        "late",
                        "records came after their "
                                + window
                                + " was closed, so the other replica is not told of them; raise"
                                + " --out-of-orderness"),
                new Trouble(
                        operator,
                        "future",
                        "records were too far ahead of the clock (--max-ahead), so the other"
                                + " replica is not told of them"),
                new Trouble(
                        operator,
                        "irreconcilable",
                        "exchanges did not end; both replicas have to run the same release"),
                new Trouble(
                        operator,
                        "timedOut",
                        "exchanges were given up because the other replica was silent for longer"
                                + " than "
                                + ttl
                                + " and "
                                + AgreementArguments.RESUME_WITHIN
                                + ": in these windows a side may lack what only the other one got"),
                new Trouble(
                        operator,
                        "peerGaveUp",
                        "exchanges were given up by the other replica; its reports say why"),
                new Trouble(
                        operator,
                        "noRoom",
                        "exchanges were given up because too much waited for the other replica"),
                new Trouble(
                        operator,
                        "tooLarge",
                        "exchanges were given up because a filter did not fit into a message;"
                                + " raise "
                                + groups
                                + " on both sides"));
    }

    static String ending(String kind) {
        return kind.toLowerCase(Locale.ROOT);
    }
}
