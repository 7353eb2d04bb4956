/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyGroupsTest {

    @ParameterizedTest
    @CsvSource({
        "0, 1, 5, 1",
        "0, 32768, 0, 1",
        "0, 32768, 7, 7",
        "0, 32768, 1000000000000, 32768",
        "32767, 32768, 2, 1",
        "100, 111, 10, 10",
        "100, 111, 11, 11",
    })
    void areSplitIntoNeighboursOfAboutEqualSize(int first, int end, long most, int ranges) {
        List<KeyGroups> split = new KeyGroups(first, end).split(most);
        assertThat(split).hasSize(ranges);
        int next = first;
        for (KeyGroups range : split) {
            assertThat(range.first()).isEqualTo(next);
            assertThat(range.count()).isBetween((end - first) / ranges, (end - first) / ranges + 1);
            next = range.end();
        }
        assertThat(next).isEqualTo(end);
    }
}
