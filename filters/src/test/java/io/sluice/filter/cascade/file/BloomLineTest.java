/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BloomLineTest {
    private static final int LINES_LOG = 12;
    private static final int KEYS = 64 << LINES_LOG;
    private static final int LOOKUPS = 1_000_000;

    private final SplittableRandom random = new SplittableRandom(20261124);

    @Test
    void aKeyHasThreeBitsInOneWordOfEachHalf() {
        for (int i = 0; i < 100_000; i++) {
            long bits = BloomLine.hash(key(47));
            assertThat(Long.bitCount(BloomLine.firstMask(bits))).isEqualTo(3);
            assertThat(Long.bitCount(BloomLine.secondMask(bits))).isEqualTo(3);
            assertThat(BloomLine.firstWord(bits)).isBetween(0, 3);
            assertThat(BloomLine.secondWord(bits)).isBetween(4, 7);
        }
    }

    @Test
    void allBitsOfAWordAreUsedAlike() {
        int[] used = new int[Long.SIZE];
        for (int i = 0; i < 640_000; i++) {
            long mask = BloomLine.firstMask(BloomLine.hash(key(47)));
            for (int bit = 0; bit < Long.SIZE; bit++) {
                used[bit] += (int) (mask >>> bit & 1);
            }
        }
        // 30,000 each, with a standard deviation of 170.
        assertThat(IntStream.of(used).boxed()).allMatch(count -> Math.abs(count - 30_000) < 1_000);
    }

    /**
     * What the class comment says about 8 bits for a key, even if keys have few bits themselves.
     */
    @ParameterizedTest
    @ValueSource(ints = {47, 34, 30})
    void errsAsRarelyAsSixRandomBits(int hashBits) {
        long[] words = new long[BloomLine.WORDS << LINES_LOG];
        for (int i = 0; i < KEYS; i++) {
            long key = key(hashBits);
            long bits = BloomLine.hash(key);
            words[line(key) + BloomLine.firstWord(bits)] |= BloomLine.firstMask(bits);
            words[line(key) + BloomLine.secondWord(bits)] |= BloomLine.secondMask(bits);
        }
        int errors = 0;
        for (int i = 0; i < LOOKUPS; i++) {
            long key = key(hashBits);
            long bits = BloomLine.hash(key);
            long first = words[line(key) + BloomLine.firstWord(bits)];
            long second = words[line(key) + BloomLine.secondWord(bits)];
            long missing =
                    (~first & BloomLine.firstMask(bits)) | (~second & BloomLine.secondMask(bits));
            errors += missing == 0 ? 1 : 0;
        }
        assertThat(errors / (double) LOOKUPS).isBetween(0.0250, 0.0275);
    }

    /** A random entry of key group 0. */
    private long key(int hashBits) {
        return random.nextLong() & Entries.mask(hashBits) & ~Entries.TOMBSTONE & (1L << 48) - 1;
    }

    /** Chosen by the highest bits of the hash, as in an overview. */
    private static int line(long key) {
        return (int) (key >>> (48 - LINES_LOG)) * BloomLine.WORDS;
    }
}
