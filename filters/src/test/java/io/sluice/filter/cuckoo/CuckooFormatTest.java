/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.GoldenSequence;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CuckooFormatTest {

    private static byte[] golden(String name) {
        return GoldenFile.read("cuckoo/" + name);
    }

    private static CountingCuckooFilter read(byte[] bytes, Storage storage) throws IOException {
        return CountingCuckooFilter.readFrom(new ByteArrayInputStream(bytes), "test", storage);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v2-word.bin", "v2-packed.bin", "v2-wide.bin"})
    void readsTheGoldenFiles(String name) throws IOException {
        for (Storage storage : Storage.values()) {
            CountingCuckooFilter filter = read(golden(name), storage);
            assertThat(filter.shape()).isEqualTo(GoldenFiles.SHAPES.get(name));
            assertThat(filter.load()).isGreaterThan(0.8);
            for (int id = 0; id < GoldenFiles.IDS; id++) {
                assertThat(filter.count(Hashing.hash((long) id)))
                        .as("id %d", id)
                        .isGreaterThanOrEqualTo(
                                Math.min(filter.maxCount(), GoldenFiles.copies(id)));
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            filter.writeTo(out);
            assertThat(out.toByteArray()).isEqualTo(golden(name));
        }
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenFiltersOfOtherShapes(Storage storage) throws IOException {
        GoldenSequence golden = new GoldenSequence("cuckoo/" + GoldenFiles.SHAPES_NAME);
        for (CuckooShape shape : GoldenFiles.OTHER_SHAPES) {
            int ids = GoldenFiles.ids(shape);
            CountingCuckooFilter filter =
                    golden.next(
                            (in, source) -> CountingCuckooFilter.readFrom(in, source, storage),
                            GoldenFiles.filter(shape, ids));
            assertThat(filter.shape()).isEqualTo(shape);
            assertThat(filter.occupied()).isBetween(ids / 2L, (long) ids);
            int exact = 0;
            for (int id = 0; id < ids; id++) {
                long least = Math.min(filter.maxCount(), GoldenFiles.copies(id));
                long count = filter.count(Hashing.hash((long) id));
                assertThat(count).as("%s: id %d", shape, id).isGreaterThanOrEqualTo(least);
                exact += count == least ? 1 : 0;
            }
            assertThat(exact).as("%s: exact counts", shape).isGreaterThan(ids / 2);
            int others = 0;
            for (long id = 1; id <= 1_000; id++) {
                others += filter.mightContain(Hashing.hash(-id)) ? 1 : 0;
            }
            assertThat((double) others)
                    .as("%s: ids that never came", shape)
                    .isLessThan(1_000 * 1.3 * filter.predictedFpp() + 5);
        }
        golden.assertEnds();
    }

    /** The same operations give the same bytes, now and in later releases. */
    @Test
    void insertionsAreDeterministic() throws IOException {
        for (Map.Entry<String, CuckooShape> entry : GoldenFiles.SHAPES.entrySet()) {
            GoldenFile.assertStillWritten(
                    "cuckoo/" + entry.getKey(),
                    GoldenFiles.filter(entry.getValue(), GoldenFiles.IDS).toByteArray());
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {"v2-word.bin", "v2-packed.bin", "v2-wide.bin"})
    void refusesDamage(String name) throws IOException {
        byte[] bytes = golden(name);
        for (Storage storage : Storage.values()) {
            Damage.isAlwaysRefused(
                    bytes, (in, source) -> CountingCuckooFilter.readFrom(in, source, storage));
        }
    }

    /** Bytes with a right checksum that no filter would write. */
    @Test
    void refusesWhatNoFilterCouldBe() throws IOException {
        long[] oneWord = {0, 0};
        for (int[] shape : new int[][] {{3, 4, 2}, {12, 33, 2}, {12, 4, 3}, {12, 4, 0}}) {
            assertThatThrownBy(() -> readShape(shape, 2, oneWord))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("impossible shape");
        }
        assertThatThrownBy(() -> readShape(new int[] {12, 4, 4}, 2, oneWord))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("4 words of payload, there are 2");
        assertThatThrownBy(() -> readShape(new int[] {12, 4, 2}, 2, new long[] {0, 0, 0}))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("no parameter accounts for");
        for (long word : new long[] {1, 1L << 48}) {
            assertThatThrownBy(() -> readShape(new int[] {12, 4, 2}, 2, new long[] {0, word}))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("a fingerprint and no count");
        }
        for (int version : new int[] {1, 3}) {
            assertThatThrownBy(() -> readShape(new int[] {12, 4, 2}, version, oneWord))
                    .isInstanceOf(UnsupportedFormatException.class);
        }
    }

    private static CountingCuckooFilter readShape(int[] shape, int version, long[] words)
            throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(16)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(shape[0])
                        .putInt(shape[1])
                        .putLong(shape[2])
                        .flip();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        CountingCuckooFilterFormat.KIND,
                        version,
                        parameters,
                        8L * words.length);
        writer.words(words, 0, words.length);
        writer.finish();
        return read(out.toByteArray(), Storage.HEAP);
    }
}
