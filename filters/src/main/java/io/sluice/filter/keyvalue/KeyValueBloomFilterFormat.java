/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Persistent form of a {@link KeyValueBloomFilter}: an envelope ({@link io.sluice.filter.format})
 * of kind {@value #KIND}.
 *
 * <pre>
 *   parameters: values (4), code (1), tag bits (1), counter bits (1), probes (1),
 *               cells per probe (8), seed (8), capacity (8), most filters (4), exact keys that
 *               there may be (4), refused (8), exact keys that there are (4), filters (4),
 *               keys of each filter, oldest first (8 each)
 *   payload:    the words of each filter; hash and value (8 each) of each exact key, by hash
 * </pre>
 */
final class KeyValueBloomFilterFormat {

    static final int KIND = 5;

    /** Cells of mixed hashes; in the first version hashes were hardly mixed. */
    static final int VERSION_2 = 2;

    static final int VERSION_CURRENT = VERSION_2;

    private static final int FIXED_BYTES = 5 * Integer.BYTES + 4 * Byte.BYTES + 4 * Long.BYTES;

    /** More than any filter reaches: a reader that goes on counting from here does not overflow. */
    private static final long MAX_KEYS = 1L << 40;

    private static final long MAX_REFUSED = 1L << 62;

    private KeyValueBloomFilterFormat() {}

    static void write(KeyValueBloomFilter filter, OutputStream out) throws IOException {
        KeyValueShape shape = filter.shape();
        ExactKeys exact = filter.exact();
        int tables = filter.tables().length;
        ByteBuffer parameters =
                ByteBuffer.allocate(FIXED_BYTES + tables * Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(shape.values())
                        .put((byte) shape.code().code())
                        .put((byte) shape.tagBits())
                        .put((byte) shape.counterBits())
                        .put((byte) shape.probes())
                        .putLong(shape.cellsPerProbe())
                        .putLong(shape.seed())
                        .putLong(filter.capacity())
                        .putInt(filter.mostFilters())
                        .putInt(exact.capacity())
                        .putLong(Math.min(filter.refused(), MAX_REFUSED))
                        .putInt(exact.size())
                        .putInt(tables);
        for (CellTable table : filter.tables()) {
            parameters.putLong(Math.min(table.keys(), MAX_KEYS));
        }
        long words = tables * shape.words() + 2L * exact.size();
        FilterWriter writer =
                new FilterWriter(out, KIND, VERSION_CURRENT, parameters.flip(), words * Long.BYTES);
        for (CellTable table : filter.tables()) {
            table.words().writeTo(writer);
        }
        long[] entry = new long[2];
        for (long hash : exact.sortedHashes()) {
            entry[0] = hash;
            entry[1] = exact.get(hash);
            writer.words(entry, 0, 2);
        }
        writer.finish();
    }

    static KeyValueBloomFilter read(InputStream in, String source, Storage storage)
            throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_CURRENT, VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        List<Words> words = new ArrayList<>();
        try {
            KeyValueShape shape = readShape(from, reader);
            long capacity = from.getLong();
            int mostFilters = from.getInt();
            int mostExact = from.getInt();
            long refused = from.getLong();
            int exactKeys = from.getInt();
            int tables = from.getInt();
            if (capacity < 1
                    || mostFilters < 1
                    || mostFilters > KeyValueBloomFilterBuilder.MAX_FILTERS
                    || mostExact < 0
                    || mostExact > KeyValueBloomFilterBuilder.MAX_EXACT_KEYS
                    || refused < 0
                    || refused > MAX_REFUSED
                    || exactKeys < 0
                    || exactKeys > mostExact
                    || tables < 1
                    || tables > mostFilters
                    || from.remaining() != tables * Long.BYTES
                    || reader.payloadLeft()
                            != (tables * shape.words() + 2L * exactKeys) * Long.BYTES) {
                throw reader.corrupt("impossible parameters of a key-value Bloom filter");
            }
            for (int i = 0; i < tables; i++) {
                words.add(Words.readFrom(reader, storage, shape.words()));
            }
            long[] exact = reader.words(2 * exactKeys);
            reader.finish();
            // Only now, because making the code may take longer than reading the bytes.
            KeyValueBloomFilter filter =
                    KeyValueBloomFilter.unfilled(shape, capacity, mostFilters, mostExact, storage);
            for (Words table : words) {
                long keys = from.getLong();
                if (keys < 0
                        || keys > Math.min(capacity, MAX_KEYS)
                        || !filter.addTable(table).restore(keys)) {
                    throw reader.corrupt("cells that do not hold " + keys + " keys");
                }
            }
            restoreExact(filter, exact, reader);
            filter.restore(refused);
            return filter;
        } catch (BufferUnderflowException e) {
            words.forEach(Words::release);
            throw reader.corrupt("parameters end too early");
        } catch (IOException | RuntimeException | Error e) {
            words.forEach(Words::release);
            throw e;
        }
    }

    private static void restoreExact(
            KeyValueBloomFilter filter, long[] entries, FilterReader reader) throws IOException {
        for (int i = 0; i < entries.length; i += 2) {
            long value = entries[i + 1];
            if (value < 0 || value >= filter.values()) {
                throw reader.corrupt("an exact key with value " + value);
            }
            filter.exact().put(entries[i], (int) value);
        }
        if (filter.exact().size() != entries.length / 2) {
            throw reader.corrupt("an exact key occurs twice");
        }
    }

    private static KeyValueShape readShape(ByteBuffer from, FilterReader reader)
            throws IOException {
        int values = from.getInt();
        CodeKind code = CodeKind.ofCode(from.get());
        int tagBits = from.get();
        int counterBits = from.get();
        int probes = from.get();
        long cellsPerProbe = from.getLong();
        long seed = from.getLong();
        if (code == null) {
            throw reader.corrupt("an unknown code");
        }
        try {
            return new KeyValueShape(
                    values, code, tagBits, counterBits, probes, cellsPerProbe, seed);
        } catch (IllegalArgumentException e) {
            throw reader.corrupt("an impossible shape: " + e.getMessage());
        }
    }
}
