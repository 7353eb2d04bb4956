/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import static java.util.Objects.requireNonNull;

import io.sluice.message.SchemaRegistry;
import java.io.IOException;
import java.util.Collection;
import javax.annotation.Nullable;
import org.apache.avro.Schema;
import picocli.CommandLine.Option;

/** The option that says what the results of a job are written in. */
public final class OutputFormatArguments {
    public static final String OUTPUT_FORMAT = "--output-format";

    /** What results are written in. */
    enum OutputFormat {
        JSON,
        /** {@link AvroTopicSchema}. */
        AVRO
    }

    @Option(
            names = OUTPUT_FORMAT,
            defaultValue = "json",
            paramLabel = "FORMAT",
            description =
                    "What values of counters and reports of machines are written in: 'json', or"
                            + " 'avro', whose schema is registered at --schema-registry for the"
                            + " subject TOPIC-value of each topic of them. Default:"
                            + " ${DEFAULT-VALUE}.")
    private OutputFormat format;

    /** Returns whether it is Avro. */
    public boolean isAvro() {
        return format == OutputFormat.AVRO;
    }

    /** Returns what the job writes in Avro; null if nothing. */
    @Nullable
    public String inAvro() {
        return isAvro() ? OUTPUT_FORMAT + " avro" : null;
    }

    /**
     * Registers the schema of results in Avro for the values of their topics; of others it does
     * nothing.
     *
     * @throws IOException if the registry does not answer, or a subject has another schema
     */
    public void register(
            @Nullable SchemaRegistry registry, Collection<String> topics, Schema schema)
            throws IOException {
        if (isAvro()) {
            for (String topic : topics) {
                AvroTopicSchema.register(requireNonNull(registry), topic, schema.toString());
            }
        }
    }

    /**
     * Refuses Avro, where the records are packets.
     *
     * @param results what the job writes
     */
    public void refuseOfPackets(String results) {
        if (isAvro()) {
            throw new IllegalArgumentException(
                    OUTPUT_FORMAT
                            + " avro is for records of any kind: leave it out, since "
                            + results
                            + " of packets are written in JSON");
        }
    }
}
