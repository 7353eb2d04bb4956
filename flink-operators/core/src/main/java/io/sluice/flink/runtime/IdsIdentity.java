/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.WindowedOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshotSerializationUtil;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Identifies the ids that a state was made of: the scheme of each, its serializer's snapshot if
 * there is one, and a check value of the hash seed. Little-endian:
 *
 * <pre>
 *   8 bytes  check value of the seed, 0 if nothing is hashed
 *   1 byte   number of ids
 *   per id   1 byte   code of the scheme
 *            2 bytes  length of the type's name, at most {@value #MAX_NAME_BYTES}
 *            n bytes  the type's name, UTF-8, for messages
 *            4 bytes  length of the snapshot, 0 except for scheme 4
 *            n bytes  Flink's TypeSerializerSnapshot
 *   8 bytes  hash of all before
 * </pre>
 *
 * <p>Flink reads a snapshot by calling classes that its bytes name, and trusts the counts in them.
 * So Flink only gets bytes whose hash was right, and only if they differ from the present snapshot.
 */
@Internal
public final class IdsIdentity implements StateIdentity {

    private static final int MAX_NAME_BYTES = 1024;

    /** One id as it was written. */
    private record Written(int scheme, String typeName, ByteBuffer snapshot) {}

    private final List<IdHasher<?>> hashers;

    /** How many of them must have been there; what follows, contents, may have come or gone. */
    private final int required;

    private final int most;
    private final long seedCheck;
    private final ClassLoader classLoader;
    private final byte[] bytes;

    /** The bytes last found compatible; all key groups have the same ones. */
    @Nullable private byte[] compatible;

    private IdsIdentity(
            List<IdHasher<?>> hashers,
            int required,
            int most,
            long seedCheck,
            ClassLoader classLoader)
            throws IOException {
        this.hashers = List.copyOf(hashers);
        this.required = required;
        this.most = most;
        this.seedCheck = seedCheck;
        this.classLoader = requireNonNull(classLoader, "classLoader");
        this.bytes = write();
    }

    /**
     * For ids that are hashed, all with the same seed.
     *
     * @param classLoader finds the classes of ids and serializers
     */
    public static IdsIdentity ofHashed(ClassLoader classLoader, IdHasher<?>... hashers)
            throws IOException {
        long seed = hashers[0].hashing().seed();
        int count = hashers.length;
        return new IdsIdentity(List.of(hashers), count, count, SeedCheck.of(seed), classLoader);
    }

    /** For ids that are kept exactly, so the seed does not matter. */
    public static IdsIdentity ofExact(ClassLoader classLoader, IdHasher<?>... hashers)
            throws IOException {
        int count = hashers.length;
        return new IdsIdentity(List.of(hashers), count, count, SeedCheck.NONE, classLoader);
    }

    /**
     * As {@link #ofHashed}, for an id and the content beside it, if there is one: state may have
     * been written with one or without.
     */
    public static IdsIdentity ofHashedWithContent(
            ClassLoader classLoader, IdHasher<?> id, @Nullable IdHasher<?> content)
            throws IOException {
        return withContent(classLoader, id, content, SeedCheck.of(id.hashing().seed()));
    }

    /** The same for an id that is kept exactly; contents are hashed with the public seed. */
    public static IdsIdentity ofExactWithContent(
            ClassLoader classLoader, IdHasher<?> id, @Nullable IdHasher<?> content)
            throws IOException {
        return withContent(classLoader, id, content, SeedCheck.NONE);
    }

    private static IdsIdentity withContent(
            ClassLoader classLoader, IdHasher<?> id, @Nullable IdHasher<?> content, long seedCheck)
            throws IOException {
        List<IdHasher<?>> hashers = content == null ? List.of(id) : List.of(id, content);
        return new IdsIdentity(hashers, 1, 2, seedCheck, classLoader);
    }

    @Override
    public byte[] bytes() {
        return bytes.clone();
    }

