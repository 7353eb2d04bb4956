/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import picocli.CommandLine.Option;

/** The options that say how to reach Kafka. */
public final class BrokerOptions {
    public static final String BOOTSTRAP_SERVERS = "--bootstrap-servers";
    public static final String COMMAND_CONFIG = "--command-config";
    public static final String KAFKA_PROPERTY = "--kafka-property";

    /** Each job sets these itself: with other values its guarantees would not hold. */
    private static final Set<String> RESERVED =
            Set.of(
                    ConsumerConfig.GROUP_ID_CONFIG,
                    ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                    ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                    ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                    ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                    ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                    ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                    ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                    ProducerConfig.ACKS_CONFIG,
                    ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                    ProducerConfig.TRANSACTION_TIMEOUT_CONFIG);

    @Option(
            names = BOOTSTRAP_SERVERS,
            paramLabel = "HOST:PORT,...",
            description =
                    "Kafka brokers. Required, unless bootstrap.servers is in --command-config.")
    private @Nullable String bootstrapServers;

    @Option(
            names = COMMAND_CONFIG,
            paramLabel = "FILE",
            description =
                    "A properties file for Kafka's clients, as Kafka's own tools take it:"
                            + " security.protocol, sasl.jaas.config, ssl.truststore.location and"
                            + " others. Make it readable by its owner only.")
    private @Nullable Path commandConfig;

    @Option(
            names = KAFKA_PROPERTY,
            paramLabel = "NAME=VALUE",
            description =
                    "A property for Kafka's clients, before those of --command-config; may be given"
                            + " several times. Others can see the command line: keep secrets in"
                            + " the file.")
    private Map<String, String> kafkaProperties = new LinkedHashMap<>();

    private @Nullable Brokers brokers;

    /** The options of this cluster, for programs. */
    public static BrokerOptions of(Brokers brokers) {
        BrokerOptions options = new BrokerOptions();
        options.brokers = brokers;
        return options;
    }

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException as {@link #brokers} does
     */
    public void check() {
        Brokers unused = brokers();
    }

    /**
     * The cluster that the options name. Reads the file at the first call.
     *
     * @throws IllegalArgumentException if no address is given, the file cannot be read, or a
     *     property is one that jobs set themselves
     */
    public Brokers brokers() {
        if (brokers == null) {
            brokers = brokers("", bootstrapServers, commandConfig, kafkaProperties);
        }
        return brokers;
    }

    /**
     * The cluster that three options name.
     *
     * @param whose begins the names of the options, behind their dashes
     * @throws IllegalArgumentException as {@link #brokers()} does
     */
    static Brokers brokers(
            String whose,
            @Nullable String bootstrapServers,
            @Nullable Path commandConfig,
            Map<String, String> kafkaProperties) {
        String servers = option(whose, BOOTSTRAP_SERVERS);
        String file = option(whose, COMMAND_CONFIG);
        String property = option(whose, KAFKA_PROPERTY);
        Map<String, String> properties = read(commandConfig, file);
        requireFree(kafkaProperties, property);
        if (kafkaProperties.containsKey(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG)) {
            throw new IllegalArgumentException(
                    property + " cannot set bootstrap.servers: use " + servers);
        }
        properties.putAll(kafkaProperties);
        String inFile = properties.remove(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
        String addresses = bootstrapServers == null ? inFile : bootstrapServers;
        if (addresses == null || addresses.isBlank()) {
            throw new IllegalArgumentException(
                    "the brokers are missing: give "
                            + servers
                            + " HOST:PORT, or bootstrap.servers in "
                            + file);
        }
        return Brokers.at(addresses, properties, whose);
    }

    /** The name of an option for another cluster. */
    static String option(String whose, String name) {
        return "--" + whose + name.substring(2);
    }

    /**
     * The client properties in {@code file}; none if it is null.
     *
     * @param option that named the file
     * @throws IllegalArgumentException if it cannot be read, or has a property that jobs set
     *     themselves
     */
    public static Map<String, String> read(@Nullable Path file, String option) {
        Map<String, String> properties = new HashMap<>();
        if (file != null) {
            Properties lines = new Properties();
            try (Reader reader = Files.newBufferedReader(file)) {
                lines.load(reader);
            } catch (NoSuchFileException e) {
                throw new IllegalArgumentException(
                        option + ": file " + file + " does not exist: correct the path", e);
            } catch (IOException | IllegalArgumentException e) {
                // The exception may quote a line, and a line may be a secret.
                throw new IllegalArgumentException(
                        option
                                + ": "
                                + file
                                + " cannot be read as a properties file in UTF-8 ("
                                + e.getClass().getSimpleName()
                                + "): correct it, or make it readable",
                        e);
            }
            lines.forEach((name, value) -> properties.put((String) name, ((String) value).strip()));
            requireFree(properties, option + " " + file);
        }
        return properties;
    }

    /** Files for Kafka's tools often say what we need anyway. */
    private static boolean isOurs(String name, String value) {
        return switch (name) {
            case ProducerConfig.ACKS_CONFIG -> value.equals("all") || value.equals("-1");
            case ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG -> value.equals("true");
            case ConsumerConfig.ISOLATION_LEVEL_CONFIG -> value.equals("read_committed");
            default -> false;
        };
    }

    private static void requireFree(Map<String, String> properties, String origin) {
        for (String name : properties.keySet()) {
            if (RESERVED.contains(name) && !isOurs(name, properties.get(name))) {
                throw new IllegalArgumentException(
                        origin
                                + " sets "
                                + name
                                + ", which the command sets itself to keep its guarantees: leave it"
                                + " out");
            }
        }
    }
}
