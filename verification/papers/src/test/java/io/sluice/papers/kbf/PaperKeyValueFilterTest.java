/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.KeyValueFilter;
import io.sluice.papers.kbf.Workload.Structure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The structures that the case study compares, the paper's and the one that it compares with. */
class PaperKeyValueFilterTest {
    private static final int KEYS = 5_000;

    @ParameterizedTest
    @EnumSource
    void tellsNothingWrongOfWhatItHolds(Structure structure) {
        KeyValueFilter filter = Workload.create(structure, Cells.of(1e-3, 1, KEYS), 60);
        for (int key = 0; key < KEYS; key++) {
            filter.insert(key, key % 60);
        }
        int unknown = 0;
        for (int key = 0; key < KEYS; key++) {
            int found = filter.query(key);
            assertThat(found).isIn(key % 60, KeyValueFilter.AMBIGUOUS);
            unknown += found < 0 ? 1 : 0;
        }
        assertThat(unknown).isLessThan(KEYS / 50);
        assertThat(filter.values()).isEqualTo(60);
        assertThat(filter.sizeInBytes()).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void changesAndForgetsWhatItIsTold(Structure structure) {
        KeyValueFilter filter = Workload.create(structure, Cells.of(1e-4, 1, KEYS), 8);
        for (int key = 0; key < 100; key++) {
            filter.insert(key, key % 8);
        }
        for (int key = 0; key < 100; key++) {
            assertThat(filter.update(key, key % 8, (key + 1) % 8)).isTrue();
            assertThat(filter.query(key)).isEqualTo((key + 1) % 8);
            assertThat(filter.update(key, (key + 2) % 8, 0)).as("it has another one").isFalse();
        }
        assertThat(filter.refused()).isEqualTo(100);
        for (int key = 0; key < 100; key++) {
            assertThat(filter.remove(key, (key + 1) % 8)).isTrue();
            assertThat(filter.query(key)).isEqualTo(KeyValueFilter.ABSENT);
        }
    }

    /** A cell of two keys tells both; when one leaves, it is a cell of one again. */
    @ParameterizedTest
    @EnumSource(names = {"PAPER", "INTERSECTING", "PRODUCT"})
    void aDeletionMakesCellsDecodableAgain(Structure structure) {
        // Two cells a partition: keys share all of them again and again.
        KeyValueFilter filter = Workload.create(structure, new Cells(3, 2), 8);
        for (int key = 0; key < 4; key++) {
            filter.insert(key, key);
        }
        for (int key = 3; key > 0; key--) {
            if (filter.query(key) == key) {
                filter.remove(key, key);
            }
        }
        filter.insert(100, 5);
        filter.remove(100, 5);
        assertThat(filter.query(0)).isIn(0, KeyValueFilter.AMBIGUOUS);
    }
}
