/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.BasicArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.SqlTimeTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.EitherTypeInfo;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.api.java.typeutils.MapTypeInfo;
import org.apache.flink.api.java.typeutils.MultisetTypeInfo;
import org.apache.flink.api.java.typeutils.NullableListTypeInfo;
import org.apache.flink.api.java.typeutils.NullableMapTypeInfo;
import org.apache.flink.api.java.typeutils.NullableSetTypeInfo;
import org.apache.flink.api.java.typeutils.ObjectArrayTypeInfo;
import org.apache.flink.api.java.typeutils.SetTypeInfo;
import org.apache.flink.api.java.typeutils.ValueTypeInfo;
import org.apache.flink.types.variant.Variant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which types can be ids, and what the messages say about the others. */
class IdTypesTest {

    public enum Color {
        RED
    }

    public record Product(String name, Map<String, String> attributes) {}

    public record Order(long number, List<Product> products) {}

    public record Place(String street, double height) {}

    public record Line(long order, Color color, List<String> tags, Instant day) {}

    public record Holder(BitSet bits) {}

    /** A POJO whose hash code may or may not look into the array. */
    public static final class Blob {
        public String name;
        public byte[] content;

        @Override
        public boolean equals(Object other) {
            return other instanceof Blob that && name.equals(that.name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    /** A POJO whose objects are equal to themselves only. */
    public static final class Plain {
        public long number;
    }

    private static TypeInformation<Order> orders() {
        return TypeInformation.of(Order.class);
    }

    static Stream<Arguments> typesWhoseEqualValuesMayDiffer() {
        TypeInformation<Double> fraction = Types.DOUBLE;
        MapTypeInfo<String, String> map = new MapTypeInfo<>(Types.STRING, Types.STRING);
        return Stream.of(
                Arguments.of(map, "id: java.util.Map"),
                Arguments.of(new NullableMapTypeInfo<>(Types.INT, Types.INT), "id: java.util.Map"),
                Arguments.of(new SetTypeInfo<>(Types.STRING), "id: java.util.Set"),
                Arguments.of(new NullableSetTypeInfo<>(Types.STRING), "id: java.util.Set"),
                Arguments.of(new MultisetTypeInfo<>(Types.STRING), "id: java.util.Map"),
                Arguments.of(Types.TUPLE(Types.LONG, map), "id.f1: java.util.Map"),
                Arguments.of(
                        Types.TUPLE(Types.LONG, orders()),
                        "id.f1.products[].attributes: java.util.Map"),
                Arguments.of(
                        Types.ROW_NAMED(new String[] {"a", "b"}, Types.LONG, orders()),
                        "id.b.products[].attributes: java.util.Map"),
                Arguments.of(new ListTypeInfo<>(map), "id[]: java.util.Map"),
                Arguments.of(new NullableListTypeInfo<>(map), "id[]: java.util.Map"),
                Arguments.of(ObjectArrayTypeInfo.getInfoFor(map), "id[]: java.util.Map"),
                Arguments.of(new EitherTypeInfo<>(map, Types.LONG), "id.left: java.util.Map"),
                Arguments.of(new EitherTypeInfo<>(Types.LONG, map), "id.right: java.util.Map"),
                Arguments.of(Types.TUPLE(Types.GENERIC(Map.class)), "id.f0: java.util.Map"),
                Arguments.of(Types.TUPLE(Types.GENERIC(Set.class)), "id.f0: java.util.Set"),
                Arguments.of(new GenericTypeInfo<>(BitSet.class), "id: java.util.BitSet"),
                Arguments.of(TypeInformation.of(Holder.class), "id.bits: java.util.BitSet"),
                Arguments.of(TypeInformation.of(Variant.class), "id: org.apache.flink.types"),
                Arguments.of(fraction, "id: java.lang.Double"),
                Arguments.of(Types.FLOAT, "id: java.lang.Float"),
                Arguments.of(ValueTypeInfo.DOUBLE_VALUE_TYPE_INFO, "id: org.apache.flink.types.Do"),
                Arguments.of(TypeInformation.of(Place.class), "id.height: java.lang.Double"),
                Arguments.of(
                        PrimitiveArrayTypeInfo.DOUBLE_PRIMITIVE_ARRAY_TYPE_INFO,
                        "id[]: java.lang.Double"),
                Arguments.of(BasicArrayTypeInfo.FLOAT_ARRAY_TYPE_INFO, "id[]: java.lang.Float"));
    }

    @ParameterizedTest
    @MethodSource("typesWhoseEqualValuesMayDiffer")
    void typesWhoseEqualValuesMayHaveUnequalBytesAreRefusedWithTheirPath(
            TypeInformation<?> type, String path) {
        assertThatThrownBy(() -> IdHasher.of(type, new SerializerConfigImpl()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(path)
                .hasMessageContaining("cannot be (part of) an id")
                .hasMessageContaining("select ");
    }

    static Stream<TypeInformation<?>> typesWithOneFormForEveryValue() {
        return Stream.of(
                TypeInformation.of(Line.class),
                TypeInformation.of(Blob.class),
                Types.TUPLE(Types.LONG, Types.STRING, Types.BIG_DEC, Types.BIG_INT),
                Types.ROW(Types.INT, BasicTypeInfo.DATE_TYPE_INFO, Types.INSTANT),
                Types.EITHER(Types.LONG, Types.STRING),
                Types.LIST(Types.STRING),
                Types.ENUM(Color.class),
                Types.PRIMITIVE_ARRAY(Types.INT),
                Types.OBJECT_ARRAY(Types.TUPLE(Types.LONG)),
                Types.LOCAL_DATE_TIME,
                SqlTimeTypeInfo.TIMESTAMP,
                new OpaqueTypeInfo<>(BigDecimal.class, Types.BIG_DEC.createSerializer(null)));
    }

    @ParameterizedTest
    @MethodSource("typesWithOneFormForEveryValue")
    void typesWithOneFormForEveryValueAreIds(TypeInformation<?> type) {
        assertThat(IdHasher.of(type, new SerializerConfigImpl()).scheme())
                .isEqualTo(IdHasher.Scheme.SERIALIZED);
    }

    /** A lookup in a hash map needs more than equal bytes. */
    @Test
    void valuesThatAreLookedUpNeedAHashCode() {
        notHashable(Types.PRIMITIVE_ARRAY(Types.BYTE), "counter: byte[]");
        notHashable(TypeInformation.of(Blob.class), "counter.content: byte[]");
        notHashable(Types.LIST(Types.OBJECT_ARRAY(Types.LONG)), "counter[]: java.lang.Long[]");
        notHashable(Types.TUPLE(TypeInformation.of(Plain.class)), "counter.f0: " + plainName());
        notHashable(new MapTypeInfo<>(Types.INT, Types.INT), "counter: java.util.Map");
        assertThat(hashable(TypeInformation.of(Line.class)).role()).isEqualTo("counter");
        assertThat(hashable(TypeInformation.of(new TypeHint<List<String>>() {})).role())
                .isEqualTo("counter");
    }

    private static String plainName() {
        return Plain.class.getTypeName();
    }

    private static <K> IdHasher<K> hashable(TypeInformation<K> type) {
        return IdHasher.ofHashable("counter", type, new SerializerConfigImpl(), 0);
    }

    private static void notHashable(TypeInformation<?> type, String path) {
        assertThatThrownBy(() -> hashable(type))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(path);
    }

    /** What the message about fractions advises. */
    @Test
    void theAdviceForFractionsMakesEqualNumbersEqualIds() {
        double[] zeros = {0.0, -0.0};
        double[] nans = {Double.NaN, Double.longBitsToDouble(0x7ff8_0000_0000_0001L)};
        for (double[] equals : new double[][] {zeros, nans}) {
            assertThat(Arrays.stream(equals).mapToLong(x -> Double.doubleToLongBits(x + 0.0)))
                    .containsOnly(Double.doubleToLongBits(equals[0]));
        }
    }
}
