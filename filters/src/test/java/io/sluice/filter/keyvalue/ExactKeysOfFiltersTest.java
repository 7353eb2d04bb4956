/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.keyvalue.code.CodeKind;
import org.junit.jupiter.api.Test;

/** Keys that a crowded filter keeps exactly go where the filter goes. */
class ExactKeysOfFiltersTest {
    private static final int KEYS = 1_000;
    private static final int VALUES = 11;

    private static KeyValueBloomFilter crowded(int from, int to) {
        KeyValueShape shape = Shapes.shape(CodeKind.PRODUCT_PAIRS, VALUES, 2, 2, 1.2, KEYS);
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .shape(shape, KEYS)
                        .mostFilters(2)
                        .exactKeys(KEYS)
                        .build();
        for (int key = from; key < to; key++) {
            filter.insert(Hashing.hash(key), key % VALUES);
        }
        return filter;
    }

    @Test
    void aCopyAnswersAsItsOriginalDoes() {
        KeyValueBloomFilter filter = crowded(0, KEYS);
        assertThat(filter.exactKeys()).isPositive();

        KeyValueBloomFilter copy = filter.copy();

        assertThat(copy.exactKeys()).isEqualTo(filter.exactKeys());
        for (int key = 0; key < 2 * KEYS; key++) {
            assertThat(copy.query(Hashing.hash(key))).isEqualTo(filter.query(Hashing.hash(key)));
        }
    }

    @Test
    void aMergeTakesTheExactKeysOfTheOther() {
        KeyValueBloomFilter empty = crowded(0, 0);
        KeyValueBloomFilter other = crowded(0, KEYS);

        empty.merge(other);

        assertThat(empty.exactKeys()).isEqualTo(other.exactKeys());
        for (int key = 0; key < KEYS; key++) {
            assertThat(empty.query(Hashing.hash(key))).isEqualTo(other.query(Hashing.hash(key)));
        }
    }
}
