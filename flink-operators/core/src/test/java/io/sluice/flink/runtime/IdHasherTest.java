/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class IdHasherTest {

    private static <K> IdHasher<K> of(TypeInformation<K> type) {
        return IdHasher.of(type, new SerializerConfigImpl());
    }

    @Test
    void integralNumbersHashByValueWhateverTheirWidth() throws Exception {
        assertThat(of(Types.LONG).hash(-7L)).isEqualTo(Hashing.hash(-7L));
        assertThat(of(Types.INT).hash(-7)).isEqualTo(Hashing.hash(-7L));
        assertThat(of(Types.SHORT).hash((short) -7)).isEqualTo(Hashing.hash(-7L));
        assertThat(of(Types.BYTE).hash((byte) -7)).isEqualTo(Hashing.hash(-7L));
        assertThat(of(Types.INT).scheme()).isEqualTo(of(Types.LONG).scheme());
    }

    @Test
    void integralNumbersHaveOneKeyWhateverTheirWidth() throws Exception {
        keyIs(-7L, of(Types.LONG), -7L);
        keyIs(-7L, of(Types.INT), -7);
        keyIs(-7L, of(Types.SHORT), (short) -7);
        keyIs(-7L, of(Types.BYTE), (byte) -7);
    }

    private static <K> void keyIs(Object expected, IdHasher<K> hasher, K id) throws Exception {
        HashedId hashed = new HashedId();
        hasher.hash(id, hashed);
        assertThat(hashed.hash()).isNotZero().isEqualTo(hasher.hash(id));
        assertThat(hasher.key(id)).isEqualTo(expected);
        assertThat(hashed.keyHashCode()).isEqualTo(expected.hashCode());
    }

    /** An array's {@code hashCode()}, like an enum's, differs in every JVM. */
    @Test
    void keysDependOnContentsNotOnIdentity() throws Exception {
        keyIs("a€", of(Types.STRING), "a€");
        byte[] bytes = {0, 1, -1};
        keyIs(
                "\u0000\u0001\u00ff",
                of(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO),
                bytes);
        TypeInformation<int[]> ints = PrimitiveArrayTypeInfo.INT_PRIMITIVE_ARRAY_TYPE_INFO;
        keyIs(of(ints).key(new int[] {1, -2}), of(ints), new int[] {1, -2});
        assertThat(of(ints).key(new int[] {1, -2})).isNotEqualTo(of(ints).key(new int[] {1, -3}));
    }

    /** It may be registered with Kryo at any time, or Kryo switched off. */
    @Test
    void aUuidHashesByItsBitsAndNotByWhatKryoWrites() throws Exception {
        TypeInformation<UUID> type = TypeInformation.of(UUID.class);
        SerializerConfigImpl registered = new SerializerConfigImpl();
        registered.registerKryoType(UUID.class);
        SerializerConfigImpl without = new SerializerConfigImpl();
        without.setGenericTypes(false);
        UUID id = UUID.fromString("00010203-0405-0607-0809-0a0b0c0d0eff");
        byte[] bytes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -1};
        for (SerializerConfigImpl config : List.of(registered, without)) {
            assertThat(IdHasher.of(type, config).hash(id)).isEqualTo(Hashing.hash(bytes));
            assertThat(IdHasher.of("id", type, config, 7).key(id))
                    .isEqualTo(new String(bytes, StandardCharsets.ISO_8859_1));
        }
        keyIs(of(type).key(id), of(type), id);
        assertThat(of(type).key(null)).isEqualTo("");
        changes(type, id);
        assertThatThrownBy(() -> of(Types.TUPLE(type, Types.INT)))
                .hasMessageContaining("id.f0: java.util.UUID")
                .hasMessageContaining("Kryo");
    }

    @Test
    void nullHasAFixedKey() throws Exception {
        assertThat(of(Types.INT).key(null)).isEqualTo(0L);
        assertThat(of(Types.STRING).key(null)).isEqualTo("");
        assertThat(of(Types.TUPLE(Types.INT)).key(null)).isEqualTo("");
        assertThat(of(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO).key(null))
                .isEqualTo("");
    }

    @Test
    void aSeedChangesTheHashOfEveryKindOfIdAndNoKey() throws Exception {
        changes(Types.LONG, 7L);
        changes(Types.STRING, "a");
        changes(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO, new byte[] {1});
        changes(Types.TUPLE(Types.STRING, Types.INT), Tuple2.of("a", 1));
    }

    private static <K> void changes(TypeInformation<K> type, K id) throws Exception {
        IdHasher<K> seeded = IdHasher.of("id", type, new SerializerConfigImpl(), 42);
        IdHasher<K> plain = of(type);
        assertThat(InstantiationUtil.clone(seeded).hash(id)).isEqualTo(seeded.hash(id));
        assertThat(seeded.hash(id)).isNotEqualTo(plain.hash(id));
        HashedId bySeeded = new HashedId();
        HashedId byPlain = new HashedId();
        seeded.hash(id, bySeeded);
        plain.hash(id, byPlain);
        assertThat(bySeeded.keyHashCode()).isEqualTo(byPlain.keyHashCode());
        assertThat(seeded.key(id)).isEqualTo(plain.key(id));
    }

    @Test
    void stringsAndBytesAreHashedDirectly() throws Exception {
        byte[] bytes = "naïve".getBytes(StandardCharsets.UTF_8);
        assertThat(of(Types.STRING).hash("naïve")).isEqualTo(Hashing.hash("naïve"));
        assertThat(of(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO).hash(bytes))
                .isEqualTo(Hashing.hash(bytes));
    }

    @Test
    void otherTypesAreHashedAsTheyAreSerialized() throws Exception {
        TypeInformation<Tuple2<String, Integer>> type = Types.TUPLE(Types.STRING, Types.INT);
        DataOutputSerializer out = new DataOutputSerializer(16);
        type.createSerializer(new SerializerConfigImpl()).serialize(Tuple2.of("a", 1), out);

        IdHasher<Tuple2<String, Integer>> hasher = of(type);

        assertThat(hasher.scheme()).isEqualTo(IdHasher.Scheme.SERIALIZED);
        assertThat(hasher.hash(Tuple2.of("longer than the next", 2))).isNotZero();
        assertThat(hasher.hash(Tuple2.of("a", 1))).isEqualTo(Hashing.hash(out.getCopyOfBuffer()));
    }

    @Test
    void isTheSameAfterItsOwnSerialization() throws Exception {
        IdHasher<Tuple2<String, Integer>> hasher = of(Types.TUPLE(Types.STRING, Types.INT));
        long before = hasher.hash(Tuple2.of("a", 1));
        assertThat(InstantiationUtil.clone(hasher).hash(Tuple2.of("a", 1))).isEqualTo(before);
    }

    @Test
    void persistentCodesStay() {
        assertThat(IdHasher.Scheme.NUMBER.code()).isEqualTo(1);
        assertThat(IdHasher.Scheme.STRING.code()).isEqualTo(2);
        assertThat(IdHasher.Scheme.BYTES.code()).isEqualTo(3);
        assertThat(IdHasher.Scheme.SERIALIZED.code()).isEqualTo(4);
    }

    @Test
    void kryoIsRefused() {
        assertThatThrownBy(() -> of(new GenericTypeInfo<>(BitSet.class)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Kryo");
    }

    @Test
    void nullIsRefused() {
        assertThatThrownBy(() -> of(Types.LONG).hash(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be null");
    }
}
