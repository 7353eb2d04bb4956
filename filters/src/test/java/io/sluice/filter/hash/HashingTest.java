/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HashingTest {

    /** Reference values of XXH3_64bits of the xxHash project: they must never change. */
    @Test
    void isXxh3() {
        assertThat(Hashing.hash(new byte[0])).isEqualTo(0x2d06800538d394c2L);
        assertThat(Hashing.hash("a".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(0xe6c632b61e964e1fL);
        assertThat(Hashing.hash("abc".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(0x78af5f94892f3950L);
    }

    @Test
    void hashesALongLikeItsLittleEndianBytes() {
        byte[] bytes =
                ByteBuffer.allocate(10)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(1, 0x0123456789abcdefL)
                        .array();
        assertThat(Hashing.hash(0x0123456789abcdefL)).isEqualTo(Hashing.hash(bytes, 1, 8));
    }

    @Test
    void hashesTextByItsContent() {
        assertThat(Hashing.hash(CharBuffer.wrap("order-17")))
                .isEqualTo(Hashing.hash("order-17"))
                .isEqualTo(Hashing.hash("order-17".getBytes(StandardCharsets.UTF_16LE)));
    }

    /** A permutation: numbers that differ before still differ afterwards. */
    @Test
    void mixingCanBeUndone() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 10_000; i++) {
            long x = i < 1_000 ? i : random.nextLong();
            assertThat(Unmixed.hash(Hashing.mix(x))).isEqualTo(x);
            assertThat(Hashing.mix(Unmixed.hash(x))).isEqualTo(x);
        }
    }

    /** Flipping one bit changes every bit of the result in half of the cases. */
    @Test
    void everyBitOfAMixedNumberDependsOnAllBits() {
        for (int in = 0; in < Long.SIZE; in++) {
            int[] changes = new int[Long.SIZE];
            for (long x = 0; x < 2_000; x++) {
                long changed = Hashing.mix(x) ^ Hashing.mix(x ^ 1L << in);
                for (int out = 0; out < Long.SIZE; out++) {
                    changes[out] += (int) (changed >>> out & 1);
                }
            }
            for (int out = 0; out < Long.SIZE; out++) {
                assertThat(changes[out]).as("%d to %d", in, out).isBetween(800, 1_200);
            }
        }
    }

    @Test
    void combinesInOrder() {
        assertThat(Hashing.combine(1, 2)).isNotEqualTo(Hashing.combine(2, 1));
    }
}
