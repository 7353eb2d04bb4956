/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.kafka.BrokerOptions;
import io.sluice.message.SchemaRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** The options that say where schemas are. */
final class RegistryArguments {
    static final String SCHEMA_REGISTRY = "--schema-registry";
    static final String SCHEMA_REGISTRY_CONFIG = "--schema-registry-config";

    @Option(
            names = SCHEMA_REGISTRY,
            paramLabel = "URL,...",
            description =
                    "Schema registry with Confluent's HTTP interface, for fields in Avro, as in"
                            + " http://localhost:8081; of several the first that answers is asked.")
    private @Nullable String url;

    @Option(
            names = SCHEMA_REGISTRY_CONFIG,
            paramLabel = "FILE",
            description =
                    "A properties file with the login there: basic.auth.user.info=NAME:PASSWORD, or"
                            + " bearer.auth.token. Make it readable by its owner only.")
    private @Nullable Path config;

    private @Nullable SchemaRegistry registry;

    /**
     * Reads the file.
     *
     * @param isNeeded whether a field is in Avro
     * @throws IllegalArgumentException if an option is missing, has no effect, or is wrong
     */
    void check(boolean isNeeded) {
        if (url == null && (isNeeded || config != null)) {
            throw new IllegalArgumentException(
                    (isNeeded ? "a field in Avro" : SCHEMA_REGISTRY_CONFIG)
                            + " needs "
                            + SCHEMA_REGISTRY
                            + " URL, as in http://localhost:8081");
        }
        if (url != null && !isNeeded) {
            throw new IllegalArgumentException(
                    SCHEMA_REGISTRY
                            + " has no effect without a field in Avro: leave it out, or give "
                            + MessageArguments.ID
                            + " avro:/POINTER");
        }
        if (url != null) {
            Map<String, String> properties = BrokerOptions.read(config, SCHEMA_REGISTRY_CONFIG);
            try {
                registry = SchemaRegistry.at(url, properties);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(SCHEMA_REGISTRY + ": " + e.getMessage(), e);
            }
        }
    }

    /** Returns the options that were given, by their names. */
    Stream<String> given() {
        return MessageArguments.given(SCHEMA_REGISTRY, url, SCHEMA_REGISTRY_CONFIG, config);
    }

    /** Null if no field is in Avro. */
    @Nullable
    SchemaRegistry registry() {
        return registry;
    }
}
