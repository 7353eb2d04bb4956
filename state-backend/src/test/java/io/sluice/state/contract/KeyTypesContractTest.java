/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.UUID;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys of every type are told apart, and are found again after a restore. */
class KeyTypesContractTest extends StateContract {
    private static final int KEYS = 3000;

    static Stream<KeyKind<?>> kinds() {
        return Stream.of(
                KeyKind.LONGS,
                KeyKind.STRINGS,
                KeyKind.BYTES,
                KeyKind.TUPLES,
                KeyKind.POJOS,
                KeyKind.ROWS,
                KeyKind.BOOLEANS,
                KeyKind.DOUBLES,
                KeyKind.DECIMALS,
                KeyKind.INSTANTS,
                KeyKind.NESTED,
                KeyKind.NULLABLES,
                KeyKind.GENERICS);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    <K> void marksOutliveARestartWithAnotherParallelism(KeyKind<K> kind) throws Exception {
        // A map on the heap cannot find an array: it has no equality.
        assumeThat(kind == KeyKind.BYTES && backends.keepsKeyObjects()).isFalse();
        KeyedJob<K> job = job(kind, 50);
        job.start(1);
        Flags<K, VoidNamespace> seen = job.flags(backends.flag("seen"));
        for (long number = 0; number < KEYS; number += 2) {
            seen.mark(kind.key(number), VoidNamespace.INSTANCE);
        }
        job.checkpoint();
        job.start(3);
        assertMarked(seen, KEYS, number -> number % 2 == 0);
    }

    /** A string in a tuple may be null; that is a different key from the empty string. */
    @Test
    void nullIsAStringLikeAnyOtherInATuple() throws Exception {
        KeyKind<Tuple2<String, Integer>> tuples =
                KeyKind.of(
                        "Tuple2 with nulls",
                        KeyKind.TUPLES.serializer(),
                        number ->
                                Tuple2.of(
                                        number % 3 == 0 ? null : number % 3 == 1 ? "" : "id",
                                        (int) (number / 3)));
        KeyedJob<Tuple2<String, Integer>> job = job(tuples, 50);
        job.start(1);
        Flags<Tuple2<String, Integer>, VoidNamespace> seen = job.flags(backends.flag("seen"));
        for (long number = 0; number < KEYS; number += 2) {
            seen.mark(tuples.key(number), VoidNamespace.INSTANCE);
        }
        job.checkpoint();
        job.start(3);
        assertMarked(seen, KEYS, number -> number % 2 == 0);
    }

    /** Rows are read from network buffers: they begin anywhere and may span two segments. */
    @Test
    void aRowIsTheSameKeyWhereverItLies() throws Exception {
        KeyedJob<RowData> job = job(KeyKind.ROWS, 50);
        job.start(1);
        Flags<RowData, VoidNamespace> seen = job.flags(backends.flag("seen"));
        for (long number = 0; number < 200; number++) {
            BinaryRowData row = (BinaryRowData) KeyKind.ROWS.key(number);
            seen.mark(number % 2 == 0 ? row : elsewhere(row, 8), VoidNamespace.INSTANCE);
        }
        for (long number = 0; number < 200; number++) {
            BinaryRowData row = (BinaryRowData) KeyKind.ROWS.key(number);
            assertThat(seen.isMarked(elsewhere(row, 24), VoidNamespace.INSTANCE)).isTrue();
            assertThat(seen.isMarked(inTwoSegments(row), VoidNamespace.INSTANCE)).isTrue();
            assertThat(seen.isMarked(row, VoidNamespace.INSTANCE)).isTrue();
        }
    }

    /**
     * A key may be an object that is refilled for every record, except with the heap's own maps.
     */
    @Test
    void aReusedRowIsTheKeyThatItHolds() throws Exception {
        assumeThat(backends.keepsKeyObjects()).isFalse();
        KeyedJob<RowData> job = job(KeyKind.ROWS, 50);
        job.start(1);
        Flags<RowData, VoidNamespace> seen = job.flags(backends.flag("seen"));
        BinaryRowData reused = new BinaryRowData(2);
        for (long number = 0; number < 100; number++) {
            BinaryRowData row = (BinaryRowData) KeyKind.ROWS.key(number);
            reused.pointTo(row.getSegments(), row.getOffset(), row.getSizeInBytes());
            if (number % 2 == 0) {
                seen.mark(reused, VoidNamespace.INSTANCE);
            }
        }
        assertMarked(seen, 100, number -> number % 2 == 0);
    }

    /** Has a field that Kryo writes. */
    public static final class Request {
        public UUID id;
        public long number;

        /** For Flink's serializer. */
        public Request() {}

        Request(long number) {
            this.id = new UUID(31 * number, -number);
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Request that && id.equals(that.id) && number == that.number;
        }

        @Override
        public int hashCode() {
            return 31 * id.hashCode() + Long.hashCode(number);
        }
    }

    @Test
    void uuidsAreFoundAfterAnotherTypeIsRegisteredWithKryo() throws Exception {
        assertFoundAfterARegistration(
                Types.GENERIC(UUID.class), number -> new UUID(31 * number, -number));
    }

    @Test
    void pojosWithUuidsAreFoundAfterAnotherTypeIsRegisteredWithKryo() throws Exception {
        assertFoundAfterARegistration(Types.POJO(Request.class), Request::new);
    }

    private <K> void assertFoundAfterARegistration(TypeInformation<K> type, LongFunction<K> keys)
            throws Exception {
        KeyKind<K> kind =
                KeyKind.of(
                        type.toString(), type.createSerializer(new SerializerConfigImpl()), keys);
        SerializerConfigImpl more = new SerializerConfigImpl();
        more.registerKryoType(StringBuilder.class);
        KeyedJob<K> job = job(kind, 50);
        job.start(1);
        Flags<K, VoidNamespace> seen = job.flags(backends.flag("seen"));
        for (long number = 0; number < KEYS; number += 2) {
            seen.mark(kind.key(number), VoidNamespace.INSTANCE);
        }
        job.checkpoint();
        for (int parallelism = 2; parallelism > 0; parallelism--) {
            job.start(parallelism, type.createSerializer(more));
            assertMarked(seen, KEYS, number -> number % 2 == 0);
            job.checkpoint();
        }
    }

    private static BinaryRowData elsewhere(BinaryRowData row, int offset) {
        MemorySegment segment =
                MemorySegmentFactory.allocateUnpooledSegment(offset + row.getSizeInBytes() + 5);
        row.getSegments()[0].copyTo(row.getOffset(), segment, offset, row.getSizeInBytes());
        BinaryRowData copy = new BinaryRowData(row.getArity());
        copy.pointTo(segment, offset, row.getSizeInBytes());
        return copy;
    }

    private static BinaryRowData inTwoSegments(BinaryRowData row) {
        int size = row.getSizeInBytes();
        // The fixed part, here 24 bytes, never spans segments.
        MemorySegment first = MemorySegmentFactory.allocateUnpooledSegment(24);
        MemorySegment second = MemorySegmentFactory.allocateUnpooledSegment(24);
        MemorySegment[] segments = {first, second};
        row.getSegments()[0].copyTo(row.getOffset(), first, 0, Math.min(24, size));
        row.getSegments()[0].copyTo(row.getOffset() + 24, second, 0, size - 24);
        BinaryRowData copy = new BinaryRowData(row.getArity());
        copy.pointTo(segments, 0, size);
        return copy;
    }
}
