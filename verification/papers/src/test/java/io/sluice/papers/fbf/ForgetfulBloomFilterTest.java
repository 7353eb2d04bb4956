/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ForgetfulBloomFilterTest {

    @ParameterizedTest
    @EnumSource(names = {"NEIGHBOUR_PAIRS", "SLICES"})
    void holdsIdsThroughExactlyTheGuaranteedRefreshes(SeenRule rule) {
        for (int n : new int[] {1, 2, 4, 5, 6, 13, 14, 30, 61}) {
            ForgetfulBloomFilter filter =
                    ForgetfulBloomFilter.builder()
                            .pastFilters(n)
                            .rule(rule)
                            .scattered(1 << 16, 10)
                            .build();
            ArrayDeque<List<Long>> slices = new ArrayDeque<>();
            long id = 0;
            for (int slice = 0; slice < 3 * n + 5; slice++) {
                List<Long> ids = new ArrayList<>();
                for (int i = 0; i < 50; i++, id++) {
                    if (filter.add(Hashing.hash(id))) {
                        ids.add(id);
                    }
                }
                slices.addFirst(ids);
                if (slices.size() > n + 2) {
                    List<Long> gone = slices.removeLast();
                    assertThat(gone).noneMatch(i -> filter.mightContain(Hashing.hash(i)));
                }
                for (List<Long> held : slices) {
                    assertThat(held).allMatch(i -> filter.mightContain(Hashing.hash(i)));
                }
                assertThat(filter.filters()).isLessThanOrEqualTo(n + 2);
                filter.refresh();
            }
        }
    }
}
