/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Turns an id into the one 64-bit hash that every structure takes. What is hashed belongs to the
 * format of the state, as its {@link #scheme}:
 *
 * <table>
 *   <caption>Schemes</caption>
 *   <tr><th>code</th><th>type of the id</th><th>hashed bytes</th></tr>
 *   <tr><td>1</td><td>{@code Long}, {@code Integer}</td><td>the number as a 64-bit integer, so that
 *       an id may become a {@code Long} later</td></tr>
 *   <tr><td>2</td><td>{@code String}</td><td>its UTF-16 code units</td></tr>
 *   <tr><td>3</td><td>{@code byte[]}</td><td>its bytes</td></tr>
 *   <tr><td>4</td><td>all others</td><td>what the type's {@code TypeSerializer} writes</td></tr>
 * </table>
 *
 * <p>Hashing allocates nothing (scheme 4 writes into a buffer that is used again). Types that Flink
 * would hand to Kryo are refused: equal objects may have different Kryo bytes. Not thread-safe.
 *
 * @param <K> type of the ids
 */
public final class IdHasher<K> implements Serializable {

    /** What is hashed; the codes are persistent. */
    public enum Scheme {
        NUMBER(1),
        STRING(2),
        BYTES(3),
        SERIALIZED(4);

        private final int code;

        Scheme(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }
    }

    private static final int FIRST_BUFFER_BYTES = 64;

    private final Scheme scheme;
    @Nullable private final TypeSerializer<K> serializer;
    @Nullable private transient DataOutputSerializer buffer;

    private IdHasher(Scheme scheme, @Nullable TypeSerializer<K> serializer) {
        this.scheme = scheme;
        this.serializer = serializer;
    }

    /**
     * The hasher for ids of {@code type}.
     *
     * @throws IllegalArgumentException if only Kryo could write the type
     */
    public static <K> IdHasher<K> of(TypeInformation<K> type, SerializerConfig config) {
        Class<K> idClass = type.getTypeClass();
        if (idClass == Long.class || idClass == Integer.class) {
            return new IdHasher<>(Scheme.NUMBER, null);
        }
        if (idClass == String.class) {
            return new IdHasher<>(Scheme.STRING, null);
        }
        if (PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO.equals(type)) {
            return new IdHasher<>(Scheme.BYTES, null);
        }
        if (type instanceof GenericTypeInfo) {
            throw new IllegalArgumentException(
                    "The id must be of a type that Flink serializes itself, but "
                            + type
                            + " would be written by Kryo, whose bytes may differ between equal ids:"
                            + " select a long, a String, a byte[] or a POJO, or give the id's type"
                            + " information.");
        }
        return new IdHasher<>(Scheme.SERIALIZED, type.createSerializer(config));
    }

    /** What is hashed. */
    public Scheme scheme() {
        return scheme;
    }

    /**
     * The hash of {@code id}.
     *
     * @throws IOException if the id's serializer fails
     */
    public long hash(K id) throws IOException {
        return switch (scheme) {
            case NUMBER -> Hashing.hash(((Number) requireId(id)).longValue());
            case STRING -> Hashing.hash((CharSequence) requireId(id));
            case BYTES -> Hashing.hash((byte[]) requireId(id));
            case SERIALIZED -> hashSerialized(id);
        };
    }

    private long hashSerialized(K id) throws IOException {
        if (buffer == null) {
            buffer = new DataOutputSerializer(FIRST_BUFFER_BYTES);
        }
        buffer.clear();
        requireNonNull(serializer, "serializer").serialize(requireId(id), buffer);
        return Hashing.hash(buffer.getSharedBuffer(), 0, buffer.length());
    }

    private static <K> K requireId(K id) {
        if (id == null) {
            throw new IllegalArgumentException(
                    "A record's id must not be null: filter such records before, or give them an"
                            + " id of their own.");
        }
        return id;
    }
}
