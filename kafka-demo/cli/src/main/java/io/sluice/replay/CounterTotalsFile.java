/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.capture.AtomicFile;
import io.sluice.record.CounterKind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import java.util.zip.Checksum;

/**
 * The true values of the counters as a file. Little-endian:
 *
 * <pre>
 *  4  magic: the letters S L T C
 *  4  version
 *  4  number of kinds; then for each kind
 *     4  kind: 1 source, 2 service
 *     4  number of counters; then for each counter, in ascending order of keys,
 *        8  key
 *        8  operations
 *        8  bytes
 *        8  sends
 *        8  sends beyond the window
 *  4  CRC-32C of everything before it
 * </pre>
 */
final class CounterTotalsFile {
    /** The first version: as described above. */
    static final int VERSION_1 = 1;

    private static final int MAGIC = 'S' | 'L' << 8 | 'T' << 16 | 'C' << 24;
    private static final int COUNTER_BYTES = 5 * Long.BYTES;

    private CounterTotalsFile() {}

    /** Writes the file, and returns its checksum. */
    static long write(Path target, Map<CounterKind, CounterTotals> counters) throws IOException {
        Checksum checksum = new CRC32C();
        AtomicFile.write(target, out -> write(out, checksum, counters));
        return checksum.getValue();
    }

    private static void write(
            OutputStream out, Checksum checksum, Map<CounterKind, CounterTotals> counters)
            throws IOException {
        CheckedOutputStream checked = new CheckedOutputStream(out, checksum);
        ByteBuffer buffer = ByteBuffer.allocate(COUNTER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        put(checked, buffer.clear().putInt(MAGIC).putInt(VERSION_1).putInt(counters.size()));
        for (Map.Entry<CounterKind, CounterTotals> entry : new TreeMap<>(counters).entrySet()) {
            CounterTotals totals = entry.getValue();
            put(checked, buffer.clear().putInt(codeOf(entry.getKey())).putInt(totals.size()));
            totals.forEach(
                    (key, operations, bytes, sends, beyond) ->
                            put(
                                    checked,
                                    buffer.clear()
                                            .putLong(key)
                                            .putLong(operations)
                                            .putLong(bytes)
                                            .putLong(sends)
                                            .putLong(beyond)));
        }
        put(out, buffer.clear().putInt((int) checksum.getValue()));
    }

    private static void put(OutputStream out, ByteBuffer buffer) throws IOException {
        out.write(buffer.array(), buffer.arrayOffset(), buffer.position());
    }

    /**
     * Reads the file.
     *
     * @throws IOException if it has another format, is damaged, or does not match {@code checksum}
     */
    static Map<CounterKind, CounterTotals> read(Path source, long checksum) throws IOException {
        byte[] bytes = Files.readAllBytes(source);
        if (bytes.length < 4 * Integer.BYTES) {
            throw corrupt(source, bytes.length, "is too short");
        }
        int body = bytes.length - Integer.BYTES;
        Checksum computed = new CRC32C();
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        computed.update(bytes, 0, body);
        if (buffer.getInt() != MAGIC) {
            throw corrupt(source, 0, "is not a file of counters");
        }
        int version = buffer.getInt();
        if (version != VERSION_1) {
            throw new IOException(
                    source
                            + ": version "
                            + version
                            + " is not read, only version "
                            + VERSION_1
                            + ": use the program that wrote it");
        }
        if (buffer.getInt(body) != (int) computed.getValue()) {
            throw corrupt(source, body, "has a wrong checksum");
        }
        if (computed.getValue() != checksum) {
            throw corrupt(source, body, "belongs to another truth file");
        }
        buffer.limit(body);
        Map<CounterKind, CounterTotals> counters = new EnumMap<>(CounterKind.class);
        int kinds = buffer.getInt();
        for (int i = 0; i < kinds; i++) {
            requireLeft(source, buffer, 2L * Integer.BYTES);
            CounterKind kind = kindOf(source, buffer.position(), buffer.getInt());
            int size = buffer.getInt();
            requireLeft(source, buffer, (long) size * COUNTER_BYTES);
            if (counters.put(kind, readCounters(source, buffer, size)) != null) {
                throw corrupt(source, buffer.position(), "has a counter kind twice");
            }
        }
        if (buffer.hasRemaining()) {
            throw corrupt(source, buffer.position(), "has bytes too many");
        }
        if (counters.size() < CounterKind.values().length) {
            throw corrupt(source, body, "lacks counters of a kind");
        }
        return counters;
    }

    private static CounterTotals readCounters(Path source, ByteBuffer buffer, int size)
            throws IOException {
        CounterTotals totals = new CounterTotals();
        long before = Long.MIN_VALUE;
        for (int i = 0; i < size; i++) {
            int at = buffer.position();
            long key = buffer.getLong();
            long operations = buffer.getLong();
            long bytes = buffer.getLong();
            long sends = buffer.getLong();
            long beyond = buffer.getLong();
            if (i > 0 && key <= before) {
                throw corrupt(source, at, "has keys that are not ascending");
            }
            if (operations < 0 || bytes < 0 || beyond < 0) {
                throw corrupt(source, at, "has a counter with a negative number");
            }
            if (sends <= 0) {
                throw corrupt(source, at, "has a counter without sends");
            }
            totals.put(key, operations, bytes, sends, beyond);
            before = key;
        }
        return totals;
    }

    private static void requireLeft(Path source, ByteBuffer buffer, long bytes) throws IOException {
        if (bytes < 0 || buffer.remaining() < bytes) {
            throw corrupt(source, buffer.position(), "ends early");
        }
    }

    private static int codeOf(CounterKind kind) {
        return switch (kind) {
            case SOURCE -> 1;
            case SERVICE -> 2;
        };
    }

    private static CounterKind kindOf(Path source, int offset, int code) throws IOException {
        return switch (code) {
            case 1 -> CounterKind.SOURCE;
            case 2 -> CounterKind.SERVICE;
            default -> throw corrupt(source, offset, "has a counter kind " + code);
        };
    }

    private static IOException corrupt(Path source, long offset, String problem) {
        return new IOException(
                source + ": " + problem + " at offset " + offset + ": replay the capture again");
    }
}
