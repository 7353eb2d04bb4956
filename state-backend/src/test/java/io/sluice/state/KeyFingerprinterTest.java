/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

class KeyFingerprinterTest {

    @Test
    void schemesAreFixedForEver() throws Exception {
        assertThat(scheme(LongSerializer.INSTANCE)).isEqualTo("number");
        assertThat(scheme(IntSerializer.INSTANCE)).isEqualTo("number");
        assertThat(scheme(StringSerializer.INSTANCE)).isEqualTo("string");
        assertThat(scheme(BytePrimitiveArraySerializer.INSTANCE)).isEqualTo("bytes");
        assertThat(scheme(BooleanSerializer.INSTANCE)).isEqualTo("serialized");
        assertThat(scheme(pairs())).isEqualTo("tuple(number,string)");
        assertThat(scheme(rows())).isEqualTo("row");
    }

    @Test
    void hashesAreFixedForEver() throws Exception {
        assertThat(hash(LongSerializer.INSTANCE, 42L)).isEqualTo(Hashing.hash(42L));
        assertThat(hash(IntSerializer.INSTANCE, 42)).isEqualTo(Hashing.hash(42L));
        assertThat(hash(StringSerializer.INSTANCE, "key")).isEqualTo(Hashing.hash("key"));
        assertThat(hash(BytePrimitiveArraySerializer.INSTANCE, new byte[] {1, 2}))
                .isEqualTo(Hashing.hash(new byte[] {1, 2}));
        assertThat(hash(BooleanSerializer.INSTANCE, true)).isEqualTo(Hashing.hash(new byte[] {1}));
        long first = Hashing.combine(2, Hashing.hash(42L));
        assertThat(hash(pairs(), Tuple2.of(42L, "key")))
                .isEqualTo(Hashing.combine(first, Hashing.hash("key")));
    }

    @Test
    void aRowHasOneHashWhereverItLies() throws Exception {
        GenericRowData generic =
                GenericRowData.of(42L, StringData.fromString("a text that is not short"));
        BinaryRowData binary = rows().toBinaryRow(generic).copy();
        long expected = hash(rows(), generic);
        assertThat(hash(rows(), binary)).isEqualTo(expected);
        assertThat(hash(rows(), in(binary, false, 64, 3))).isEqualTo(expected);
        assertThat(hash(rows(), in(binary, true, 256, 100))).isEqualTo(expected);
        assertThat(hash(rows(), in(binary, true, 16, 40))).isEqualTo(expected);
        assertThat(hash(rows(), GenericRowData.of(43L, generic.getString(1))))
                .isNotEqualTo(expected);
    }

    /** A row in segments of other sizes, after this many other bytes. */
    private static BinaryRowData in(
            BinaryRowData row, boolean offHeap, int segmentBytes, int offset) {
        int length = row.getSizeInBytes();
        byte[] bytes = new byte[length];
        row.getSegments()[0].get(row.getOffset(), bytes, 0, length);
        int count = (offset + length + segmentBytes - 1) / segmentBytes;
        MemorySegment[] segments = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            segments[i] =
                    offHeap
                            ? MemorySegmentFactory.allocateUnpooledOffHeapMemory(segmentBytes)
                            : MemorySegmentFactory.allocateUnpooledSegment(segmentBytes);
        }
        for (int i = 0; i < length; i++) {
            int at = offset + i;
            segments[at / segmentBytes].put(at % segmentBytes, bytes[i]);
        }
        BinaryRowData moved = new BinaryRowData(row.getArity());
        moved.pointTo(segments, offset, length);
        return moved;
    }

    private static TypeSerializer<Tuple2<Long, String>> pairs() {
        return new TypeHint<Tuple2<Long, String>>() {}.getTypeInfo()
                .createSerializer(new SerializerConfigImpl());
    }

    private static RowDataSerializer rows() {
        return new RowDataSerializer(new BigIntType(), new VarCharType(VarCharType.MAX_LENGTH));
    }

    private static String scheme(TypeSerializer<?> serializer) {
        return KeyFingerprinter.of(serializer).scheme();
    }

    private static <T> long hash(TypeSerializer<T> serializer, T key) throws IOException {
        return KeyFingerprinter.of(serializer).hash(key);
    }
}
