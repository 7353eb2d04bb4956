/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SelectTest {

    @Test
    void findsEverySetBitOfEveryKindOfWord() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 20_000; i++) {
            long word = random.nextLong();
            for (int sparser = i % 6; sparser > 0; sparser--) {
                word &= random.nextLong();
            }
            check(i % 7 == 0 ? ~word : word);
        }
        check(-1L);
        for (int bit = 0; bit < Long.SIZE; bit++) {
            check(1L << bit);
            check(-1L << bit);
            check(-1L >>> bit);
        }
    }

    private static void check(long word) {
        int rank = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            if ((word >>> bit & 1) != 0) {
                assertThat(Select.bit(word, rank)).as("rank %d of %x", rank, word).isEqualTo(bit);
                rank++;
            }
        }
    }
}
