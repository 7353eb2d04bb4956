/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka cluster and how to reach it: addresses, and client properties such as those for TLS and
 * SASL. Immutable. {@link #toString} has the addresses only: properties contain secrets.
 */
public final class Brokers implements Serializable {
    /** How long a broker may take to answer. */
    public static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final long serialVersionUID = 1L;

    private static final Logger LOG = LoggerFactory.getLogger(Brokers.class);

    private static final Set<String> CONSUMER = ConsumerConfig.configNames();
    private static final Set<String> PRODUCER = ProducerConfig.configNames();
    private static final Set<String> ADMIN = AdminClientConfig.configNames();

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

    /** On a busy machine a broker may take this long to say its first word. */
    private static final Duration SLOW_ANSWER_TIMEOUT = Duration.ofSeconds(20);

    private static final int CONNECT_MILLIS = 500;

    private final String servers;
    private final HashMap<String, String> properties;

    /** Begins the names of the options that set these, behind their dashes. */
    private final String whose;

    private Brokers(String servers, Map<String, String> properties, String whose) {
        this.servers = servers;
        this.properties = new HashMap<>(properties);
        this.whose = whose;
    }

    /**
     * A cluster that takes clients without security.
     *
     * @param servers {@code host:port}, several by commas
     */
    public static Brokers at(String servers) {
        return at(servers, Map.of());
    }

    /**
     * A cluster with settings for all its clients.
     *
     * @param servers {@code host:port}, several by commas
     * @param properties a property that only one kind of client knows goes to that kind; one that
     *     none knows goes to all
     */
    public static Brokers at(String servers, Map<String, String> properties) {
        return at(servers, properties, "");
    }

    /** Like {@link #at(String, Map)}, with what begins the names of the options. */
    static Brokers at(String servers, Map<String, String> properties, String whose) {
        return new Brokers(servers, properties, whose);
    }

    /** The option to correct if the login is wrong. */
    public String commandConfig() {
        return option(BrokerOptions.COMMAND_CONFIG);
    }

    String option(String name) {
        return BrokerOptions.option(whose, name);
    }

    /** The addresses, as {@code host:port,...}. */
    public String servers() {
        return servers;
    }

    /** What the user set for consumers, with the addresses. */
    public Properties consumer() {
        return forClient(CONSUMER);
    }

    /** What the user set for producers, with the addresses. */
    public Properties producer() {
        return forClient(PRODUCER);
    }

    /**
     * A client for administration; the caller closes it.
     *
     * @param timeout of each call; one request takes at most half of it
     * @throws org.apache.kafka.common.KafkaException if the settings are wrong
     */
    public Admin admin(Duration timeout) {
        Properties settings = new Properties();
        settings.put(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Long.toString(timeout.toMillis() / 2));
        settings.put(
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(timeout.toMillis()));
        settings.putAll(forClient(ADMIN));
        settings.computeIfPresent(
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                (name, api) -> atLeast(api, settings, AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG));
        return Admin.create(settings);
    }

    /** The longer of two times: Kafka refuses a call that is shorter than its request. */
    private static Object atLeast(Object api, Properties settings, String requestOption) {
        String request = settings.getProperty(requestOption);
        try {
            return Long.parseLong(request) > Long.parseLong((String) api) ? request : api;
        } catch (NumberFormatException e) {
            // Kafka says what is wrong with it.
            return api;
        }
    }

    /**
     * Asks whether anybody is there, which a client that has more to ask finds out much later.
     *
     * @throws IOException in one line, if no broker answers or the login is refused: within five
     *     seconds where nobody takes a connection, else within half a minute
     */
    public void requireAnswer() throws IOException {
        try {
            askPatiently();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking the broker at " + servers, e);
        } catch (ExecutionException | KafkaException e) {
            throw new IOException(BrokerProblem.describe(this, e), BrokerProblem.cause(e));
        }
    }

    private void askPatiently() throws ExecutionException, InterruptedException {
        try {
            ask(ANSWER_TIMEOUT);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TimeoutException) || !takesConnections()) {
                throw e;
            }
            ask(SLOW_ANSWER_TIMEOUT);
        }
    }

    private void ask(Duration timeout) throws ExecutionException, InterruptedException {
        try (Admin admin = admin(timeout)) {
            var unused = admin.describeCluster().nodes().get();
        }
    }

    /** Whether something listens at one of the addresses. */
    private boolean takesConnections() {
        for (String server : servers.split(",", -1)) {
            String host = Utils.getHost(server.trim());
            Integer port = Utils.getPort(server.trim());
            if (host == null || port == null) {
                continue;
            }
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
                return true;
            } catch (IOException e) {
                LOG.debug("{} takes no connection.", server, e);
            }
        }
        return false;
    }

    /** The names of properties that none of Kafka's clients knows, such as misspelt ones. */
    public Set<String> unknownProperties() {
        Set<String> unknown = new TreeSet<>(properties.keySet());
        unknown.removeIf(Brokers::isKnownToAny);
        return unknown;
    }

    private Properties forClient(Set<String> known) {
        Properties settings = new Properties();
        properties.forEach(
                (name, value) -> {
                    if (known.contains(name) || !isKnownToAny(name)) {
                        settings.put(name, value);
                    }
                });
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        return settings;
    }

    private static boolean isKnownToAny(String name) {
        return CONSUMER.contains(name) || PRODUCER.contains(name) || ADMIN.contains(name);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Brokers that
                && servers.equals(that.servers)
                && properties.equals(that.properties);
    }

    @Override
    public int hashCode() {
        return Objects.hash(servers, properties);
    }

    @Override
    public String toString() {
        return servers;
    }
}
