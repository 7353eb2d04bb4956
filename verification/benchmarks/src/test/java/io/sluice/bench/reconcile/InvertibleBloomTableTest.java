/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.ccf.MultisetPair;
import io.sluice.bench.ccf.MultisetPair.Side;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InvertibleBloomTableTest {
    private static final long SEED = Long.getLong("test.seed", 20261101L);

    /** Every difference, nothing else, and on the right side. */
    @Test
    void theDifferenceOfTwoTablesListsTheDifferenceOfTheirSets() {
        for (int differing : new int[] {0, 1, 4, 100, 3_000}) {
            MultisetPair pair = MultisetPair.replicas(10_000, differing, SEED + differing);
            Set<InvertibleBloomTable.Entry> expected = difference(pair);
            InvertibleBloomTable.Listing listing =
                    list(pair, InvertibleBloomTable.cells(expected.size()));
            assertThat(listing.complete()).as("%d, seed %d", differing, SEED).isTrue();
            assertThat(listing.entries()).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void aTableThatIsTooSmallSaysSo() {
        MultisetPair pair = MultisetPair.replicas(10_000, 1_000, SEED);
        Set<InvertibleBloomTable.Entry> expected = difference(pair);
        InvertibleBloomTable.Listing listing = list(pair, expected.size() / 2);
        assertThat(listing.complete()).isFalse();
        assertThat(expected).as("seed %d", SEED).containsAll(listing.entries());
    }

    /**
     * The sizing suffices for nearly all: a few of 300 tables may fail, and all of these report it.
     */
    @Test
    void tablesOfTheRecommendedSizeNearlyAlwaysSucceed() {
        int failed = 0;
        for (int i = 0; i < 300; i++) {
            MultisetPair pair = MultisetPair.replicas(400, 8 + i, SEED + i);
            Set<InvertibleBloomTable.Entry> expected = difference(pair);
            InvertibleBloomTable.Listing listing =
                    list(pair, InvertibleBloomTable.cells(expected.size()));
            failed += listing.complete() ? 0 : 1;
            assertThat(listing.complete()).isEqualTo(listing.entries().size() == expected.size());
        }
        assertThat(failed).as("seed %d", SEED).isLessThan(15);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        InvertibleBloomTable table = new InvertibleBloomTable(9, SEED);
        assertThatThrownBy(() -> table.insert(1, 0)).hasMessageContaining("multiplicity");
        assertThatThrownBy(() -> table.insert(1, InvertibleBloomTable.MAX_COPIES + 1L))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> table.subtract(new InvertibleBloomTable(12, SEED)))
                .hasMessageContaining("9 and 12 cells");
        assertThatThrownBy(() -> new InvertibleBloomTable(0, SEED)).hasMessageContaining("cells");
    }

    private static InvertibleBloomTable.Listing list(MultisetPair pair, int cells) {
        InvertibleBloomTable ofA = new InvertibleBloomTable(cells, SEED);
        InvertibleBloomTable ofB = new InvertibleBloomTable(cells, SEED);
        pair.root(Side.A).forEach(ofA::insert);
        pair.root(Side.B).forEach(ofB::insert);
        ofA.subtract(ofB);
        return ofA.list();
    }

    private static Set<InvertibleBloomTable.Entry> difference(MultisetPair pair) {
        Set<InvertibleBloomTable.Entry> difference = new HashSet<>();
        for (int i = 0; i < pair.size(); i++) {
            long a = pair.copies(Side.A)[i];
            long b = pair.copies(Side.B)[i];
            if (a != b && a > 0) {
                difference.add(new InvertibleBloomTable.Entry(pair.hash(i), (int) a, true));
            }
            if (a != b && b > 0) {
                difference.add(new InvertibleBloomTable.Entry(pair.hash(i), (int) b, false));
            }
        }
        return difference;
    }
}
