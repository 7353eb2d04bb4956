/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.keyvalue.code.GreedySearch;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A comparison with rivals that do not work is worthless. */
class RivalsTest {

    private static final int KEYS = 3_000;
    private static final int VALUES = 11;

    static Stream<KeyValueFilter> rivals() {
        PartitionedCells roomy = PartitionedCells.of(14, 8, KEYS);
        return Stream.of(
                new StateBloomFilter(roomy, VALUES),
                new PaperKeyValueFilter(roomy, CodeKind.BCH_PAIRS.create(VALUES)),
                new CuckooMaplet(KEYS, VALUES, 32),
                QuotientMaplet.ofBitsPerKey(KEYS, VALUES, 32),
                new ExactMap(KEYS, VALUES));
    }

    @ParameterizedTest
    @MethodSource("rivals")
    void tellMostValuesAndNeverAWrongOne(KeyValueFilter filter) {
        StaticErrors errors = StaticErrors.measure(filter, Workload.TCP, KEYS, 1);
        assertThat(errors.wrong()).isZero();
        assertThat(errors.strictTotal()).isLessThan(0.05);
        assertThat(filter.values()).isEqualTo(VALUES);
        assertThat(filter.sizeInBytes()).isPositive();
        for (long key = 0; key < 100; key++) {
            long absent = Workload.key(5, key);
            if (filter.query(absent) == KeyValueFilter.ABSENT) {
                assertThat(filter.delete(absent, 3)).isFalse();
                assertThat(filter.update(absent, 3, 4)).isFalse();
            }
        }
        assertThat(filter.refused()).isGreaterThan(150);
    }

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
            assertThat(maplet.delete(hashes[i], 5)).isTrue();
            assertThat(maplet.query(hashes[i])).isEqualTo(KeyValueFilter.ABSENT);
        }
    }

    /** What Bonomi's rules keep and what they lose. */
    @Test
    void theStateBloomFilterKeepsEqualValuesAndLosesConflicts() {
        StateBloomFilter filter = new StateBloomFilter(new PartitionedCells(2, 1), VALUES);
        filter.insert(1, 4);
        filter.insert(2, 4);
        assertThat(filter.query(1)).isEqualTo(4);
        filter.insert(3, 5);
        assertThat(filter.query(1)).isEqualTo(KeyValueFilter.AMBIGUOUS);
        assertThat(filter.delete(3, 5)).isTrue();
        assertThat(filter.query(1)).as("is not undone").isEqualTo(KeyValueFilter.AMBIGUOUS);
    }

    @Test
    void theRegressionFindsEveryCodeWordAndNothingElse() {
        GreedySearch search = new GreedySearch();
        int[] words = new int[300];
        for (int i = 0; i < words.length; i++) {
            words[i] = search.next();
        }
        RegressionLookup lookup = new RegressionLookup(words);
        int index = 0;
        for (int word = 1; word <= words[words.length - 1]; word++) {
            boolean code = word == words[index];
            assertThat(lookup.indexOf(word)).isEqualTo(code ? index : -1);
            index += code ? 1 : 0;
        }
    }

    @Test
    void theSecondFilterGivesKnownValuesTheirNumberAgain() {
        SecondaryFilter secondary = new SecondaryFilter(100, 1e-4);
        for (int value = 0; value < 100; value++) {
            assertThat(secondary.number(Workload.key(1, value))).isEqualTo(value);
        }
        for (int value = 0; value < 100; value++) {
            assertThat(secondary.number(Workload.key(1, value))).isEqualTo(value);
        }
    }

    @Test
    void flowsLiveAndDieWithoutErrorsInAnExactMap() {
        ExactMap exact = new ExactMap(1_000, VALUES);
        Churn churn = new Churn(exact, 1_000, false, 1);
        for (int i = 0; i < 300; i++) {
            churn.step();
        }
        assertThat(churn.rates()).isEqualTo(new Churn.Rates(0, 0, 0, 0));
        assertThat(exact.refused()).isZero();
    }
}
