/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** The options that say how to reach the cluster that a job writes to, if it is another one. */
public final class OutputBrokerOptions {
    /** Begins the names of these options, behind their dashes. */
    private static final String OUTPUT = "output-";

    public static final String BOOTSTRAP_SERVERS = "--" + OUTPUT + "bootstrap-servers";
    public static final String COMMAND_CONFIG = "--" + OUTPUT + "command-config";
    public static final String KAFKA_PROPERTY = "--" + OUTPUT + "kafka-property";

    @Option(
            names = BOOTSTRAP_SERVERS,
            paramLabel = "HOST:PORT,...",
            description =
                    "Kafka brokers that the job writes to. Default: those that it reads from.")
    private @Nullable String bootstrapServers;

    @Option(
            names = COMMAND_CONFIG,
            paramLabel = "FILE",
            description =
                    "Like --command-config, for the brokers of "
                            + BOOTSTRAP_SERVERS
                            + ", which get no property of those that the job reads from.")
    private @Nullable Path commandConfig;

    @Option(
            names = KAFKA_PROPERTY,
            paramLabel = "NAME=VALUE",
            description = "Like --kafka-property, for the brokers that the job writes to.")
    private Map<String, String> kafkaProperties = new LinkedHashMap<>();

    private @Nullable Brokers brokers;

    /**
     * The cluster that the options name. Reads the file at the first call.
     *
     * @param input the cluster if no option is given
     * @throws IllegalArgumentException as {@link BrokerOptions#brokers} does
     */
    public Brokers brokers(Brokers input) {
        if (bootstrapServers == null && commandConfig == null && kafkaProperties.isEmpty()) {
            return input;
        }
        if (brokers == null) {
            brokers =
                    BrokerOptions.brokers(OUTPUT, bootstrapServers, commandConfig, kafkaProperties);
        }
        return brokers;
    }
}
