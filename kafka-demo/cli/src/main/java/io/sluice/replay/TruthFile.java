/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.capture.AtomicFile;
import io.sluice.capture.JsonFile;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Stores a {@link Truth}: a JSON file for the summary, and beside it a binary file for the
 * counters, {@code truth.counters} for {@code truth.json}. The JSON file names the other and its
 * checksum and is written last, so a mismatched pair is noticed. Both are written completely or not
 * at all.
 */
public final class TruthFile {
    private static final String FORMAT = "sluice-truth";

    /** The first version. */
    private static final int VERSION_1 = 1;

    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .build();

    private record Document(
            String format, int version, TruthSummary summary, CountersReference counters) {}

    private record CountersReference(String file, long crc32c, Map<String, KindSums> kinds) {}

    private record KindSums(long counters, long operations, long bytes, long sends) {}

    private TruthFile() {}

    /**
     * Writes {@code truth} to {@code target} and its neighbour, replacing both.
     *
     * @throws IOException if that fails; nothing half-written is left
     */
    public static void write(Path target, Truth truth) throws IOException {
        Path counters = countersFileOf(target);
        long checksum = CounterTotalsFile.write(counters, truth.counters());
        Map<String, KindSums> sums = new TreeMap<>();
        truth.counters().forEach((kind, totals) -> sums.put(kind.code(), sumsOf(totals)));
        Document document =
                new Document(
                        FORMAT,
                        VERSION_1,
                        truth.summary(),
                        new CountersReference(counters.getFileName().toString(), checksum, sums));
        AtomicFile.write(target, out -> out.write(JSON.writeValueAsBytes(document)));
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IOException if a file is missing or damaged, or has another format or version
     */
    public static Truth read(Path source) throws IOException {
        Document document =
                JsonFile.read(
                        source,
                        JSON,
                        Document.class,
                        problem -> new IOException(source + ": is not a truth file: " + problem));
        if (!FORMAT.equals(document.format())) {
            throw new IOException(source + ": is not a truth file: its format is not " + FORMAT);
        }
        if (document.version() != VERSION_1) {
            throw new IOException(
                    source
                            + ": version "
                            + document.version()
                            + " is not read, only version "
                            + VERSION_1
                            + ": use the program that wrote it");
        }
        if (document.summary() == null || document.counters() == null) {
            throw new IOException(
                    source + ": lacks its numbers or its counters: replay the capture again");
        }
        Path counters = neighbour(source, document.counters().file());
        return new Truth(
                document.summary(), CounterTotalsFile.read(counters, document.counters().crc32c()));
    }

    private static Path neighbour(Path source, String name) throws IOException {
        try {
            Path file = source.resolveSibling(name == null ? "" : name);
            Path last = file.getFileName();
            if (last != null && last.toString().equals(name)) {
                return file;
            }
        } catch (InvalidPathException e) {
            throw new IOException(source + ": names no file of counters: " + e.getMessage(), e);
        }
        throw new IOException(source + ": names no file of counters beside it: " + name);
    }

    /** The file of counters beside the truth file {@code target}. */
    static Path countersFileOf(Path target) {
        String name = target.getFileName().toString();
        String stem = name.endsWith(".json") ? name.substring(0, name.length() - 5) : name;
        return target.resolveSibling(stem + ".counters");
    }

    private static KindSums sumsOf(CounterTotals totals) {
        long[] sums = new long[3];
        totals.forEach(
                (key, operations, bytes, sends, beyond) -> {
                    sums[0] += operations;
                    sums[1] += bytes;
                    sums[2] += sends;
                });
        return new KindSums(totals.size(), sums[0], sums[1], sums[2]);
    }
}
