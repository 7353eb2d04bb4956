/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import java.util.List;
import org.junit.jupiter.api.Test;

class CuckooMergeTest {

    private static CountingCuckooFilter filter(long buckets) {
        return CountingCuckooFilter.create(new CuckooShape(20, 4, buckets), Storage.HEAP);
    }

    @Test
    void aSumAddsUpCountsAndLeavesItsPartsAsTheyAre() {
        CountingCuckooFilter one = filter(10);
        CountingCuckooFilter two = filter(10);
        CountingCuckooFilter three = filter(10);
        one.insert(5, 2);
        one.insert(6, 9);
        two.insert(5, 3);
        two.insert(7, 1);
        three.insert(6, 9);

        CountingCuckooFilter sum = CuckooMerge.sum(List.of(one, two, three));

        assertThat(sum.count(5)).isEqualTo(5);
        assertThat(sum.count(6)).as("18, of at most 15").isEqualTo(15);
        assertThat(sum.count(7)).isEqualTo(1);
        assertThat(sum.occupied()).isEqualTo(3);
        assertThat(one.count(5)).isEqualTo(2);
        assertThat(two.count(5)).isEqualTo(3);
        assertThat(three.occupied()).isEqualTo(1);
    }

    @Test
    void aSumThatDoesNotFitIsRefused() {
        CountingCuckooFilter one = filter(10);
        CountingCuckooFilter two = filter(10);
        Seeds.random().longs(25).forEach(hash -> one.insert(hash, 1));
        Seeds.random().longs(60).skip(35).forEach(hash -> two.insert(hash, 1));
        long before = one.occupied();

        assertThatThrownBy(() -> CuckooMerge.sum(List.of(one, two)))
                .isInstanceOf(FilterFullException.class);

        assertThat(one.occupied()).isEqualTo(before);
    }

    @Test
    void filtersOfDifferentShapesAndNoneAreRefused() {
        assertThatThrownBy(() -> CuckooMerge.sum(List.of(filter(10), filter(12))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one shape");
        assertThatThrownBy(() -> CuckooMerge.sum(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be empty");
    }
}
