/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EntrySortTest {

    @Test
    void sortsAnyEntriesAndTellsWhereEachWas() {
        SplittableRandom random = Seeds.random();
        EntrySort sort = new EntrySort(500);
        for (int round = 0; round < 2_000; round++) {
            int count = random.nextInt(500);
            long base = random.nextLong() >>> 1;
            int bits = random.nextInt(1, 63);
            long[] entries = new long[count];
            for (int i = 0; i < count; i++) {
                entries[i] = (base & -1L << bits) | random.nextLong() >>> (Long.SIZE - bits);
            }
            long[] sorted = entries.clone();
            int[] places = IntStream.range(0, count).toArray();
            sort.sort(sorted, places, count);
            for (int i = 0; i < count; i++) {
                assertThat(sorted[i]).isEqualTo(entries[places[i]]);
            }
            assertThat(Arrays.stream(places).distinct().count()).isEqualTo(count);
            long[] expected = entries.clone();
            Arrays.sort(expected);
            assertThat(sorted).isEqualTo(expected);
        }
    }
}
