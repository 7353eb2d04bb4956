/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongFunction;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.Row;

/**
 * A type of keys, and one key for each number.
 *
 * @param <K> the type
 */
final class KeyKind<K> {
    static final KeyKind<Long> LONGS = new KeyKind<>("Long", number -> number, Types.LONG);

    static final KeyKind<String> STRINGS =
            new KeyKind<>("String", number -> "id-" + number, Types.STRING);

    static final KeyKind<Tuple2<String, Integer>> TUPLES =
            new KeyKind<>(
                    "Tuple2",
                    number -> Tuple2.of("id-" + number % 7, (int) (number / 7)),
                    Types.TUPLE(Types.STRING, Types.INT));

    static final KeyKind<Account> POJOS =
            new KeyKind<>("POJO", Account::new, Types.POJO(Account.class));

    /** Flink SQL's partition key: a row in its binary form. */
    static final KeyKind<RowData> ROWS =
            new KeyKind<>(
                    "BinaryRowData",
                    KeyKind::row,
                    new RowDataSerializer(new BigIntType(), new VarCharType(40)));

    /**
     * An array's hash code is its identity, so the caller says which key group a content belongs
     * to.
     */
    static final KeyKind<byte[]> BYTES =
            new KeyKind<>(
                    "byte[]",
                    number -> ("id-" + number).getBytes(StandardCharsets.US_ASCII),
                    BytePrimitiveArraySerializer.INSTANCE);

    static final KeyKind<Boolean> BOOLEANS =
            new KeyKind<>("Boolean", number -> number % 2 == 0, Types.BOOLEAN);

    static final KeyKind<Double> DOUBLES =
            new KeyKind<>("Double", number -> number / 7.0, Types.DOUBLE);

    static final KeyKind<BigDecimal> DECIMALS =
            new KeyKind<>("BigDecimal", number -> BigDecimal.valueOf(number, 3), Types.BIG_DEC);

    static final KeyKind<Instant> INSTANTS =
            new KeyKind<>("Instant", Instant::ofEpochMilli, Types.INSTANT);

    static final KeyKind<Tuple2<Tuple2<String, Long>, Boolean>> NESTED =
            new KeyKind<>(
                    "Tuple2 of Tuple2",
                    number ->
                            Tuple2.of(
                                    Tuple2.of(number % 5 == 0 ? null : "a", number / 2),
                                    number % 2 == 0),
                    Types.TUPLE(Types.TUPLE(Types.STRING, Types.LONG), Types.BOOLEAN));

    /** A row, any field of which may be null. */
    static final KeyKind<Row> NULLABLES =
            new KeyKind<>(
                    "Row with nulls",
                    number ->
                            Row.of(
                                    number % 3 == 0 ? null : number,
                                    number % 3 == 0 ? "id-" + number : null),
                    Types.ROW(Types.LONG, Types.STRING));

    /** Serialized by Kryo. */
    static final KeyKind<Opaque> GENERICS =
            new KeyKind<>("generic", Opaque::new, Types.GENERIC(Opaque.class));

    private final String name;
    private final LongFunction<K> keys;
    private final TypeSerializer<K> serializer;

    private KeyKind(String name, LongFunction<K> keys, TypeInformation<K> type) {
        this(name, keys, type.createSerializer(new SerializerConfigImpl()));
    }

    private KeyKind(String name, LongFunction<K> keys, TypeSerializer<K> serializer) {
        this.name = name;
        this.keys = keys;
        this.serializer = serializer;
    }

    static <K> KeyKind<K> of(String name, TypeSerializer<K> serializer, LongFunction<K> keys) {
        return new KeyKind<>(name, keys, serializer);
    }

    /**
     * The key of {@code number}: equal numbers give equal keys, different numbers different keys.
     */
    K key(long number) {
        return keys.apply(number);
    }

    TypeSerializer<K> serializer() {
        return serializer;
    }

    int keyGroup(K key, int maxParallelism) {
        return key instanceof byte[] bytes
                ? KeyGroupRangeAssignment.computeKeyGroupForKeyHash(
                        Arrays.hashCode(bytes), maxParallelism)
                : KeyGroupRangeAssignment.assignToKeyGroup(key, maxParallelism);
    }

    /** Makes {@code key} the current one, in the way of an operator with such keys. */
    void select(K key, KeyedStateBackend<K> backend, int maxParallelism) {
        if (key instanceof byte[]) {
            backend.setCurrentKeyAndKeyGroup(key, keyGroup(key, maxParallelism));
        } else {
            backend.setCurrentKey(key);
        }
    }

    @Override
    public String toString() {
        return name;
    }

    private static BinaryRowData row(long number) {
        BinaryRowData row = new BinaryRowData(2);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeLong(0, number % 11);
        writer.writeString(1, StringData.fromString("id-" + number));
        writer.complete();
        return row;
    }

    /** Not a POJO: it has no default constructor and nothing public. */
    static final class Opaque {
        private final String text;

        Opaque(long number) {
            text = "number " + number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Opaque that && text.equals(that.text);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }
    }

    /** A key with a field of every sort, including an array. */
    public static final class Account {
        public long number;
        public String name;
        public byte[] digest;

        /** For Flink's serializer. */
        public Account() {}

        Account(long number) {
            this.number = number;
            this.name = number % 3 == 0 ? null : "account " + number;
            this.digest = Long.toString(number * 31).getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Account that
                    && number == that.number
                    && Objects.equals(name, that.name)
                    && Arrays.equals(digest, that.digest);
        }

        @Override
        public int hashCode() {
            return Objects.hash(number, name) * 31 + Arrays.hashCode(digest);
        }
    }
}
