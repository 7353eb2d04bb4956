/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Merges against sorting. */
class TournamentMergeTest {

    private final SplittableRandom random = Seeds.random();

    /** Numbers of an array, a few at a time; their number is known or not. */
    private final class ArrayCursor implements SortedCursor<RuntimeException> {
        private final long[] numbers;
        private final boolean isKnown = random.nextBoolean();
        private int at;

        private ArrayCursor(long[] numbers) {
            this.numbers = numbers;
        }

        @Override
        public int next(long[] into) {
            int n = Math.min(numbers.length - at, 1 + random.nextInt(into.length));
            System.arraycopy(numbers, at, into, 0, n);
            at += n;
            return n;
        }

        @Override
        public long expectedEntries() {
            return isKnown ? numbers.length - at : 0;
        }
    }

    private List<long[]> inputs(long bound) {
        List<long[]> inputs = new ArrayList<>();
        for (int i = 1 + random.nextInt(9); i > 0; i--) {
            inputs.add(random.longs(random.nextInt(4_000), 0, bound).sorted().toArray());
        }
        return inputs;
    }

    private List<ArrayCursor> cursors(List<long[]> inputs) {
        return inputs.stream().map(ArrayCursor::new).toList();
    }

    private long[] read(SortedCursor<RuntimeException> cursor) {
        LongStream.Builder all = LongStream.builder();
        long[] some = new long[1 + random.nextInt(5_000)];
        for (int n = cursor.next(some); n > 0; n = cursor.next(some)) {
            Arrays.stream(some, 0, n).forEach(all);
        }
        return all.build().toArray();
    }

    @Test
    void allNumbersStay() {
        for (long bound : new long[] {1, 50, 10_000, Long.MAX_VALUE}) {
            for (int round = 0; round < 50; round++) {
                List<long[]> inputs = inputs(bound);
                assertThat(read(TournamentMerge.all(cursors(inputs))))
                        .isEqualTo(
                                inputs.stream().flatMapToLong(Arrays::stream).sorted().toArray());
            }
        }
    }

    @Test
    void ofNumbersThatDifferInIgnoredBitsTheOneOfTheEarliestInputStays() {
        for (long bound : new long[] {4, 5_000, Long.MAX_VALUE}) {
            for (int round = 0; round < 50; round++) {
                List<long[]> inputs = new ArrayList<>();
                TreeMap<Long, Long> expected = new TreeMap<>();
                for (long[] some : inputs(bound)) {
                    TreeMap<Long, Long> one = new TreeMap<>();
                    Arrays.stream(some).forEach(number -> one.put(number | 3, number));
                    inputs.add(one.values().stream().mapToLong(Long::longValue).toArray());
                    one.forEach(expected::putIfAbsent);
                }
                assertThat(read(TournamentMerge.firstOfEqual(cursors(inputs), 3)))
                        .isEqualTo(expected.values().stream().mapToLong(Long::longValue).toArray());
            }
        }
    }

    @Test
    void aMergeOfNothingIsRefused() {
        assertThatThrownBy(() -> TournamentMerge.all(List.<ArrayCursor>of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("inputs");
    }
}
