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
public final class RegistryArguments {
    static final String SCHEMA_REGISTRY = "--schema-registry";
    static final String SCHEMA_REGISTRY_CONFIG = "--schema-registry-config";

    @Option(
            names = SCHEMA_REGISTRY,
            paramLabel = "URL,...",
            description =
                    "Schema registry with Confluent's HTTP interface, for what is in Avro, as in"
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
     * @param needing what is in Avro; null if nothing is
     * @throws IllegalArgumentException if an option is missing, has no effect, or is wrong
     */
    void check(@Nullable String needing) {
        if (url == null && needing != null) {
            throw new IllegalArgumentException(
                    needing + " needs " + SCHEMA_REGISTRY + " URL, as in http://localhost:8081");
        }
        if (url != null && needing == null) {
            throw new IllegalArgumentException(
                    SCHEMA_REGISTRY
                            + " has no effect without a field in Avro: leave it out, or give "
                            + MessageArguments.ID
                            + " avro:/POINTER, or write in Avro");
        }
        check();
    }

    /**
     * Reads the file, where values may be in Avro or not.
     *
     * @throws IllegalArgumentException if an option is missing or wrong
     */
    public void check() {
        if (url == null && config != null) {
            throw new IllegalArgumentException(
                    SCHEMA_REGISTRY_CONFIG
                            + " needs "
                            + SCHEMA_REGISTRY
                            + " URL, as in http://localhost:8081");
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

    /** Returns the registry; null if none is given. */
    @Nullable
    public SchemaRegistry registry() {
        return registry;
    }
}
