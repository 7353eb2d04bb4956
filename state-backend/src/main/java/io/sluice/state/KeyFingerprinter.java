/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Turns keys and namespaces into the 64-bit hashes that filters take. What is hashed is part of the
 * state's format, recorded as {@link #scheme}:
 *
 * <table>
 *   <caption>Schemes</caption>
 *   <tr><th>scheme</th><th>of</th><th>hashed</th></tr>
 *   <tr><td>{@code number}</td><td>{@code Long}, {@code Integer}</td><td>the number, as 64 bits</td></tr>
 *   <tr><td>{@code string}</td><td>{@code String}</td><td>its UTF-16 code units</td></tr>
 *   <tr><td>{@code bytes}</td><td>{@code byte[]}</td><td>its bytes</td></tr>
 *   <tr><td>{@code tuple(...)}</td><td>Flink's tuples</td><td>the hashes of the fields, in order</td></tr>
 *   <tr><td>{@code row}</td><td>keys of SQL operators</td><td>the bytes of the binary row</td></tr>
 *   <tr><td>{@code sql(...)}</td><td>keys of maps in SQL</td><td>what the serializer of the named
 *   type writes</td></tr>
 *   <tr><td>{@code serialized}</td><td>all others</td><td>what the serializer writes</td></tr>
 * </table>
 *
 * <p>The keys of a map state are hashed in the same way, after the namespace: {@code
 * string,map(number)}, or {@code map(number)} without namespaces.
 *
 * <p>As with RocksDB, keys are equal if their serializer writes the same bytes. Hashing allocates
 * nothing. Not thread-safe.
 *
 * @param <T> type of what is hashed
 */
abstract class KeyFingerprinter<T> {

    private static final String SERIALIZED = "serialized";

    private static final String MAP = "map(";

    private static final int FIRST_BUFFER_BYTES = 128;

    private static final String TABLE_SERIALIZERS = "org.apache.flink.table.runtime.typeutils.";

    private final String scheme;

    KeyFingerprinter(String scheme) {
        this.scheme = scheme;
    }

    /** The hash of a key or namespace. */
    abstract long hash(T value) throws IOException;

    /** What is hashed; persistent. */
    final String scheme() {
        return scheme;
    }

    /**
     * What is hashed of namespaces; persistent. Those that are only told apart by what their
     * serializer writes have its name in it: a time window is not the global window.
     *
     * @param serializer of the namespaces
     */
    final String namespaceScheme(TypeSerializer<?> serializer) {
        return scheme.equals(SERIALIZED)
                ? SERIALIZED + ':' + serializer.getClass().getName()
                : scheme;
    }

    /** Whether namespaces are of one kind; the name of the serializer may not have been stored. */
    static boolean isSameNamespace(String stored, String wanted) {
        return stored.equals(wanted)
                || (stored.equals(SERIALIZED)
                        && wanted.startsWith(SERIALIZED + ':')
                        && !hasMapKeys(wanted));
    }

    /**
     * What is hashed of namespaces and keys of maps; persistent.
     *
     * @param namespaceScheme empty if there is only the void namespace
     * @param mapKeySerializer of {@link #haveFixedBytes keys with fixed bytes}
     */
    static String mapScheme(String namespaceScheme, TypeSerializer<?> mapKeySerializer) {
        return (namespaceScheme.isEmpty() ? "" : namespaceScheme + ',')
                + MAP
                + of(mapKeySerializer).namespaceScheme(mapKeySerializer)
                + ')';
    }

    /** Whether a scheme is one of {@link #mapScheme}. No other scheme has this name in it. */
    static boolean hasMapKeys(String scheme) {
        return scheme.contains(MAP);
    }

    /**
     * Whether the scheme alone says what is hashed, in all releases of the job: the keys of a map
     * have no serializer in a checkpoint that a restore could compare.
     */
    static boolean haveFixedBytes(TypeSerializer<?> serializer) {
        if (serializer instanceof TupleSerializer<?> tuple) {
            // The scheme of a tuple does not name the serializers of its fields.
            return Arrays.stream(tuple.getFieldSerializers())
                    .allMatch(
                            field ->
                                    haveFixedBytes(field)
                                            && !of(field).scheme().equals(SERIALIZED));
        }
        return serializer.snapshotConfiguration() instanceof SimpleTypeSerializerSnapshot
                || (isOfTable(serializer) && TableTypes.areNamed(serializer));
    }

