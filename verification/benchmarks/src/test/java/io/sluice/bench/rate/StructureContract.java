/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.run.Keys;

/** What every structure in a comparison must do, or its row is meaningless. */
public final class StructureContract {
    private StructureContract() {}

    /**
     * Fills {@code structure} and tests every operation.
     *
     * @param mostFpp share of absent keys that it may report when full
     */
    public static void check(RatedStructure structure, double mostFpp) {
        Contender contender = Contender.of(structure);
        long keys = contender.capacity();
        assertThat(structure.id()).matches("[a-z][A-Za-z0-9]*");
        assertThat(structure.name()).doesNotContain(",").isNotEmpty();

        // Twice: beginning forgets everything.
        for (int pass = 0; pass < 2; pass++) {
            structure.begin();
            assertThat(contender.measuredFpp(0, keys)).as("reported when empty").isLessThan(0.001);
            assertThat(contender.insert(0, keys / 2)).isEqualTo(keys / 2);
            assertThat(contender.insert(keys / 2, keys)).isEqualTo(keys - keys / 2);
            assertHolds(contender, 0, keys);
            assertThat(contender.measuredFpp(0, 100_000)).as("fpp").isLessThanOrEqualTo(mostFpp);
            assertThat(structure.sizeInBytes()).isPositive();
        }
        assertAddsOnlyWhatIsAbsent(contender, mostFpp);
        if (contender instanceof RemovableContender removable) {
            assertRemoves(removable);
        }
        structure.end();
    }

    private static void assertHolds(Contender contender, long from, long to) {
        for (long i = from; i < to; i++) {
            assertThat(contender.structure().contains(Keys.key(i))).as("key %d", i).isTrue();
        }
        assertThat(contender.contains(Keys.present(to), 0, to)).isEqualTo(to);
    }

    /** Half of the keys are already present; the other half is repeated at the end. */
    private static void assertAddsOnlyWhatIsAbsent(Contender contender, double mostFpp) {
        contender.structure().begin();
        long half = contender.capacity() / 2;
        contender.insert(0, half);
        assertThat(contender.addIfAbsent(Keys.present(half), 0, half)).isZero();
        long absent = contender.addIfAbsent(Keys.absent(), 0, half);
        assertThat(absent).isBetween((long) (half * (1 - mostFpp)) - 1, half);
        assertHolds(contender, 0, half);
        // Last, because a filter with a window may take it as a sign to move on.
        assertThat(contender.addIfAbsent(Keys.absent(), 0, half)).isZero();
    }

    private static void assertRemoves(RemovableContender contender) {
        long keys = contender.capacity();
        contender.fill();
        assertThat(contender.remove(keys / 2, keys)).isEqualTo(keys - keys / 2);
        assertHolds(contender, 0, keys / 2);
        double left = 0;
        for (long i = keys / 2; i < keys; i++) {
            left += contender.structure().contains(Keys.key(i)) ? 1 : 0;
        }
        assertThat(left / keys).as("share of removed keys that are reported").isLessThan(0.05);
    }
}
