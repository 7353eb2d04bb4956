/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The largest counters, beside sorting all of them. */
class TopCountersTest {
    private static final int COUNTERS = 200;

    private static StoredCounter counter(String key, long value) {
        return new StoredCounter(key, value, 0, 0L);
    }

    private static List<StoredCounter> sorted(Map<String, Long> values, int most) {
        return values.entrySet().stream()
                .map(each -> counter(each.getKey(), each.getValue()))
                .sorted(
                        Comparator.comparingLong(StoredCounter::value)
                                .reversed()
                                .thenComparing(StoredCounter::key))
                .limit(most)
                .toList();
    }

    @Test
    void growingValuesNeedNoMorePlacesThanThereAreLargest() {
        for (int most : new int[] {1, 2, 10, COUNTERS, 2 * COUNTERS}) {
            Random random = new Random(most);
            TopCounters top = new TopCounters(most);
            Map<String, Long> values = new HashMap<>();
            for (int i = 0; i < 20_000; i++) {
                String key = "c" + random.nextInt(COUNTERS);
                long value = values.merge(key, (long) random.nextInt(5), Long::sum);
                top.add(counter(key, value));
                if (i % 997 == 0) {
                    assertThat(top.largest()).isEqualTo(sorted(values, most));
                }
            }
            assertThat(top.isExact()).isTrue();
            assertThat(top.largest()).isEqualTo(sorted(values, most));
        }
    }

    @Test
    void aValueThatGoesDownAmongTheLargestIsNoticed() {
        TopCounters top = new TopCounters(2);
        top.add(counter("a", 1));
        top.add(counter("b", 2));
        top.add(counter("c", 3));
        top.add(counter("a", 0));
        assertThat(top.isExact()).as("not one of the largest").isTrue();
        top.add(counter("c", 0));
        assertThat(top.isExact()).isFalse();
    }

    @Test
    void aCounterThatIsDeletedAmongTheLargestIsNoticed() {
        TopCounters top = new TopCounters(1);
        top.add(counter("a", 1));
        top.add(counter("b", 2));
        top.delete("a");
        assertThat(top.isExact()).isTrue();
        top.delete("b");
        assertThat(top.isExact()).isFalse();
    }
}