    private static boolean isOfTable(TypeSerializer<?> serializer) {
        // Compared by name first: without SQL its classes need not be on the class path.
        return serializer.getClass().getName().startsWith(TABLE_SERIALIZERS);
    }

    /** The fingerprinter for what {@code serializer} writes. */
    @SuppressWarnings("unchecked") // the serializer says what T is
    static <T> KeyFingerprinter<T> of(TypeSerializer<T> serializer) {
        KeyFingerprinter<?> chosen;
        if (serializer instanceof LongSerializer || serializer instanceof IntSerializer) {
            chosen = new OfNumber();
        } else if (serializer instanceof StringSerializer) {
            chosen = new OfString();
        } else if (serializer instanceof BytePrimitiveArraySerializer) {
            chosen = new OfBytes();
        } else if (serializer instanceof TupleSerializer<?> tuple) {
            chosen = OfTuple.ofFields(tuple);
        } else if (isOfTable(serializer) && RowFingerprinter.isRow(serializer)) {
            chosen = RowFingerprinter.ofRow(serializer);
        } else if (isOfTable(serializer) && TableTypes.areNamed(serializer)) {
            chosen = new OfSerialized<>(TableTypes.scheme(serializer), serializer);
        } else {
            chosen = new OfSerialized<>(serializer);
        }
        return (KeyFingerprinter<T>) chosen;
    }

    private static final class OfNumber extends KeyFingerprinter<Number> {
        OfNumber() {
            super("number");
        }

        @Override
        long hash(Number value) {
            return Hashing.hash(value.longValue());
        }
    }

    private static final class OfString extends KeyFingerprinter<String> {
        /**
         * For null, which Flink's serializer allows and tuples may contain; any number that is an
         * unlikely hash.
         */
        private static final long NULL = 0x6e75_6c6c_0000_0001L;

        OfString() {
            super("string");
        }

        @Override
        long hash(String value) {
            return value == null ? NULL : Hashing.hash(value);
        }
    }

    private static final class OfBytes extends KeyFingerprinter<byte[]> {
        OfBytes() {
            super("bytes");
        }

        @Override
        long hash(byte[] value) {
            return Hashing.hash(value);
        }
    }

    private static final class OfTuple extends KeyFingerprinter<Tuple> {
        private final KeyFingerprinter<Object>[] fields;

        private OfTuple(String scheme, KeyFingerprinter<Object>[] fields) {
            super(scheme);
            this.fields = fields;
        }

        @SuppressWarnings("unchecked") // a tuple's fields are what its serializers say
        static OfTuple ofFields(TupleSerializer<?> serializer) {
            KeyFingerprinter<Object>[] fields =
                    Arrays.stream(serializer.getFieldSerializers())
                            .map(KeyFingerprinter::of)
                            .toArray(KeyFingerprinter[]::new);
            String scheme =
                    Arrays.stream(fields)
                            .map(KeyFingerprinter::scheme)
                            .collect(Collectors.joining(",", "tuple(", ")"));
            return new OfTuple(scheme, fields);
        }

        @Override
        long hash(Tuple value) throws IOException {
            long hash = fields.length;
            for (int i = 0; i < fields.length; i++) {
                hash = Hashing.combine(hash, fields[i].hash(value.getField(i)));
            }
            return hash;
        }
    }

    private static final class OfSerialized<T> extends KeyFingerprinter<T> {
        private final TypeSerializer<T> serializer;
        private final DataOutputSerializer buffer = new DataOutputSerializer(FIRST_BUFFER_BYTES);

        OfSerialized(TypeSerializer<T> serializer) {
            this(SERIALIZED, serializer);
        }

        OfSerialized(String scheme, TypeSerializer<T> serializer) {
            super(scheme);
            this.serializer = serializer;
        }

        @Override
        long hash(T value) throws IOException {
            buffer.clear();
            serializer.serialize(value, buffer);
            return Hashing.hash(buffer.getSharedBuffer(), 0, buffer.length());
        }
    }
}