    private byte[] write() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeLong(Long.reverseBytes(seedCheck));
        out.writeByte(hashers.size());
        for (IdHasher<?> hasher : hashers) {
            byte[] name = nameOf(hasher);
            byte[] snapshot = snapshotOf(hasher);
            out.writeByte(hasher.scheme().code());
            out.writeShort(Short.reverseBytes((short) name.length));
            out.write(name);
            out.writeInt(Integer.reverseBytes(snapshot.length));
            out.write(snapshot);
        }
        out.writeLong(Long.reverseBytes(Hashing.hash(out.getSharedBuffer(), 0, out.length())));
        return out.getCopyOfBuffer();
    }

    private static byte[] nameOf(IdHasher<?> hasher) {
        byte[] name = hasher.typeName().getBytes(StandardCharsets.UTF_8);
        return name.length <= MAX_NAME_BYTES ? name : Arrays.copyOf(name, MAX_NAME_BYTES);
    }

    private static byte[] snapshotOf(IdHasher<?> hasher) throws IOException {
        TypeSerializer<?> serializer = hasher.serializer();
        if (serializer == null) {
            return new byte[0];
        }
        DataOutputSerializer out = new DataOutputSerializer(256);
        TypeSerializerSnapshotSerializationUtil.writeSerializerSnapshot(
                out, serializer.snapshotConfiguration());
        return out.getCopyOfBuffer();
    }

    @Override
    public void check(byte[] written, String source) throws IOException {
        if (Arrays.equals(written, bytes) || Arrays.equals(written, compatible)) {
            return;
        }
        ByteBuffer in = verified(written, source);
        checkSeed(in.getLong(), source);
        int count = in.get() & 0xff;
        if (count < required || count > most) {
            throw corrupt(source, in, count + " ids, expected " + hashers.size());
        }
        for (int i = 0; i < count; i++) {
            Written id = read(in, source);
            if (i < hashers.size()) {
                checkId(hashers.get(i), id, source);
            }
        }
        if (in.hasRemaining()) {
            throw corrupt(source, in, in.remaining() + " bytes behind the ids");
        }
        compatible = written.clone();
    }

    /**
     * Returns the types of the ids that {@code written}, the {@link #bytes} of an identity, was
     * made of. Reads no serializer.
     *
     * @param source what is read, for messages
     * @throws CorruptFilterException if the bytes are damaged
     */
    public static List<String> typeNames(byte[] written, String source) throws IOException {
        ByteBuffer in = verified(written, source);
        in.getLong();
        int count = in.get() & 0xff;
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(read(in, source).typeName());
        }
        return names;
    }

    /** Returns the bytes without their hash, which has been checked. */
    private static ByteBuffer verified(byte[] written, String source) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(written).order(ByteOrder.LITTLE_ENDIAN);
        int length = written.length - Long.BYTES;
        if (length < Long.BYTES + 1) {
            throw corrupt(source, in, "too short for the ids it was made of");
        }
        if (in.getLong(length) != Hashing.hash(written, 0, length)) {
            throw corrupt(source, in, "the hash of the ids' types is wrong");
        }
        return in.limit(length);
    }

    private static Written read(ByteBuffer in, String source) throws IOException {
        require(in, 1 + Short.BYTES, source);
        int scheme = in.get();
        byte[] name = read(in, in.getShort() & 0xffff, source);
        require(in, Integer.BYTES, source);
        byte[] snapshot = read(in, in.getInt(), source);
        // Lenient: a long name was cut, perhaps inside a character, and only messages show it.
        return new Written(
                scheme, new String(name, StandardCharsets.UTF_8), ByteBuffer.wrap(snapshot));
    }

    private static byte[] read(ByteBuffer in, int length, String source) throws IOException {
        require(in, length, source);
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static void require(ByteBuffer in, int length, String source) throws IOException {
        if (length < 0 || length > in.remaining()) {
            throw corrupt(source, in, "an id's type ends behind its header");
        }
    }

    private void checkSeed(long writtenCheck, String source) {
        if (writtenCheck != seedCheck) {
            throw new IllegalStateException(
                    source
                            + ": ids were hashed with "
                            + SeedCheck.describe(writtenCheck)
                            + ", but hashSeed ("
                            + WindowedOptions.HASH_SEED.key()
                            + ") now gives "
                            + SeedCheck.describe(seedCheck)
                            + ": set it back, or give the operator a new uid and start it without"
                            + " this state.");
        }
    }

    private <K> void checkId(IdHasher<K> hasher, Written written, String source)
            throws IOException {
        if (written.scheme() != hasher.scheme().code()) {
            throw refused(hasher, written, source, "they are hashed differently");
        }
        TypeSerializer<K> serializer = hasher.serializer();
        if (serializer == null) {
            return;
        }
        TypeSerializerSchemaCompatibility<K> compatibility;
        try {
            TypeSerializerSnapshot<K> before =
                    TypeSerializerSnapshotSerializationUtil.readSerializerSnapshot(
                            new DataInputDeserializer(written.snapshot()), classLoader);
            compatibility = serializer.snapshotConfiguration().resolveSchemaCompatibility(before);
        } catch (IOException | RuntimeException | LinkageError e) {
            throw unreadable(hasher, written, source, e);
        }
        if (!compatibility.isCompatibleAsIs()) {
            throw refused(
                    hasher,
                    written,
                    source,
                    compatibility.isIncompatible()
                            ? "their serializers are not compatible"
                            : "their serializers write different bytes");
        }
    }

    private static Exception missingClass(Throwable problem) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (cause instanceof ClassNotFoundException missing) {
                return missing;
            }
        }
        return null;
    }

    private static IOException unreadable(
            IdHasher<?> hasher, Written written, String source, Throwable problem) {
        Exception missing = missingClass(problem);
        if (missing != null) {
            IllegalStateException refused =
                    refused(
                            hasher,
                            written,
                            source,
                            "the class " + missing.getMessage() + " is not found");
            refused.initCause(problem);
            throw refused;
        }
        CorruptFilterException corrupt =
                new CorruptFilterException(
                        source, 0, "the serializer of " + written.typeName() + " is unreadable");
        corrupt.initCause(problem);
        return corrupt;
    }

    private static IllegalStateException refused(
            IdHasher<?> hasher, Written written, String source, String reason) {
        return new IllegalStateException(
                source
                        + ": the "
                        + hasher.role()
                        + " was of type "
                        + written.typeName()
                        + ", but is now of type "
                        + hasher.typeName()
                        + ", and "
                        + reason
                        + ", so that remembered ids would not be recognised: select the former type"
                        + " again, or give the operator a new uid and start it without this"
                        + " state.");
    }

    private static CorruptFilterException corrupt(String source, ByteBuffer in, String problem) {
        return new CorruptFilterException(source, in.position(), problem);
    }
}
