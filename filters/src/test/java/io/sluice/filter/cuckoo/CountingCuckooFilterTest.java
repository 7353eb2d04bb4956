/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.CountingFilterContract;
import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CountingCuckooFilterTest {

    /** A bucket is a word. */
    @Nested
    class OneWord extends CountingFilterContract {
        @Override
        protected CountingCuckooFilter create(int capacity) {
            return CountingCuckooFilter.create(
                    new CuckooShape(12, 4, CuckooSizing.buckets(capacity)), Storage.HEAP);
        }

        @Override
        protected double fpp() {
            return CuckooSizing.fpp(12, CuckooSizing.LOAD);
        }
    }

    /** Buckets straddle words, and fingerprints too. */
    @Nested
    class PackedOffHeap extends CountingFilterContract {
        @Override
        protected CountingCuckooFilter create(int capacity) {
            return CountingCuckooFilter.create(
                    new CuckooShape(13, 9, CuckooSizing.buckets(capacity)), Storage.OFF_HEAP);
        }

        @Override
        protected double fpp() {
            return CuckooSizing.fpp(13, CuckooSizing.LOAD);
        }
    }

    /** Fingerprints are compared in two words. */
    @Nested
    class Wide extends CountingFilterContract {
        @Override
        protected CountingCuckooFilter create(int capacity) {
            return CountingCuckooFilter.create(
                    CuckooShape.sized(capacity, 1e-4, 8), Storage.OFF_HEAP);
        }

        @Override
        protected double fpp() {
            return 1e-4;
        }
    }

    private static CountingCuckooFilter filter(int f, int c, long buckets) {
        return CountingCuckooFilter.create(new CuckooShape(f, c, buckets), Storage.HEAP);
    }

    private static byte[] bytes(CountingCuckooFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    /** Buckets of a word, straddling buckets, and fingerprints in two words. */
    @ParameterizedTest
    @CsvSource({"12, 4", "13, 9", "20, 8"})
    void batchesAnswerWhatSingleCallsDo(int fingerprintBits, int counterBits) {
        CountingCuckooFilter filter =
                CountingCuckooFilter.create(
                        new CuckooShape(fingerprintBits, counterBits, 200), Storage.HEAP);
        SplittableRandom random = Seeds.random();
        long[] held = random.longs(700).toArray();
        for (long hash : held) {
            filter.insert(hash, 1 + random.nextInt(3));
        }
        for (int round = 0; round < 50; round++) {
            int from = random.nextInt(5);
            int length = random.nextInt(100);
            long[] hashes = new long[from + length + 1];
            for (int i = 0; i < hashes.length; i++) {
                hashes[i] =
                        random.nextBoolean()
                                ? held[random.nextInt(held.length)]
                                : random.nextLong();
            }
            boolean[] results = new boolean[hashes.length];
            long[] counts = new long[hashes.length];
            int hits = filter.mightContainAll(hashes, from, length, results);
            filter.countAll(hashes, from, length, counts);
            for (int i = from; i < from + length; i++) {
                assertThat(results[i]).isEqualTo(filter.mightContain(hashes[i]));
                assertThat(counts[i]).isEqualTo(filter.count(hashes[i]));
                hits -= results[i] ? 1 : 0;
            }
            assertThat(hits).isZero();
        }
    }

    @Test
    void aSaturatedSlotKeepsItsCountUntilAllIsRemoved() {
        CountingCuckooFilter filter = filter(12, 3, 10);
        filter.insert(5, 6);
        assertThat(filter.count(5)).isEqualTo(6);
        assertThat(filter.remove(5, 2)).isEqualTo(2);
        assertThat(filter.count(5)).isEqualTo(4);
        filter.insert(5, 1_000);
        assertThat(filter.count(5)).isEqualTo(7).isEqualTo(filter.maxCount());
        assertThat(filter.remove(5, 3)).isEqualTo(3);
        assertThat(filter.count(5)).isEqualTo(7);
        assertThat(filter.removeAll(5)).isEqualTo(7);
        assertThat(filter.mightContain(5)).isFalse();
        assertThat(filter.occupied()).isZero();
    }

    @Test
    void removesAsManyCopiesAsThereAre() {
        CountingCuckooFilter filter = filter(12, 8, 10);
        filter.insert(5, 20);
        assertThat(filter.remove(5, 30)).isEqualTo(20);
        assertThat(filter.remove(5, 1)).isZero();
        assertThat(filter.load()).isZero();
    }

    /** The two ways to insert differ exactly here. */
    @Test
    void separateInsertionsOfOneFingerprintTakeASlotEach() {
        CountingCuckooFilter filter = filter(12, 4, 10);
        filter.insertSeparately(5, 3);
        filter.insertSeparately(5, 4);
        filter.insertSeparately(5, 9);
        assertThat(filter.occupied()).isEqualTo(3);
        long[] counts = new long[8];
        assertThat(filter.slotCounts(5, counts)).isEqualTo(3);
        assertThat(counts).containsExactlyInAnyOrder(3, 4, 9, 0, 0, 0, 0, 0);
        assertThat(filter.count(5)).as("16, of at most 15").isEqualTo(15);
        assertThat(filter.remove(5, 5)).isEqualTo(5);
        assertThat(filter.count(5)).isEqualTo(11);
        assertThat(filter.removeAll(5)).isEqualTo(11);
        assertThat(filter.slotCounts(5, counts)).isZero();
        filter.insert(5, 3);
        filter.insert(5, 4);
        assertThat(filter.occupied()).isEqualTo(1);
        assertThat(filter.count(5)).isEqualTo(7);
    }

    @Test
    void aNinthEqualFingerprintIsRefusedAndNothingChanges() throws IOException {
        CountingCuckooFilter filter = filter(12, 4, 10);
        for (int i = 0; i < 8; i++) {
            filter.insertSeparately(5, 1 + i);
        }
        byte[] before = bytes(filter);
        assertThatThrownBy(() -> filter.insertSeparately(5, 1))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("8 of 40 slots");
        assertThat(bytes(filter)).isEqualTo(before);
        assertThat(filter.occupied()).isEqualTo(8);
    }

    @Test
    void aCopyIsIndependent() {
        CountingCuckooFilter filter = filter(12, 4, 10);
        filter.insert(5, 2);
        CountingCuckooFilter copy = filter.copy();
        filter.removeAll(5);
        assertThat(copy.count(5)).isEqualTo(2);
        assertThat(copy.occupied()).isEqualTo(1);
    }

    @Test
    void whatTwoFiltersHaveInCommonIsCancelledPairByPair() {
        CountingCuckooFilter filter = filter(12, 4, 10);
        filter.insertSeparately(5, 3);
        filter.insertSeparately(5, 3);
        filter.insertSeparately(7, 2);
        filter.insertSeparately(9, 4);
        filter.insertSeparately(11, 15);
        CountingCuckooFilter other = filter(12, 4, 10);
        other.insertSeparately(5, 3);
        other.insertSeparately(7, 6);
        other.insertSeparately(9, 4);
        other.insertSeparately(11, 15);

        assertThat(filter.cancelEqualSlots(other)).as("5 once, and 9").isEqualTo(2);

        assertThat(filter.occupied()).isEqualTo(3);
        assertThat(filter.count(5)).isEqualTo(3);
        assertThat(filter.count(7)).isEqualTo(2);
        assertThat(filter.count(9)).isZero();
        assertThat(filter.count(11)).as("saturated").isEqualTo(15);
        assertThat(other.occupied()).isEqualTo(2);
        assertThat(other.count(5)).isZero();
        assertThat(other.count(7)).isEqualTo(6);
        assertThat(other.count(9)).isZero();
        assertThat(other.count(11)).isEqualTo(15);
    }

    @Test
    void anEmptyFilterCanBeReadAgain() throws IOException {
        CountingCuckooFilter read =
                CountingCuckooFilter.readFrom(
                        new ByteArrayInputStream(bytes(filter(12, 4, 10))), "bytes", Storage.HEAP);
        assertThat(read.occupied()).isZero();
        assertThat(read.predictedFpp()).isZero();
    }

    @Test
    void theMemoryOfTheSearchForRoomIsCounted() {
        CountingCuckooFilter filter = filter(12, 4, 10);
        assertThat(filter.sizeInBytes()).isGreaterThan(filter.shape().words() * Long.BYTES);
    }

    @Test
    void refusesImpossibleArguments() {
        assertThatThrownBy(() -> filter(3, 4, 10)).hasMessageContaining("fingerprintBits");
        assertThatThrownBy(() -> filter(33, 4, 10)).hasMessageContaining("fingerprintBits");
        assertThatThrownBy(() -> filter(8, 1, 10)).hasMessageContaining("counterBits");
        assertThatThrownBy(() -> filter(8, 4, 0)).hasMessageContaining("buckets");
        assertThatThrownBy(() -> filter(8, 4, 11)).hasMessageContaining("even");
        assertThatThrownBy(() -> filter(8, 4, 10).insertSeparately(1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("copies");
        assertThatThrownBy(() -> filter(8, 4, 10).remove(1, -1)).hasMessageContaining("copies");
    }
}
