/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BlocksTest {

    /** Every block except the middle one must stay as it is. */
    private static final int BLOCK = 1;

    static IntStream widths() {
        return IntStream.rangeClosed(1, 56);
    }

    @ParameterizedTest
    @MethodSource("widths")
    void movesRemaindersOfEveryWidthAndNothingElse(int width) {
        Blocks blocks = Blocks.allocate(Storage.HEAP, 7, width);
        long base = blocks.base(BLOCK);
        long[] model = new long[Blocks.SLOTS];
        int used = 0;
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 2_000; i++) {
            long remainder = random.nextLong() & blocks.remainderMask;
            if (random.nextInt(used + 1) < 40) {
                int slot = random.nextInt(Math.min(used + 1, Blocks.SLOTS));
                blocks.shiftIn(base, slot, used, remainder);
                System.arraycopy(model, slot, model, slot + 1, Blocks.SLOTS - 1 - slot);
                model[slot] = remainder;
                used = Math.min(Blocks.SLOTS, used + 1);
            } else {
                int slot = random.nextInt(used);
                blocks.shiftOut(base, slot, used);
                System.arraycopy(model, slot + 1, model, slot, Blocks.SLOTS - 1 - slot);
                model[--used] = 0;
            }
            for (int slot = 0; slot < Blocks.SLOTS; slot++) {
                assertThat(blocks.remainder(base, slot)).isEqualTo(model[slot]);
            }
            search(blocks, base, model, random);
        }
        for (int slot = used - 1; slot >= 0; slot--) {
            blocks.shiftOut(base, slot, slot + 1);
        }
        for (long word = 0; word < blocks.words.length(); word++) {
            assertThat(blocks.words.get(word)).isZero();
        }
    }

    private static void search(Blocks blocks, long base, long[] model, SplittableRandom random) {
        int from = random.nextInt(Blocks.SLOTS);
        int length = random.nextInt(Blocks.SLOTS - from + 1);
        long wanted =
                random.nextBoolean()
                        ? model[random.nextInt(Blocks.SLOTS)]
                        : random.nextLong() & blocks.remainderMask;
        boolean held = false;
        for (int slot = from; slot < from + length; slot++) {
            held |= model[slot] == wanted;
        }
        assertThat(blocks.holds(base, from, length, wanted)).isEqualTo(held);
    }

    @Test
    void everyQuotientHasItsHome() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 100_000; i++) {
            long quotient = random.nextLong(1L << (1 + random.nextInt(36)));
            assertThat(Blocks.blockOf(quotient)).isEqualTo(quotient / Blocks.SLOTS);
        }
        long greatest = (1L << QuotientSizing.MAX_QUOTIENT_BITS) - 1;
        assertThat(Blocks.blockOf(greatest)).isEqualTo(greatest / Blocks.SLOTS);
    }

    @Test
    void aBlockOfEightBitRemaindersIsACacheLine() {
        assertThat(Blocks.stride(8) * Long.BYTES).isEqualTo(64);
    }

    /** Blocks of eight words, twice as many as are home to quotients, and two words. */
    @Test
    void everyQuotientHasAHomeAndNoHomeIsWithoutQuotients() {
        assertThat(Blocks.wordsFor(48, 8)).isEqualTo(2 * 8 + 2);
        assertThat(Blocks.wordsFor(49, 8)).isEqualTo(4 * 8 + 2);
        assertThat(Blocks.wordsFor(96, 8)).isEqualTo(4 * 8 + 2);
    }
}
