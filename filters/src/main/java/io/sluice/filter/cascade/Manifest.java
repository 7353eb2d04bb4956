/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.LevelFileInfo;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The list of a filter's level files at one moment: what is made durable, and what a snapshot and a
 * restore exchange. An envelope of kind {@value #KIND}, version 3; everything little-endian.
 *
 * <pre>
 *   parameters   | first key group: 4 | end of key groups: 4 | time: 8 | number of files: 4 |
 *                | parts of a key group: 4 | bound in force, a double: 8 |
 *   payload      for each file, newest first:
 *                | store: 8 | number: 8 |                    its name, see CascadeFileNames
 *                | size: 8 | entries: 8 | tombstones: 8 | first entry: 8 | last entry: 8 |
 *                | end of its time bucket: 8 |
 *                | bits of a hash: 4 | hash algorithm: 4 |
 *                | checksum of its footer: 4 | 0: 4 |
 *                | first key group: 4 | end of key groups: 4 |   the section that belongs to the filter
 * </pre>
 *
 * @param keyGroups of the filter; here and in the list they are parts of those that callers name
 * @param parts how callers' key groups are divided
 * @param time the last time that the filter was told, in milliseconds; {@link #NO_TIME} if none
 * @param bound the probability of a false positive that was in force, from 0 to 1
 * @param files newest first
 */
record Manifest(
        KeyGroups keyGroups, KeyGroupParts parts, long time, double bound, List<Listed> files) {

    static final int KIND = 7;

    /** Says which probability was in force; the oldest that is read. */
    static final int VERSION_3 = 3;

    static final int VERSION_CURRENT = VERSION_3;

    /** No time has been told yet. */
    static final long NO_TIME = Long.MIN_VALUE;

    private static final int PARAMETER_BYTES = 4 * Integer.BYTES + Long.BYTES + Double.BYTES;

    private static final int WORDS_PER_FILE = 11;

    /** A level file, the section of it, and the end of the time bucket of its entries. */
    record Listed(LevelFileInfo info, KeyGroups section, long bucketEnd) {}

    Manifest {
        files = List.copyOf(files);
    }

    /** The key groups as callers name them. */
    KeyGroups wholeKeyGroups() {
        return parts.whole(keyGroups);
    }

    byte[] toBytes() {
        ByteBuffer parameters = littleEndian(PARAMETER_BYTES);
        parameters.putInt(keyGroups.first()).putInt(keyGroups.end());
        parameters.putLong(time).putInt(files.size()).putInt(parts.count());
        parameters.putDouble(bound);
        long[] words = new long[files.size() * WORDS_PER_FILE];
        for (int i = 0; i < files.size(); i++) {
            put(files.get(i), words, i * WORDS_PER_FILE);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            FilterWriter writer =
                    new FilterWriter(
                            out,
                            KIND,
                            VERSION_CURRENT,
                            parameters.flip(),
                            (long) words.length * Long.BYTES);
            writer.words(words, 0, words.length);
            writer.finish();
        } catch (IOException e) {
            throw new AssertionError("a stream in memory does not fail", e);
        }
        return out.toByteArray();
    }

    private static void put(Listed file, long[] words, int from) {
        LevelFileInfo info = file.info();
        int at = from;
        words[at++] = CascadeFileNames.store(info.name());
        words[at++] = CascadeFileNames.number(info.name());
        words[at++] = info.sizeBytes();
        words[at++] = info.entries();
        words[at++] = info.tombstones();
        words[at++] = info.firstEntry();
        words[at++] = info.lastEntry();
        words[at++] = file.bucketEnd();
        words[at++] = pair(info.hashBits(), info.hashId());
        words[at++] = pair(info.checksum(), 0);
        words[at] = pair(file.section().first(), file.section().end());
    }

    /**
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    static Manifest of(byte[] bytes, String source) throws IOException {
        return read(new ByteArrayInputStream(bytes), source);
    }

    static Manifest read(InputStream in, String source) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_3, VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        if (from.remaining() != PARAMETER_BYTES) {
            throw reader.corrupt(
                    from.remaining() + " bytes of parameters, expected " + PARAMETER_BYTES);
        }
        int first = from.getInt();
        int end = from.getInt();
        long time = from.getLong();
        int count = from.getInt();
        int parts = from.getInt();
        double bound = from.getDouble();
        if (!isRange(first, end) || count < 0) {
            throw reader.corrupt(
                    "impossible: key groups " + first + " to " + end + ", and " + count + " files");
        }
        if (!(bound >= 0 && bound <= 1)) {
            throw reader.corrupt("impossible probability " + bound);
        }
        if (parts < 1 || first % parts != 0 || end % parts != 0) {
            throw reader.corrupt(
                    "key groups "
                            + first
                            + " to "
                            + end
                            + " cannot consist of "
                            + parts
                            + " parts of each");
        }
        long expected = (long) count * WORDS_PER_FILE * Long.BYTES;
        if (reader.payloadLeft() != expected || count > Integer.MAX_VALUE / WORDS_PER_FILE) {
            throw reader.corrupt(reader.payloadLeft() + " bytes of payload, expected " + expected);
        }
        long[] words = reader.words(count * WORDS_PER_FILE);
        reader.finish();
        if (in.read() >= 0) {
            throw reader.corrupt("something follows the last byte");
        }
        List<Listed> files = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            files.add(get(reader, words, i * WORDS_PER_FILE));
        }
        return new Manifest(
                new KeyGroups(first, end), new KeyGroupParts(parts), time, bound, files);
    }

    private static Listed get(FilterReader reader, long[] words, int from) throws IOException {
        int at = from;
        long store = words[at++];
        long number = words[at++];
        long sizeBytes = words[at++];
        long entries = words[at++];
        long tombstones = words[at++];
        long firstEntry = words[at++];
        long lastEntry = words[at++];
        long bucketEnd = words[at++];
        int hashBits = low(words[at]);
        int hashId = high(words[at++]);
        int checksum = low(words[at++]);
        KeyGroups section = new KeyGroups(low(words[at]), high(words[at]));
        boolean possible =
                CascadeFileNames.isNumber(number)
                        && sizeBytes > 0
                        && entries >= 0
                        && tombstones >= 0
                        && tombstones <= entries
                        && hashBits >= 1
                        && hashBits <= Entries.MAX_HASH_BITS
                        && (entries == 0 || (firstEntry >= 0 && firstEntry <= lastEntry))
                        && isRange(section.first(), section.end());
        if (!possible) {
            throw reader.corrupt("file " + from / WORDS_PER_FILE + " of the list is impossible");
        }
        LevelFileInfo info =
                new LevelFileInfo(
                        CascadeFileNames.level(store, number),
                        sizeBytes,
                        entries,
                        tombstones,
                        firstEntry,
                        lastEntry,
                        hashBits,
                        hashId,
                        checksum);
        return new Listed(info, section, bucketEnd);
    }

    private static boolean isRange(int first, int end) {
        return first >= 0 && first < end && end <= Entries.MAX_KEY_GROUPS;
    }

    private static long pair(int low, int high) {
        return (long) high << Integer.SIZE | Integer.toUnsignedLong(low);
    }

    private static int low(long pair) {
        return (int) pair;
    }

    private static int high(long pair) {
        return (int) (pair >>> Integer.SIZE);
    }

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
