/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import io.sluice.capture.AtomicFile;
import io.sluice.capture.JsonFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import java.util.zip.GZIPOutputStream;

/**
 * Stores the contents of a synthetic capture: its numbers as JSON, and its flows as CSV with a line
 * for each, in the order in which they ended. All files are written completely or not at all.
 */
public final class TrafficTruthFile {
    private static final String FORMAT = "sluice-traffic";

    /** The first version. */
    private static final int VERSION_1 = 1;

    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(Instant.class, ToStringSerializer.instance)
                                    .addSerializer(Duration.class, ToStringSerializer.instance)
                                    .addDeserializer(
                                            Instant.class,
                                            new Parsed<>(Instant.class, Instant::parse))
                                    .addDeserializer(
                                            Duration.class,
                                            new Parsed<>(Duration.class, Duration::parse)))
                    .build();

    private record Document(String format, int version, TrafficTruth truth) {}

    private TrafficTruthFile() {}

    /**
     * Writes a capture, and its flows to {@code flowList}, compressed if its name ends in {@code
     * .gz}.
     *
     * @throws IOException if one cannot be written; the list comes last, so if there is a new list,
     *     its capture exists too
     */
    public static TrafficTruth writeWithFlows(TrafficOptions options, Path target, Path flowList)
            throws IOException {
        boolean compressed = flowList.toString().endsWith(".gz");
        TrafficTruth[] truth = new TrafficTruth[1];
        AtomicFile.write(
                flowList,
                out -> {
                    OutputStream to = compressed ? new GZIPOutputStream(out) : out;
                    try (Writer lines =
                            new BufferedWriter(
                                    new OutputStreamWriter(to, StandardCharsets.US_ASCII))) {
                        lines.write(SeenFlow.CSV_HEADER + "\n");
                        truth[0] =
                                TrafficGenerator.write(
                                        options, target, flow -> lines.write(flow.toCsv() + "\n"));
                    }
                });
        return truth[0];
    }

    /**
     * Writes {@code truth} to {@code target}.
     *
     * @throws IOException if that fails; nothing half-written is left
     */
    public static void write(Path target, TrafficTruth truth) throws IOException {
        Document document = new Document(FORMAT, VERSION_1, truth);
        AtomicFile.write(target, out -> out.write(JSON.writeValueAsBytes(document)));
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IOException if it is missing or damaged, or has another format or version
     */
    public static TrafficTruth read(Path source) throws IOException {
        Document document =
                JsonFile.read(
                        source,
                        JSON,
                        Document.class,
                        problem ->
                                new IOException(
                                        source + ": is not a truth of traffic: " + problem));
        if (!FORMAT.equals(document.format()) || document.version() != VERSION_1) {
            throw new IOException(
                    source
                            + ": is "
                            + document.format()
                            + " version "
                            + document.version()
                            + ", not "
                            + FORMAT
                            + " version "
                            + VERSION_1
                            + ": use the program that wrote it");
        }
        if (document.truth() == null) {
            throw new IOException(source + ": holds no truth: generate the capture again");
        }
        return document.truth();
    }

    /** Reads a value of java.time from its text. */
    private static final class Parsed<T> extends FromStringDeserializer<T> {
        private static final long serialVersionUID = 1;

        private final transient Function<String, T> parser;

        Parsed(Class<T> type, Function<String, T> parser) {
            super(type);
            this.parser = parser;
        }

        @Override
        protected T _deserialize(String value, DeserializationContext context) {
            return parser.apply(value);
        }
    }
}
