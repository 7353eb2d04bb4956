/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.GoldenSequence;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The persistent form: golden files, which must be readable for ever, and damage. */
class KeyValueFormatTest {

    private static final int PARAMETERS_OFFSET = 32;

    private static byte[] golden(String name) {
        return GoldenFile.read("keyvalue/" + name);
    }

    private static byte[] golden(CodeKind code) {
        return golden(GoldenFiles.name(code));
    }

    private static KeyValueBloomFilter read(byte[] bytes, Storage storage) throws IOException {
        return KeyValueBloomFilter.readFrom(new ByteArrayInputStream(bytes), "bytes", storage);
    }

    private static byte[] written(KeyValueBloomFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void readsTheGoldenFilter(CodeKind code) throws IOException {
        for (Storage storage : Storage.values()) {
            KeyValueBloomFilter filter = read(golden(code), storage);
            assertThat(filter.shape().code()).isEqualTo(code);
            assertThat(filter.keys()).isEqualTo(GoldenFiles.KEYS);
            assertThat(filter.filters()).isEqualTo(2);
            assertThat(filter.mostFilters()).isEqualTo(3);
            assertThat(filter.capacity()).isEqualTo(GoldenFiles.CAPACITY);
            assertThat(filter.refused()).isPositive();
            assertThat(filter.exactKeys()).isPositive();
            assertThat(filter.stuckCells()).isPositive();
            int known = 0;
            for (long key = 0; key < GoldenFiles.KEYS; key++) {
                int found = filter.query(Hashing.hash(key));
                assertThat(found).isIn(GoldenFiles.value(key), KeyValueFilter.AMBIGUOUS);
                known += found >= 0 ? 1 : 0;
            }
            assertThat(known).isGreaterThan(GoldenFiles.KEYS / 8);
            assertThat(written(filter)).isEqualTo(golden(code));
        }
    }

    @Test
    void stillWritesTheSameBytes() throws IOException {
        for (CodeKind code : CodeKind.values()) {
            GoldenFile.assertStillWritten(
                    "keyvalue/" + GoldenFiles.name(code), written(GoldenFiles.create(code)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenFiltersOfNarrowAndWideCells(Storage storage) throws IOException {
        GoldenSequence golden = new GoldenSequence("keyvalue/" + GoldenFiles.CELLS_NAME);
        List<Integer> widths = new ArrayList<>();
        for (KeyValueShape shape : GoldenFiles.CELLS) {
            KeyValueBloomFilter filter =
                    golden.next(
                            (in, source) -> KeyValueBloomFilter.readFrom(in, source, storage),
                            GoldenFiles.ofCells(shape));
            assertThat(filter.shape()).isEqualTo(shape);
            widths.add(shape.cellBits());
            assertThat(filter.keys()).isEqualTo(GoldenFiles.CELLS_KEYS);
            assertThat(filter.filters()).isEqualTo(1);
            assertThat(filter.exactKeys()).isZero();
            assertThat(filter.refused()).isZero();
            int known = 0;
            for (long key = 0; key < GoldenFiles.CELLS_KEYS; key++) {
                int found = filter.query(Hashing.hash(key));
                assertThat(found)
                        .as("%s: key %d", shape, key)
                        .isIn(GoldenFiles.value(key, shape), KeyValueFilter.AMBIGUOUS);
                known += found >= 0 ? 1 : 0;
            }
            assertThat(known).as("%s", shape).isGreaterThan(GoldenFiles.CELLS_KEYS / 2);
        }
        assertThat(widths).containsExactly(7, 16, 32, 33, 64, 17);
        golden.assertEnds();
    }

    @Test
    void readsTheGoldenFilterWithoutKeys() throws IOException {
        GoldenFile.assertStillWritten(
                "keyvalue/" + GoldenFiles.EMPTY_NAME, written(GoldenFiles.empty()));
        byte[] bytes = golden(GoldenFiles.EMPTY_NAME);
        KeyValueBloomFilter filter = read(bytes, Storage.HEAP);
        assertThat(filter.keys()).isZero();
        assertThat(filter.capacity()).isEqualTo(1);
        assertThat(filter.query(Hashing.hash(0L))).isEqualTo(KeyValueFilter.ABSENT);
        assertThat(written(filter)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void refusesDamage(CodeKind code) {
        refusesDamage(golden(code));
    }

    @Test
    void refusesDamageOfAFilterWithoutKeys() {
        refusesDamage(golden(GoldenFiles.EMPTY_NAME));
    }

    private static void refusesDamage(byte[] bytes) {
        Damage.isAlwaysRefused(
                bytes, (in, source) -> KeyValueBloomFilter.readFrom(in, source, Storage.HEAP));
    }

    /** With a correct checksum, what no writer writes is refused by its meaning. */
    @Test
    void refusesImpossibleParametersWithARightChecksum() throws IOException {
        byte[] bytes = written(GoldenFiles.create(CodeKind.PRODUCT_PAIRS));
        int length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(20);
        ByteBuffer payload =
                ByteBuffer.wrap(
                                bytes,
                                PARAMETERS_OFFSET + length + 4,
                                bytes.length - PARAMETERS_OFFSET - length - 8)
                        .slice()
                        .order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < length; at++) {
            for (int changed : new int[] {0, 0x7f, 0x80, 0xff}) {
                byte[] parameters = new byte[length];
                System.arraycopy(bytes, PARAMETERS_OFFSET, parameters, 0, length);
                if (parameters[at] == (byte) changed) {
                    continue;
                }
                parameters[at] = (byte) changed;
                readsOrRefuses(parameters, payload);
            }
        }
    }

    private static void readsOrRefuses(byte[] parameters, ByteBuffer payload) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        KeyValueBloomFilterFormat.KIND,
                        KeyValueBloomFilterFormat.VERSION_CURRENT,
                        ByteBuffer.wrap(parameters),
                        payload.capacity());
        long[] words = new long[payload.capacity() / Long.BYTES];
        payload.asLongBuffer().get(words);
        writer.words(words, 0, words.length);
        writer.finish();
        try {
            KeyValueBloomFilter filter = read(out.toByteArray(), Storage.HEAP);
            // What was read must be usable.
            for (long key = 0; key < GoldenFiles.KEYS; key++) {
                filter.query(Hashing.hash(key));
            }
        } catch (CorruptFilterException refused) {
            assertThat(refused.source()).isEqualTo("bytes");
        }
    }

    /** A code is made for a payload that was there and had the right checksum, not for a claim. */
    @Test
    void aPayloadThatIsMissingIsNoticedBeforeTheCodeIsMade() throws IOException {
        for (int values : new int[] {250, 1 << 21}) {
            ByteBuffer parameters =
                    ByteBuffer.wrap(golden(CodeKind.PRODUCT_PAIRS), PARAMETERS_OFFSET, 64)
                            .slice()
                            .order(ByteOrder.LITTLE_ENDIAN);
            byte[] changed = new byte[64];
            parameters.get(changed);
            ByteBuffer.wrap(changed)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(0, values)
                    .put(5, (byte) 0);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new FilterWriter(
                            out,
                            KeyValueBloomFilterFormat.KIND,
                            KeyValueBloomFilterFormat.VERSION_CURRENT,
                            ByteBuffer.wrap(changed),
                            0)
                    .finish();
            assertThatThrownBy(() -> read(out.toByteArray(), Storage.HEAP))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining(
                            values < 256 ? "impossible parameters" : "between 2 and 1048576");
        }
    }

    @Test
    void moreFiltersThanTheFormatHoldsAreRefusedWhenTheFirstIsMade() {
        assertThatThrownBy(
                        () ->
                                KeyValueBloomFilter.builder()
                                        .values(3)
                                        .sized(10, 40)
                                        .mostFilters((1 << 16) + 1)
                                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("filters between 1 and 65536");
    }

    @Test
    void refusesCellsThatDoNotAddUp() throws IOException {
        KeyValueBloomFilter filter =
                Shapes.filter(Shapes.shape(CodeKind.PRODUCT_PAIRS, 11, 2, 3, 4, 100), 100);
        for (long key = 0; key < 50; key++) {
            filter.insert(Hashing.hash(key), 3);
        }
        assertThat(read(written(filter), Storage.HEAP).keys()).isEqualTo(50);
        Words words = filter.tables()[0].words();
        long used = 0;
        while (words.get(used) == 0) {
            used++;
        }
        words.set(used, 0);
        byte[] bytes = written(filter);
        assertThatThrownBy(() -> read(bytes, Storage.HEAP))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("50 keys");
    }
}
