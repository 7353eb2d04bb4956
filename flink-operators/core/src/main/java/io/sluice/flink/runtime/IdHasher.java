/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.hash.SeededHashing;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Turns an id into the one 64-bit hash that every structure takes, and into the key by which Flink
 * distributes records and keeps exact state. What is hashed is part of the state's format, recorded
 * as its {@link #scheme}:
 *
 * <table>
 *   <caption>Schemes</caption>
 *   <tr><th>code</th><th>type of the id</th><th>hashed bytes</th><th>key</th></tr>
 *   <tr><td>1</td><td>{@code Long}, {@code Integer}, {@code Short}, {@code Byte}</td><td>the number
 *       as a 64-bit integer, so that an id may become wider or narrower later</td><td>the number as
 *       a {@code Long}</td></tr>
 *   <tr><td>2</td><td>{@code String}</td><td>its UTF-16 code units</td><td>itself</td></tr>
 *   <tr><td>3</td><td>{@code byte[]}</td><td>its bytes</td><td>the text that has a char per
 *       byte</td></tr>
 *   <tr><td>5</td><td>{@code UUID}</td><td>its 128 bits, the highest first</td><td>the text that
 *       has a char per byte</td></tr>
 *   <tr><td>4</td><td>all others</td><td>what the type's {@code TypeSerializer} writes</td><td>the
 *       text that has a char per byte written</td></tr>
 * </table>
 *
 * <p>So hash and key depend only on an id's value, not on its {@code hashCode()}, which differs
 * between JVMs if the id contains an enum or an array. Numbers inside other types are written in
 * their own width: {@code Tuple2<Integer, X>} and {@code Tuple2<Long, X>} differ. The serializer
 * decides whether a null inside an id can be written: tuples refuse it; rows, POJOs and {@code
 * NullableSerializer} do not.
 *
 * <p>Types whose equal values may have unequal bytes are refused, however deeply nested: maps,
 * sets, fractions, and everything that Flink would hand to Kryo, a {@code UUID} inside others
 * included. A user-defined {@code TypeInformation} must have a serializer that writes equal values
 * as equal bytes; so must the subclasses of a POJO.
 *
 * <p>Hashing does not allocate (scheme 4 reuses its buffer). Not thread-safe.
 *
 * @param <K> type of the ids
 */
@Internal
public final class IdHasher<K> implements Serializable {

    /** What is hashed; the codes are persistent. */
    public enum Scheme {
        NUMBER(1),
        STRING(2),
        BYTES(3),
        SERIALIZED(4),
        UUID(5);

        private final int code;

        Scheme(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }
    }

    private static final int FIRST_BUFFER_BYTES = 64;

    private final String role;
    private final Scheme scheme;
    private final String typeName;
    @Nullable private final TypeSerializer<K> serializer;
    private final SeededHashing hashing;
    @Nullable private transient DataOutputSerializer buffer;

    private IdHasher(
            String role,
            Scheme scheme,
            String typeName,
            @Nullable TypeSerializer<K> serializer,
            SeededHashing hashing) {
        this.role = role;
        this.scheme = scheme;
        this.typeName = typeName;
        this.serializer = serializer;
        this.hashing = hashing;
    }

    /**
     * Returns the hasher for ids of {@code type}, with the public seed.
     *
     * @throws IllegalArgumentException if equal ids may have unequal bytes
     */
    public static <K> IdHasher<K> of(TypeInformation<K> type, SerializerConfig config) {
        return of("id", type, config, Hashing.SEED);
    }

    /**
     * As {@link #of(TypeInformation, SerializerConfig)}.
     *
     * @param role how messages name what is hashed: "id"
     * @param seed seed of the hash function, a secret unless it is 0
     */
    public static <K> IdHasher<K> of(
            String role, TypeInformation<K> type, SerializerConfig config, long seed) {
        Scheme scheme = schemeOf(type);
        SeededHashing hashing = SeededHashing.of(seed);
        if (scheme != Scheme.SERIALIZED) {
            return new IdHasher<>(role, scheme, type.toString(), null, hashing);
        }
        IdTypes.requireEqualBytes(role, type);
        TypeSerializer<K> serializer = type.createSerializer(config);
        return new IdHasher<>(role, scheme, type.toString(), serializer, hashing);
    }

    /**
     * As {@link #of(String, TypeInformation, SerializerConfig, long)}, for values that are also
     * looked up by {@code equals} and {@code hashCode}.
     *
     * @throws IllegalArgumentException also if there are arrays, or classes without {@code
     *     hashCode()}
     */
    public static <K> IdHasher<K> ofHashable(
            String role, TypeInformation<K> type, SerializerConfig config, long seed) {
        IdHasher<K> hasher = of(role, type, config, seed);
        IdTypes.requireEqualBytesAndHashCode(role, type);
        return hasher;
    }

    /** Returns whether ids of either type are integers, which are equal by value. */
    public static boolean areBothNumbers(TypeInformation<?> one, TypeInformation<?> other) {
        return schemeOf(one) == Scheme.NUMBER && schemeOf(other) == Scheme.NUMBER;
    }

    private static Scheme schemeOf(TypeInformation<?> type) {
        Class<?> idClass = type.getTypeClass();
        if (idClass == Long.class
                || idClass == Integer.class
                || idClass == Short.class
                || idClass == Byte.class) {
            return Scheme.NUMBER;
        }
        if (idClass == String.class) {
            return Scheme.STRING;
        }
        if (idClass == UUID.class) {
            return Scheme.UUID;
        }
        return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO.equals(type)
                ? Scheme.BYTES
                : Scheme.SERIALIZED;
    }

    /** Returns how messages name what is hashed. */
    public String role() {
        return role;
    }

    /** Returns what is hashed. */
    public Scheme scheme() {
        return scheme;
    }

    /** Returns the type of the ids, for messages. */
    public String typeName() {
        return typeName;
    }

    /** Returns what writes ids in {@link Scheme#SERIALIZED}, else null. */
    @Nullable
    TypeSerializer<K> serializer() {
        return serializer;
    }

    /** Returns the hash function. */
    public SeededHashing hashing() {
        return hashing;
    }

    /**
     * Returns the hash of {@code id}.
     *
     * @throws IOException if the id's serializer fails
     */
    public long hash(K id) throws IOException {
        requireId(id);
        return switch (scheme) {
            case NUMBER -> hashing.hash(((Number) id).longValue());
            case STRING -> hashing.hash((String) id);
            case BYTES -> hashing.hash((byte[]) id);
            case UUID, SERIALIZED -> {
                DataOutputSerializer written = write(id);
                yield hashing.hash(written.getSharedBuffer(), 0, written.length());
            }
        };
    }

    /**
     * Puts the hash of {@code id} into {@code into}, and the {@code hashCode()} of its {@link
     * #key}.
     *
     * @throws IOException if the id's serializer fails
     */
    public void hash(K id, HashedId into) throws IOException {
        requireId(id);
        switch (scheme) {
            case NUMBER -> {
                long number = ((Number) id).longValue();
                into.set(hashing.hash(number), Long.hashCode(number));
            }
            case STRING -> {
                String text = (String) id;
                into.set(hashing.hash(text), text.hashCode());
            }
            case BYTES -> {
                byte[] bytes = (byte[]) id;
                into.set(hashing.hash(bytes), textHashCode(bytes, bytes.length));
            }
            case UUID, SERIALIZED -> {
                DataOutputSerializer written = write(id);
                byte[] bytes = written.getSharedBuffer();
                int length = written.length();
                into.set(hashing.hash(bytes, 0, length), textHashCode(bytes, length));
            }
        }
    }

    /**
     * Returns the key of {@code id}; a null id also has a key, which is not null. Allocates it
     * unless the id is a {@code Long} or a {@code String}.
     *
     * @throws IOException if the id's serializer fails
     */
    public Object key(@Nullable K id) throws IOException {
        return switch (scheme) {
            case NUMBER -> id == null ? 0L : id instanceof Long ? id : ((Number) id).longValue();
            case STRING -> id == null ? "" : id;
            case BYTES -> id == null ? "" : text((byte[]) id, ((byte[]) id).length);
            case UUID, SERIALIZED -> id == null ? "" : writtenText(id);
        };
    }

    /** Returns the type of {@link #key}. */
    @SuppressWarnings("unchecked")
    public TypeInformation<Object> keyType() {
        TypeInformation<?> type = scheme == Scheme.NUMBER ? Types.LONG : Types.STRING;
        return (TypeInformation<Object>) type;
    }

    private String writtenText(K id) throws IOException {
        DataOutputSerializer written = write(id);
        return text(written.getSharedBuffer(), written.length());
    }

    /** Latin-1 has one char per byte, so texts are equal if and only if the bytes are. */
    private static String text(byte[] bytes, int length) {
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }

    /** {@code text(bytes, length).hashCode()}, without allocating. */
    private static int textHashCode(byte[] bytes, int length) {
        int hash = 0;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + (bytes[i] & 0xff);
        }
        return hash;
    }

    private DataOutputSerializer write(K id) throws IOException {
        if (buffer == null) {
            buffer = new DataOutputSerializer(FIRST_BUFFER_BYTES);
        }
        buffer.clear();
        if (id instanceof UUID uuid) {
            buffer.writeLong(uuid.getMostSignificantBits());
            buffer.writeLong(uuid.getLeastSignificantBits());
        } else {
            requireNonNull(serializer, "serializer").serialize(id, buffer);
        }
        return buffer;
    }

    private void requireId(@Nullable K id) {
        if (id == null) {
            throw new IllegalArgumentException(
                    "A record's "
                            + role
                            + " must not be null: filter such records before, or give them an"
                            + " id of their own.");
        }
    }
}
