/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.flink.annotation.Experimental;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One real Kafka broker, with its controller, inside this process: KRaft in combined mode on two
 * free ports of the loopback interface, transactions included. Its data lies in its own directory
 * below the given one, and {@link #close()} removes it.
 *
 * <p>A broker that cannot go on, most often because the disk is full, would halt the JVM. Here it
 * completes {@link #failed()} instead, so that the program can end with a message. To do so, it
 * replaces Kafka's process-wide exit procedures while a broker runs.
 *
 * <p>Thread-safe: all calls may come from any thread.
 */
@Experimental
public final class EmbeddedKafka implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedKafka.class);

    /** As a port: any free one. */
    public static final int ANY_PORT = 0;

    private static final String HOST = "127.0.0.1";
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final int NODE = 1;

    /** What a formatted directory has. */
    private static final String FORMATTED = "meta.properties";

    /** Between choosing a free port and binding it another process may take it. */
    private static final int START_ATTEMPTS = 3;

    private static final long ADMIN_TIMEOUT_SECONDS = 30;
    private static final int LEADER_PAUSE_MILLIS = 20;

    private final Path directory;
    private final int port;
    private final KafkaRaftServer server;
    private final CompletableFuture<Throwable> failed;
    private boolean keepsData;
    private boolean closed;

    private EmbeddedKafka(
            Path directory, int port, KafkaRaftServer server, CompletableFuture<Throwable> failed) {
        this.directory = directory;
        this.port = port;
        this.server = server;
        this.failed = failed;
    }

    /**
     * Starts a broker on a directory that stays: it is formatted if it is empty, and {@link
     * #close()} keeps it. A broker that was killed goes on with what it has there.
     *
     * @param port 1 to 65535
     * @param advertisedPort where clients are told to connect: that of a proxy, or {@code port}
     */
    public static EmbeddedKafka open(Path directory, int port, int advertisedPort)
            throws IOException {
        Files.createDirectories(directory);
        EmbeddedKafka kafka =
                startIn(
                        directory,
                        port,
                        settings -> {
                            Map<String, String> changed = new HashMap<>(settings);
                            changed.put(
                                    "advertised.listeners",
                                    "PLAINTEXT://" + HOST + ":" + advertisedPort);
                            return changed;
                        },
                        List.of());
        kafka.keepsData = true;
        return kafka;
    }

    /**
     * Formats a data directory below {@code parent} and starts a broker on it: about three seconds.
     *
     * @param parent an existing directory with room for everything that will be written to the
     *     topics
     * @throws IOException if the directory cannot be written or the broker does not start
     */
    public static EmbeddedKafka start(Path parent) throws IOException {
        return start(parent, ANY_PORT);
    }

    /**
     * Starts a broker as {@link #start(Path)} does, on a given port.
     *
     * @param port 1 to 65535, or {@link #ANY_PORT} for a free one
     */
    public static EmbeddedKafka start(Path parent, int port) throws IOException {
        return start(parent, port, UnaryOperator.identity(), List.of());
    }

    /**
     * Like {@link #start(Path, int)}, with other settings: for tests of security.
     *
     * @param change turns the default settings into the broker's
     * @param scramUsers users to create, as {@code kafka-storage.sh format --add-scram} takes them
     */
    public static EmbeddedKafka start(
            Path parent,
            int port,
            UnaryOperator<Map<String, String>> change,
            List<String> scramUsers)
            throws IOException {
        IOException last = null;
        int attempts = port == ANY_PORT ? START_ATTEMPTS : 1;
        for (int attempt = 1; attempt <= attempts; attempt++) {
            Path directory = Files.createTempDirectory(parent, "kafka-");
            try {
                return startIn(directory, port, change, scramUsers);
            } catch (IOException e) {
                LOG.warn("Broker start {} of {} failed", attempt, attempts, e);
                Directories.deleteRecursively(directory);
                if (last != null) {
                    e.addSuppressed(last);
                }
                last = e;
            }
        }
        throw last;
    }

    private static EmbeddedKafka startIn(
            Path directory,
            int port,
            UnaryOperator<Map<String, String>> change,
            List<String> scramUsers)
            throws IOException {
        int[] ports = freePorts(2);
        if (port != ANY_PORT) {
            requireFree(port);
            ports[0] = port;
        }
        Map<String, String> settings = change.apply(settings(directory, ports[0], ports[1]));
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        KafkaRaftServer server = null;
        try {
            if (!Files.exists(directory.resolve(FORMATTED))) {
                format(directory, scramUsers);
            }
            reportInsteadOfExit(failed);
            server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
            server.startup();
            return new EmbeddedKafka(directory, ports[0], server, failed);
        } catch (Exception e) {
            if (server != null) {
                server.shutdown();
            }
            restoreExit();
            Throwable cause = failed.getNow(e);
            throw new IOException("the embedded broker did not start: " + cause.getMessage(), e);
        }
    }

    private static void format(Path directory, List<String> scramUsers) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            new Formatter()
                    .setPrintStream(out)
                    .setNodeId(NODE)
                    .setClusterId(Uuid.randomUuid().toString())
                    .setControllerListenerName("CONTROLLER")
                    .setMetadataLogDirectory(directory.toString())
                    .addDirectory(directory.toString())
                    .setScramArguments(scramUsers)
                    .run();
        }
        LOG.info("{}", printed.toString(StandardCharsets.UTF_8).strip());
    }

    private static Map<String, String> settings(Path directory, int port, int controllerPort) {
        return Map.ofEntries(
                Map.entry("process.roles", "broker,controller"),
                Map.entry("node.id", Integer.toString(NODE)),
                Map.entry("controller.quorum.voters", NODE + "@" + HOST + ":" + controllerPort),
                Map.entry("controller.listener.names", "CONTROLLER"),
                Map.entry(
                        "listeners",
                        "PLAINTEXT://"
                                + HOST
                                + ":"
                                + port
                                + ",CONTROLLER://"
                                + HOST
                                + ":"
                                + controllerPort),
                Map.entry("advertised.listeners", "PLAINTEXT://" + HOST + ":" + port),
                Map.entry(
                        "listener.security.protocol.map",
                        "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
                Map.entry("log.dirs", directory.toString()),
                // One broker: nothing can be replicated.
                Map.entry("offsets.topic.replication.factor", "1"),
                Map.entry("offsets.topic.num.partitions", "1"),
                Map.entry("transaction.state.log.replication.factor", "1"),
                Map.entry("transaction.state.log.min.isr", "1"),
                Map.entry("transaction.state.log.num.partitions", "4"),
                Map.entry("share.coordinator.state.topic.replication.factor", "1"),
                Map.entry("share.coordinator.state.topic.min.isr", "1"),
                Map.entry("group.initial.rebalance.delay.ms", "0"),
                // A typo in a topic's name must be an error, not a new topic.
                Map.entry("auto.create.topics.enable", "false"),
                // What a run writes is read in the same run, and thrown away afterwards.
                Map.entry("log.retention.ms", "-1"),
                Map.entry("transaction.max.timeout.ms", "3600000"),
                // The broker shares its few cores with its clients.
                Map.entry("num.network.threads", "2"),
                Map.entry("num.io.threads", "2"),
                Map.entry("background.threads", "2"),
                Map.entry("num.recovery.threads.per.data.dir", "1"),
                Map.entry("controlled.shutdown.enable", "false"));
    }

    private static void requireFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port));
        } catch (IOException e) {
            throw new IOException(
                    "port " + port + " is not free (" + e.getMessage() + "): choose another", e);
        }
    }

    private static int[] freePorts(int count) throws IOException {
        ServerSocket[] sockets = new ServerSocket[count];
        try {
            for (int i = 0; i < count; i++) {
                sockets[i] = new ServerSocket(0, 1, InetAddress.getByAddress(LOOPBACK));
            }
            return Arrays.stream(sockets).mapToInt(ServerSocket::getLocalPort).toArray();
        } finally {
            for (ServerSocket socket : sockets) {
                if (socket != null) {
                    socket.close();
                }
            }
        }
    }

    private static void reportInsteadOfExit(CompletableFuture<Throwable> failed) {
        Exit.Procedure report =
                (status, message) -> {
                    IOException failure =
                            new IOException(
                                    "the embedded broker stopped itself"
                                            + (message == null ? "" : ": " + message));
                    failed.complete(failure);
                    // Callers rely on this not returning.
                    throw new IllegalStateException(failure);
                };
        Exit.setExitProcedure(report);
        Exit.setHaltProcedure(report);
    }

    private static void restoreExit() {
        Exit.resetExitProcedure();
        Exit.resetHaltProcedure();
    }

    /** The broker's address, for {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return HOST + ":" + port;
    }

    /**
     * Completes with the cause when the broker stops by itself (a full disk, a damaged directory);
     * never exceptionally, and never because of {@link #close()}.
     */
    public CompletableFuture<Throwable> failed() {
        return failed.copy();
    }

    /**
     * Creates {@code names}, each with {@code partitions} partitions, and waits until they take
     * records.
     */
    public void createTopics(int partitions, String... names) throws IOException {
        createTopics(partitions, Map.of(), names);
    }

    /**
     * Creates {@code names} and waits until they take records.
     *
     * @param configs topic options, such as {@code retention.ms}
     * @throws IOException if one of them already exists or the broker refuses it
     */
    public void createTopics(int partitions, Map<String, String> configs, String... names)
            throws IOException {
        List<NewTopic> topics =
                Arrays.stream(names)
                        .map(name -> new NewTopic(name, partitions, (short) 1).configs(configs))
                        .toList();
        try (Admin admin = admin()) {
            admin.createTopics(topics).all().get(ADMIN_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            for (String name : names) {
                awaitLeaders(admin, name, partitions);
            }
        } catch (ExecutionException e) {
            throw new IOException(
                    "topics " + List.of(names) + " were not created: " + e.getCause().getMessage(),
                    e);
        } catch (TimeoutException e) {
            Optional<Throwable> cause = Optional.ofNullable(failed.getNow(null));
            throw new IOException(
                    "topics "
                            + List.of(names)
                            + " were not created within "
                            + ADMIN_TIMEOUT_SECONDS
                            + " s"
                            + cause.map(c -> ": " + c.getMessage()).orElse(""),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while topics were created", e);
        }
    }

    /**
     * Until a partition has a leader, it may refuse a producer's first batch and take the second.
     */
    private static void awaitLeaders(Admin admin, String topic, int partitions)
            throws InterruptedException, ExecutionException, TimeoutException {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            asked.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ADMIN_TIMEOUT_SECONDS);
        while (true) {
            try {
                // Only a leader answers.
                admin.listOffsets(asked).all().get(ADMIN_TIMEOUT_SECONDS, TimeUnit.SECONDS);
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
                        || System.nanoTime() > deadline) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(LEADER_PAUSE_MILLIS);
            }
        }
    }

    /** A client for everything else. The caller closes it. */
    public Admin admin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()));
    }

    /**
     * Stops the broker and removes its data, unless it was opened. Calling it again does nothing.
     */
    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            server.shutdown();
            server.awaitShutdown();
        } finally {
            restoreExit();
            if (!keepsData) {
                Directories.deleteRecursively(directory);
            }
        }
    }
}
