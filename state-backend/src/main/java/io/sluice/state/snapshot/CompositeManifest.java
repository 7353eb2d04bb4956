/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * The part of a checkpoint that describes all other parts. It is an envelope of kind {@value
 * #KIND}, with the length of its body as the only parameter and the body, big-endian and padded to
 * 8 bytes, as payload:
 *
 * <pre>
 *   | max parallelism: 4 | first key group: 4 | last key group: 4 |
 *   | key scheme: text | key serializer: bytes |
 *   | kind of the delegate's part: 1 | delegate: text | number of offsets: 4 | offsets: 8 each |
 *   | number of offsets of the heap: 4 | offsets: 8 each |
 *   | number of states: 4 |
 *   for each state:
 *   | name: text | fpp: 8 | time-to-live: 8 | namespace scheme: text | filter's manifest: bytes |
 *   | has a sample: 1 | if it has one: file |
 *   | number of level files: 4 | files |
 * </pre>
 *
 * A file is name: text, size: 8, CRC-32C of the whole file: 4. Text is what {@code writeUTF}
 * writes; bytes are preceded by their length.
 *
 * @param maxParallelism of the operator: the number of all key groups
 * @param firstKeyGroup of the subtask
 * @param lastKeyGroup of the subtask, inclusive
 * @param keyScheme which part of a key is hashed
 * @param keySerializer Flink's snapshot of the key serializer
 * @param delegate the delegate's part
 * @param heapOffsets of the key groups in the stream of states on the heap; empty if there is none
 * @param states the membership states
 */
@Internal
@SuppressWarnings("ArrayRecordComponent") // never compared
public record CompositeManifest(
        int maxParallelism,
        int firstKeyGroup,
        int lastKeyGroup,
        String keyScheme,
        byte[] keySerializer,
        DelegatePart delegate,
        long[] heapOffsets,
        List<StatePart> states) {

    static final int KIND = 16;

    /** States on the heap have a stream of their own. Older versions are refused. */
    static final int VERSION_CURRENT = 5;

    /** How the name of a sample's file ends. */
    static final String SAMPLE_SUFFIX = ".sample";

    /** A restore creates files with these names, so none may lead to another folder. */
    private static final Pattern LEVEL_FILE = Pattern.compile("[0-9a-z-]+\\.level");

    private static final Pattern SAMPLE_FILE = Pattern.compile("[0-9a-f]+\\.sample");

    /** How the delegate's own handle travels. */
    public enum DelegateKind {
        /** The delegate had nothing to store. */
        NONE(0),
        /** Its files are stored next to ours. */
        INCREMENTAL(1),
        /** It is one stream with an offset for each key group. */
        STREAM(2);

        private final int code;

        DelegateKind(int code) {
            this.code = code;
        }

        static DelegateKind of(int code) throws IOException {
            for (DelegateKind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IOException("kind " + code + " of the delegate's part is not known");
        }
    }

    /**
     * The delegate's part.
     *
     * @param type name of the delegate, as Flink names backends
     * @param offsets of the key groups in its stream; empty for other kinds
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record DelegatePart(DelegateKind kind, String type, long[] offsets) {}

    /** A file of a membership state as it is in the checkpoint. */
    public record FilePart(String name, long sizeBytes, int crc32c) {}

    /**
     * Returns whether the file with this name holds a {@link io.sluice.filter.sample.StoredSample};
     * if not, it is a level file.
     */
    public static boolean isSample(String file) {
        return file.endsWith(SAMPLE_SUFFIX);
    }

    /**
     * A membership state.
     *
     * @param filterManifest what the filter needs to be restored from its files
     * @param sample measures its error; null if there is none
     * @param levelFiles of the filter
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record StatePart(
            MembershipInfo info,
            byte[] filterManifest,
            @Nullable FilePart sample,
            List<FilePart> levelFiles) {
        public StatePart {
            levelFiles = List.copyOf(levelFiles);
        }

        /** Returns all its files: the level files, and then the sample. */
        public List<FilePart> files() {
            List<FilePart> files = new ArrayList<>(levelFiles);
            if (sample != null) {
                files.add(sample);
            }
            return files;
        }
    }

    public CompositeManifest {
        states = List.copyOf(states);
    }

    /** The persistent form. */
    public byte[] toBytes() throws IOException {
        DataOutputSerializer body = new DataOutputSerializer(1024);
        body.writeInt(maxParallelism);
        body.writeInt(firstKeyGroup);
        body.writeInt(lastKeyGroup);
        body.writeUTF(keyScheme);
        writeBytes(keySerializer, body);
        body.writeByte(delegate.kind().code);
        body.writeUTF(delegate.type());
        writeOffsets(delegate.offsets(), body);
        writeOffsets(heapOffsets, body);
        body.writeInt(states.size());
        for (StatePart state : states) {
            write(state, body);
        }
        return envelope(body);
    }

    private static void writeOffsets(long[] offsets, DataOutputSerializer body) throws IOException {
        body.writeInt(offsets.length);
        for (long offset : offsets) {
            body.writeLong(offset);
        }
    }

    private static void write(StatePart state, DataOutputSerializer body) throws IOException {
        body.writeUTF(state.info().name());
        body.writeDouble(state.info().falsePositiveProbability());
        body.writeLong(state.info().timeToLiveMillis());
        body.writeUTF(state.info().namespaceScheme());
        writeBytes(state.filterManifest(), body);
        body.writeBoolean(state.sample() != null);
        if (state.sample() != null) {
            write(state.sample(), body);
        }
        body.writeInt(state.levelFiles().size());
        for (FilePart file : state.levelFiles()) {
            write(file, body);
        }
    }

    private static void write(FilePart file, DataOutputSerializer body) throws IOException {
        body.writeUTF(file.name());
        body.writeLong(file.sizeBytes());
        body.writeInt(file.crc32c());
    }

    private static void writeBytes(byte[] bytes, DataOutputSerializer body) throws IOException {
        body.writeInt(bytes.length);
        body.write(bytes);
    }

    private static byte[] envelope(DataOutputSerializer body) throws IOException {
        int length = body.length();
        long[] words = new long[(length + Long.BYTES - 1) / Long.BYTES];
        ByteBuffer bytes = littleEndian(words.length * Long.BYTES);
        bytes.put(body.getSharedBuffer(), 0, length).clear();
        bytes.asLongBuffer().get(words);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        KIND,
                        VERSION_CURRENT,
                        littleEndian(Integer.BYTES).putInt(length).flip(),
                        (long) words.length * Long.BYTES);
        writer.words(words, 0, words.length);
        writer.finish();
        return out.toByteArray();
    }

    /**
     * Reads what {@link #toBytes} returned.
     *
     * @param source what is read, for messages
     * @throws CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    public static CompositeManifest read(InputStream in, String source) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_CURRENT, VERSION_CURRENT);
        if (reader.parameters().remaining() != Integer.BYTES) {
            throw reader.corrupt("parameters are not the length of a body");
        }
        int length = reader.parameters().getInt();
        long wordCount = reader.payloadLeft() / Long.BYTES;
        if (length < 0
                || reader.payloadLeft() % Long.BYTES != 0
                || wordCount != ((long) length + Long.BYTES - 1) / Long.BYTES) {
            throw reader.corrupt("a body of " + length + " bytes does not fit its payload");
        }
        long[] words = reader.words((int) wordCount);
        reader.finish();
        if (in.read() >= 0) {
            throw reader.corrupt("something follows the last byte");
        }
        byte[] bytes = new byte[words.length * Long.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().put(words);
        DataInputDeserializer body = new DataInputDeserializer(bytes, 0, length);
        try {
            CompositeManifest manifest = parse(body);
            if (body.available() > 0) {
                throw new IOException(body.available() + " bytes are left over");
            }
            return manifest;
        } catch (IOException | RuntimeException e) {
            // Its checksum was right, so this is rare; but reading is total.
            CorruptFilterException corrupt =
                    reader.corrupt("the body cannot be understood: " + e.getMessage());
            corrupt.initCause(e);
            throw corrupt;
        }
    }

    private static CompositeManifest parse(DataInputDeserializer body) throws IOException {
        int maxParallelism = body.readInt();
        int firstKeyGroup = body.readInt();
        int lastKeyGroup = body.readInt();
        if (firstKeyGroup < 0 || lastKeyGroup < firstKeyGroup || lastKeyGroup >= maxParallelism) {
            throw new IOException(
                    "key groups "
                            + firstKeyGroup
                            + " to "
                            + lastKeyGroup
                            + " of "
                            + maxParallelism
                            + " are impossible");
        }
        String keyScheme = body.readUTF();
        byte[] keySerializer = readBytes(body);
        DelegateKind kind = DelegateKind.of(body.readByte());
        String type = body.readUTF();
        long[] offsets = readOffsets(body);
        long[] heapOffsets = readOffsets(body);
        if (heapOffsets.length > 0 && heapOffsets.length != lastKeyGroup - firstKeyGroup + 1) {
            throw new IOException(
                    heapOffsets.length
                            + " offsets of the heap are impossible for key groups "
                            + firstKeyGroup
                            + " to "
                            + lastKeyGroup);
        }
        int stateCount = count(body, 1);
        List<StatePart> states = new ArrayList<>();
        for (int i = 0; i < stateCount; i++) {
            states.add(parseState(body));
        }
        return new CompositeManifest(
                maxParallelism,
                firstKeyGroup,
                lastKeyGroup,
                keyScheme,
                keySerializer,
                new DelegatePart(kind, type, offsets),
                heapOffsets,
                states);
    }

    private static StatePart parseState(DataInputDeserializer body) throws IOException {
        MembershipInfo info = parseInfo(body);
        byte[] filterManifest = readBytes(body);
        FilePart sample = body.readBoolean() ? parseFile(body, SAMPLE_FILE) : null;
        int fileCount = count(body, 1);
        List<FilePart> files = new ArrayList<>();
        for (int i = 0; i < fileCount; i++) {
            files.add(parseFile(body, LEVEL_FILE));
        }
        return new StatePart(info, filterManifest, sample, files);
    }

    private static MembershipInfo parseInfo(DataInputDeserializer body) throws IOException {
        MembershipInfo info =
                new MembershipInfo(
                        body.readUTF(), body.readDouble(), body.readLong(), body.readUTF());
        double fpp = info.falsePositiveProbability();
        if (!(fpp > 0 && fpp < 1) || info.timeToLiveMillis() < 0) {
            throw new IOException(
                    "a probability of "
                            + fpp
                            + " and a time-to-live of "
                            + info.timeToLiveMillis()
                            + " ms are impossible");
        }
        return info;
    }

    private static FilePart parseFile(DataInputDeserializer body, Pattern named)
            throws IOException {
        FilePart file = new FilePart(body.readUTF(), body.readLong(), body.readInt());
        if (file.sizeBytes() < 0 || !named.matcher(file.name()).matches()) {
            throw new IOException(
                    (named == SAMPLE_FILE ? "a sample" : "a level file")
                            + " named '"
                            + file.name()
                            + "' of "
                            + file.sizeBytes()
                            + " bytes is impossible");
        }
        return file;
    }

    /** A number of things that take at least this many bytes each. */
    private static int count(DataInputDeserializer body, int bytesEach) throws IOException {
        int count = body.readInt();
        if (count < 0 || (long) count * bytesEach > body.available()) {
            throw new IOException("a count of " + count + " is impossible");
        }
        return count;
    }

    private static long[] readOffsets(DataInputDeserializer body) throws IOException {
        long[] offsets = new long[count(body, Long.BYTES)];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = body.readLong();
        }
        return offsets;
    }

    private static byte[] readBytes(DataInputDeserializer body) throws IOException {
        byte[] bytes = new byte[count(body, 1)];
        body.readFully(bytes);
        return bytes;
    }

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
