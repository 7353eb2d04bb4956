/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.quotient.QuotientMaplet;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A comparison with rivals that do not work is worthless. */
class RivalsTest {

    private static final int KEYS = 3_000;
    private static final int VALUES = 11;

    static Stream<KeyValueFilter> maplets() {
        return Stream.of(
                new CuckooMaplet(KEYS, VALUES, 40), QuotientMaplet.ofBitsPerKey(KEYS, VALUES, 40));
    }

    @ParameterizedTest
    @MethodSource("maplets")
    void mapletsSurviveALifeAtFullLoad(KeyValueFilter maplet) {
        long[] hashes = new SplittableRandom(3).longs(KEYS).toArray();
        for (int i = 0; i < KEYS; i++) {
            maplet.insert(hashes[i], i % VALUES);
        }
        for (int i = 0; i < KEYS; i++) {
            assertThat(maplet.query(hashes[i])).isEqualTo(i % VALUES);
            assertThat(maplet.update(hashes[i], i % VALUES, 5)).isTrue();
        }
        for (int i = 0; i < KEYS; i++) {
            assertThat(maplet.remove(hashes[i], 5)).isTrue();
            assertThat(maplet.query(hashes[i])).isEqualTo(KeyValueFilter.ABSENT);
        }
    }
}
