/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each method takes, counted in messages of the operator. */
class LocalExchangeTest {

    private static final int ELEMENTS = 64_000;

    /** How the elements that differ, do. */
    private enum Difference {
        /** A quarter each: missing at A, missing at B, once more at A, once more at B. */
        EVERY_KIND,
        MISSING_AT_B,
        OTHER_MULTIPLICITIES
    }

    private record Pair(RootSet a, RootSet b) {}

    private static Pair pair(
            int elements, int differing, int mostCopies, Difference difference, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] hashes = random.longs(elements).toArray();
        long[][] copies = new long[2][elements];
        for (int i = 0; i < elements; i++) {
            copies[0][i] = copies[1][i] = random.nextInt(1, mostCopies + 1);
            if (i < differing) {
                switch (difference) {
                    case EVERY_KIND -> copies[i >> 1 & 1][i] = (i & 1) == 0 ? 0 : copies[0][i] + 1;
                    case MISSING_AT_B -> copies[1][i] = 0;
                    case OTHER_MULTIPLICITIES -> copies[0][i] += 1 + random.nextInt(5);
                }
            }
        }
        return new Pair(root(hashes, copies[0]), root(hashes, copies[1]));
    }

    private static RootSet root(long[] hashes, long[] copies) {
        return visitor -> {
            for (int i = 0; i < hashes.length; i++) {
                if (copies[i] > 0) {
                    visitor.element(hashes[i], copies[i]);
                }
            }
        };
    }

    private static LocalExchange.Cost cost(
            DifferenceMethod method, int groups, int counterBits, Pair pair) {
        return LocalExchange.of(method, groups, counterBits, pair.a, pair.b, Seeds.seed(7));
    }

    private static void check(
            double share, Difference difference, int mostCopies, int counterBits) {
        int differing = (int) (share * ELEMENTS);
        Pair pair = pair(ELEMENTS, differing, mostCopies, difference, Seeds.seed(differing));
        Map<DifferenceMethod, LocalExchange.Cost> costs = new EnumMap<>(DifferenceMethod.class);
        for (DifferenceMethod method : DifferenceMethod.values()) {
            costs.put(method, cost(method, 1, counterBits, pair));
        }
        long best =
                costs.values().stream().mapToLong(LocalExchange.Cost::bytes).min().orElseThrow();
        LocalExchange.Cost auto = costs.get(DifferenceMethod.AUTO);
        assertThat(auto.bytes())
                .as("%s of %s, %d copies, %s", differing, difference, mostCopies, costs)
                .isLessThanOrEqualTo(best + best / 10);
        assertThat(auto.checkpoints()).as("%s", costs).isLessThanOrEqualTo(12);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.3})
    void theAutomaticChoiceTakesAtMostATenthMoreThanTheBestMethod(double share) {
        check(share, Difference.EVERY_KIND, 1, 8);
        check(share, Difference.MISSING_AT_B, 1_000, 8);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(doubles = {0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5})
    void theAutomaticChoiceTakesAtMostATenthMoreForAllKindsOfDifferences(double share) {
        for (Difference difference : Difference.values()) {
            check(share, difference, 1, 8);
            check(share, difference, 1_000, 8);
            check(share, difference, 1_000, 11);
        }
    }

    @Test
    void equalSidesSendDigestsOnly() {
        Pair pair = pair(1_000, 0, 10, Difference.EVERY_KIND, Seeds.seed(0));
        for (DifferenceMethod method : DifferenceMethod.values()) {
            assertThat(cost(method, 16, 8, pair).bytes())
                    .isLessThanOrEqualTo(16 * 4 * 144)
                    .isGreaterThanOrEqualTo(16 * 2 * 144);
        }
    }

    @Test
    void moreCopiesThanCanBeCountedAreRefused() {
        RootSet two =
                visitor -> {
                    visitor.element(1, Long.MAX_VALUE);
                    visitor.element(2, 1);
                };
        assertThatThrownBy(() -> cost(DifferenceMethod.QUERY, 1, 8, new Pair(two, two)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
