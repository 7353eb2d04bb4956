/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.papers.fbf.ForgetfulBloomFilter.Rule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForgetfulBloomFilterTest {

    @Test
    void holdsElementsThroughExactlyTheGuaranteedRefreshes() {
        for (int n : new int[] {1, 2, 4, 13, 30}) {
            ForgetfulBloomFilter filter = new ForgetfulBloomFilter(1 << 16, 10, n, Rule.CORRECTED);
            ArrayDeque<List<Long>> slices = new ArrayDeque<>();
            long id = 0;
            for (int slice = 0; slice < 3 * n + 5; slice++) {
                List<Long> ids = new ArrayList<>();
                for (int i = 0; i < 50; i++, id++) {
                    if (filter.add(id)) {
                        ids.add(id);
                    }
                }
                slices.addFirst(ids);
                if (slices.size() > n + 2) {
                    assertThat(slices.removeLast()).noneMatch(filter::mightContain);
                }
                for (List<Long> held : slices) {
                    assertThat(held).allMatch(filter::mightContain);
                }
                assertThat(filter.filters()).isEqualTo(n + 2);
                filter.refresh();
            }
        }
    }

    @Test
    void theCheckAsPrintedDeniesWhatOnlyTheOldestHolds() {
        for (Rule rule : new Rule[] {Rule.AS_PRINTED, Rule.CORRECTED}) {
            ForgetfulBloomFilter filter = new ForgetfulBloomFilter(1 << 16, 10, 2, rule);
            filter.add(1);
            filter.refresh();
            filter.refresh();
            filter.refresh();
            assertThat(filter.mightContain(1)).isEqualTo(rule == Rule.CORRECTED);
        }
    }

    @Test
    void anAppendedFilterCutsOffTheOldest() {
        ForgetfulBloomFilter filter = new ForgetfulBloomFilter(1 << 16, 10, 1, Rule.CORRECTED);
        filter.add(1);
        filter.refresh();
        filter.refresh();
        assertThat(filter.mightContain(1)).isTrue();
        filter.append(1);
        assertThat(filter.mightContain(1)).isFalse();
    }

    @Test
    void keepingForgetsNothing() {
        ForgetfulBloomFilter filter = new ForgetfulBloomFilter(1 << 16, 10, 1, Rule.CORRECTED);
        filter.add(1);
        for (int i = 0; i < 10; i++) {
            filter.refreshKeeping();
        }
        assertThat(filter.filters()).isEqualTo(13);
        assertThat(filter.slices()[10]).isEqualTo(1);
        for (int i = 0; i < 20; i++) {
            filter.dropOldest();
        }
        assertThat(filter.filters()).isEqualTo(3);
        assertThat(filter.mightContain(1)).isFalse();
    }

    @Test
    void refusesWhatCannotBeAFilter() {
        assertThatThrownBy(() -> new ForgetfulBloomFilter(100, 3, 0, Rule.SIMPLE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1");
    }
}
