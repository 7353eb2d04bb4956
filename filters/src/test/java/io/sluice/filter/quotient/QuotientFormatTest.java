/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.GoldenSequence;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The persistent form: golden files, which must be readable for ever, and damage. */
class QuotientFormatTest {

    private static byte[] golden(String name) {
        return GoldenFile.read("quotient/" + name);
    }

    private static QuotientFilter read(byte[] bytes, Storage storage) throws IOException {
        return QuotientFilter.readFrom(new ByteArrayInputStream(bytes), "golden", storage);
    }

    private static byte[] write(QuotientFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenSet(Storage storage) throws IOException {
        GoldenFile.assertStillWritten("quotient/v2-set.bin", write(GoldenFiles.set()));
        byte[] bytes = golden("v2-set.bin");
        QuotientFilter filter = read(bytes, storage);
        filter.checkInvariants();
        for (long key = 0; key < GoldenFiles.SET_KEYS; key++) {
            assertThat(filter.count(Hashing.hash(key))).as("key %d", key).isEqualTo(1);
        }
        assertThat(filter.blocks().words.storage()).isEqualTo(storage);
        assertThat(filter.capacity()).isEqualTo(972);
        assertThat(write(filter)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenMultiset(Storage storage) throws IOException {
        GoldenFile.assertStillWritten("quotient/v2-multiset.bin", write(GoldenFiles.multiset()));
        byte[] bytes = golden("v2-multiset.bin");
        QuotientFilter filter = read(bytes, storage);
        filter.checkInvariants();
        for (long key = 0; key < GoldenFiles.MULTISET_KEYS; key++) {
            assertThat(filter.count(Hashing.hash(key))).as("key %d", key).isEqualTo(key % 4 + 1);
        }
        assertThat(filter.refusedRemovals()).isEqualTo(GoldenFiles.REFUSED_REMOVALS);
        assertThat(filter.maxLoad()).isEqualTo(0.98);
        assertThat(filter.grows()).isTrue();
        assertThat(write(filter)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenFiltersOfNarrowAndWideRemainders(Storage storage) throws IOException {
        GoldenSequence golden = new GoldenSequence("quotient/v2-remainders.bin");
        for (int remainderBits : GoldenFiles.REMAINDER_BITS) {
            QuotientFilter filter =
                    golden.next(
                            (in, source) -> QuotientFilter.readFrom(in, source, storage),
                            GoldenFiles.ofRemainderBits(remainderBits));
            filter.checkInvariants();
            assertThat(filter.remainderBits()).isEqualTo(remainderBits);
            assertThat(filter.size()).isEqualTo(GoldenFiles.REMAINDERS_KEYS);
            for (long key = 0; key < GoldenFiles.REMAINDERS_KEYS; key++) {
                assertThat(filter.mightContain(Hashing.hash(key))).as("key %d", key).isTrue();
            }
            int others = 0;
            for (long key = 1; key <= 1_000; key++) {
                others += filter.mightContain(Hashing.hash(-key)) ? 1 : 0;
            }
            double expected = 1_000 * filter.fpp();
            assertThat((double) others)
                    .as("%d bits", remainderBits)
                    .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.5));
        }
        golden.assertEnds();
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenFiltersOfTheLeastAndTheMostBits(Storage storage) throws IOException {
        GoldenSequence golden = new GoldenSequence("quotient/v2-extremes.bin");
        for (int[] bits : GoldenFiles.EXTREME_BITS) {
            QuotientFilter filter =
                    golden.next(
                            (in, source) -> QuotientFilter.readFrom(in, source, storage),
                            GoldenFiles.ofExtremeBits(bits));
            filter.checkInvariants();
            assertThat(filter.quotientBits()).isEqualTo(bits[0]);
            assertThat(filter.remainderBits()).isEqualTo(bits[1]);
            assertThat(filter.maxLoad()).isEqualTo(1);
            assertThat(filter.size()).isEqualTo(1L << bits[0]).isEqualTo(filter.capacity());
            assertThat(filter.count(Hashing.hash(0L))).isEqualTo(filter.size());
        }
        golden.assertEnds();
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenFilterWithoutFingerprints(Storage storage) throws IOException {
        GoldenFile.assertStillWritten("quotient/v2-empty.bin", write(GoldenFiles.empty()));
        byte[] bytes = golden("v2-empty.bin");
        QuotientFilter filter = read(bytes, storage);
        filter.checkInvariants();
        assertThat(filter.size()).isZero();
        assertThat(filter.capacity()).isEqualTo(1);
        assertThat(filter.maxLoad()).isEqualTo(QuotientSizing.MIN_MAX_LOAD);
        assertThat(filter.mightContain(Hashing.hash(0L))).isFalse();
        assertThat(write(filter)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v2-set.bin", "v2-multiset.bin", "v2-empty.bin"})
    void refusesEveryFlippedByteAndEveryPrefix(String name) throws IOException {
        Damage.isAlwaysRefused(
                golden(name), (in, source) -> QuotientFilter.readFrom(in, source, Storage.HEAP));
    }

    /** Bytes with correct checksums that no filter wrote do no harm either. */
    @Test
    void anyWordsAreReadAsAFilterOrRefused() throws IOException {
        SplittableRandom random = Seeds.random();
        QuotientFilter filter = GoldenFiles.set();
        int refused = 0;
        for (int i = 0; i < 3_000; i++) {
            long[] words = words(filter);
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                words[random.nextInt(words.length)] ^= 1L << random.nextInt(Long.SIZE);
            }
            try {
                useAll(read(enveloped(filter, words), Storage.HEAP), random);
            } catch (CorruptFilterException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(500);
    }

    private static void useAll(QuotientFilter filter, SplittableRandom random) {
        assertThat(FingerprintModel.read(filter.cursor(), 64)).hasSize((int) filter.size());
        for (int i = 0; i < 20; i++) {
            filter.add(random.nextLong());
            filter.remove(random.nextLong());
            filter.mightContain(random.nextLong());
        }
    }

    private static long[] words(QuotientFilter filter) {
        long[] words = new long[(int) filter.blocks().words.length()];
        for (int i = 0; i < words.length; i++) {
            words[i] = filter.blocks().words.get(i);
        }
        return words;
    }

    private static byte[] enveloped(QuotientFilter filter, long[] words) throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(27)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .put((byte) filter.quotientBits())
                        .put((byte) filter.remainderBits())
                        .put((byte) 0)
                        .putDouble(filter.maxLoad())
                        .putLong(filter.size())
                        .putLong(0);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        QuotientFilterFormat.KIND,
                        QuotientFilterFormat.VERSION_CURRENT,
                        parameters.flip(),
                        8L * words.length);
        writer.words(words, 0, words.length);
        writer.finish();
        return out.toByteArray();
    }

    @Test
    void refusesParametersThatNoFilterHas() throws IOException {
        QuotientFilter filter = GoldenFiles.set();
        long[] words = words(filter);
        assertThat(read(enveloped(filter, words), Storage.HEAP).size()).isEqualTo(filter.size());
        words[words.length - 1] = 1;
        assertThatThrownBy(() -> read(enveloped(filter, words), Storage.HEAP))
                .isInstanceOf(CorruptFilterException.class);
        assertThatThrownBy(() -> read(enveloped(filter, new long[3]), Storage.HEAP))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("bytes of payload, expected");
    }
}
