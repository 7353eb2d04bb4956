/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.PlaneSizing;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several arrays, what is forgotten of them, and since when nothing is missing. */
class HeldSegmentsTest {

    private static final double FPP = 1e-6;
    private static final long UNSET = Long.MIN_VALUE;

    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final MemoryBudget.Claim claim = budget.claim();
    private final HeldSegments held = new HeldSegments(claim);

    private Segment segment() {
        Segment segment = Segment.create(PlaneSizing.geometry(Layout.QUOTIENT, FPP, 20), 20, FPP);
        claim.reserve(segment.bytes());
        return segment;
    }

    private static void insert(Segment segment, long id, long time, long clock) {
        assertThat(segment.insert(Hashing.hash(id), time, clock)).isTrue();
    }

    private boolean holds(long id) {
        return held.holds(Hashing.hash(id));
    }

    /**
     * An older array with ids 10 (in slice 0) and 20 (in slice 1), and the current one with 30 and
     * 40. Ids are their times, and the clock was 5 behind.
     */
    @BeforeEach
    void twoArrays() {
        Segment older = segment();
        held.begin(older);
        insert(older, 10, 10, 5);
        older.open(1);
        insert(older, 20, 20, 15);
        Segment current = segment();
        held.install(current);
        insert(current, 30, 30, 25);
        current.open(1);
        insert(current, 40, 40, 35);
    }

    @Test
    void idsOfAllArraysAreHeld() {
        for (long id : new long[] {10, 20, 30, 40}) {
            assertThat(holds(id)).isTrue();
        }
        assertThat(holds(50)).isFalse();
        assertThat(held.ids()).isEqualTo(4);
        assertThat(held.generations()).isEqualTo(4);
        assertThat(held.older()).hasSize(1);
        assertThat(held.all()).hasSize(2);
        assertThat(held.readBesides()).hasSize(2);
        assertThat(held.bytes()).isEqualTo(budget.reserved());
        assertThat(held.earliestEnd()).isEqualTo(10);
        assertThat(held.fppMadeFor()).isEqualTo(2 * FPP);
    }

    @Test
    void theProbabilityIsThatAnyOfTheArraysErrs() {
        double ofOlder = held.older().get(0).predictedFpp(1 << 10, false);
        double ofCurrent = held.current().predictedFpp(1 << 10, true);
        assertThat(ofOlder).isPositive();
        assertThat(ofCurrent).isPositive();
        assertThat(held.predictedFpp())
                .isCloseTo(1 - (1 - ofOlder) * (1 - ofCurrent), withinPercentage(1e-3));
    }

    @Test
    void onlySlicesThatReachToTheHorizonAreLookedInto() {
        assertThat(held.holdsSince(Hashing.hash(20L), 20)).isTrue();
        assertThat(held.holdsSince(Hashing.hash(20L), 21)).isFalse();
        assertThat(held.holdsSince(Hashing.hash(40L), 40)).isTrue();
        assertThat(held.holdsSince(Hashing.hash(30L), 40)).isFalse();
        assertThat(held.holdsSince(Hashing.hash(99L), 0)).isFalse();
    }

    @Test
    void aSliceIsForgottenWhenAllOfItIsBeforeTheHorizon() {
        held.forgetBefore(10);
        assertThat(holds(10)).isTrue();
        assertThat(held.coveredSince()).isEqualTo(UNSET);
        held.forgetBefore(11);
        assertThat(holds(10)).isFalse();
        assertThat(holds(20)).isTrue();
        assertThat(held.coveredSince()).isEqualTo(11);
        assertThat(held.coveredBehind()).isEqualTo(6);
        assertThat(held.older()).hasSize(1);
    }

    @Test
    void anOlderArrayGoesWithItsLastSliceAndGivesBackItsMemory() {
        long before = budget.reserved();
        held.forgetBefore(20);
        assertThat(held.older()).hasSize(1);
        held.forgetBefore(21);
        assertThat(held.older()).isEmpty();
        assertThat(budget.reserved()).isEqualTo(before / 2);
        assertThat(held.coveredSince()).isEqualTo(21);
        assertThat(held.coveredBehind()).isEqualTo(16);
        assertThat(holds(20)).isFalse();
        assertThat(holds(30)).isTrue();
    }

    @Test
    void theActiveSliceOfTheCurrentArrayIsNotForgottenByTime() {
        held.forgetBefore(1_000);
        assertThat(holds(30)).isFalse();
        assertThat(holds(40)).isTrue();
        assertThat(held.coveredSince()).isEqualTo(31);
        assertThat(held.coveredBehind()).isEqualTo(26);
    }

    @Test
    void theOldestSliceOfTheOldestArrayIsForgottenFirst() {
        long bytes = budget.reserved();
        assertThat(held.forgetOldest(false)).isEqualTo(1);
        assertThat(holds(10)).isFalse();
        assertThat(held.coveredSince()).isEqualTo(11);
        assertThat(held.forgetOldest(false)).isEqualTo(1);
        assertThat(holds(20)).isFalse();
        assertThat(held.older()).isEmpty();
        assertThat(budget.reserved()).isEqualTo(bytes / 2);
        assertThat(held.coveredSince()).isEqualTo(21);
        assertThat(held.forgetOldest(false)).isEqualTo(1);
        assertThat(holds(30)).isFalse();
        assertThat(held.forgetOldest(false)).as("the active one").isEqualTo(1);
        assertThat(holds(40)).isFalse();
        assertThat(held.ids()).isZero();
        assertThat(held.coveredSince()).isEqualTo(41);
        assertThat(held.coveredBehind()).isEqualTo(36);
        assertThat(budget.reserved()).isEqualTo(bytes / 2);
    }

    @Test
    void theOldestIsTheFirstToExpireOrTheFirstThatWasOpened() {
        Segment current = segment();
        held.install(current);
        insert(current, 90, 90, 90);
        current.open(1);
        insert(current, 50, 50, 50);
        current.open(2);
        for (int i = 0; i < 4; i++) {
            held.forgetOldest(true);
        }
        assertThat(held.older()).isEmpty();
        assertThat(held.forgetOldest(false)).isEqualTo(1);
        assertThat(holds(50)).as("first to expire").isFalse();
        assertThat(holds(90)).isTrue();
    }

    @Test
    void withoutAClockTheFirstThatWasOpenedGoes() {
        Segment current = held.current();
        current.open(2);
        insert(current, 35, 35, 35);
        current.open(3);
        held.forgetOldest(true);
        held.forgetOldest(true);
        current.retire(1);
        current.array.finishSweep();
        current.open(0);
        insert(current, 1, 1, 1);
        current.open(4);
        assertThat(held.forgetOldest(true)).isEqualTo(1);
        assertThat(holds(40)).as("opened first").isFalse();
        assertThat(holds(1)).as("first to expire").isTrue();
    }

    @Test
    void anEmptyArrayIsReplacedAtOnce() {
        Segment empty = segment();
        held.install(empty);
        long bytes = budget.reserved();
        assertThat(held.older()).hasSize(2);
        assertThat(held.readBesides()).hasSize(2);
        held.install(segment());
        assertThat(budget.reserved()).isEqualTo(bytes);
        assertThat(held.older()).hasSize(2);
        assertThat(held.current()).isNotSameAs(empty);
    }

    @Test
    void thereAreAtMostThirtyTwoArraysAndHalfOfThemForOtherReasonsThanGrowth() {
        while (held.all().size() < HeldSegments.MAX_SEGMENTS / 2 - 1) {
            grow();
        }
        assertThat(held.mayReplace()).isTrue();
        grow();
        assertThat(held.all()).hasSize(HeldSegments.MAX_SEGMENTS / 2);
        assertThat(held.mayReplace()).isFalse();
        while (held.all().size() < HeldSegments.MAX_SEGMENTS - 1) {
            grow();
        }
        assertThat(held.mayGrow()).isTrue();
        held.install(segment());
        assertThat(held.mayGrow()).as("the last one is empty").isTrue();
        assertThat(held.mayReplace()).isTrue();
        insert(held.current(), 7, 7, 7);
        assertThat(held.mayGrow()).isFalse();
        assertThat(held.mayReplace()).isFalse();
    }

    private void grow() {
        held.install(segment());
        insert(held.current(), 7, 7, 7);
    }

    @Test
    void aClockThatStartsBringsAllTimesDownToTheLatestThatIsBelieved() {
        held.forgetBefore(21);
        held.clockStarts(12, 18);
        assertThat(held.coveredSince()).isEqualTo(19);
        assertThat(held.coveredBehind()).isEqualTo(12);
        assertThat(held.earliestEnd()).isEqualTo(18);
        held.clockStarts(100, 200);
        assertThat(held.coveredSince()).isEqualTo(19);
        assertThat(held.coveredBehind()).isEqualTo(12);
    }

    @Test
    void aClockThatStartsReachesOlderArraysToo() {
        held.clockStarts(5, 8);
        held.forgetBefore(9);
        assertThat(held.older()).isEmpty();
        assertThat(holds(30)).isFalse();
    }

    @Test
    void allTimesMoveTogether() {
        held.forgetBefore(11);
        held.shiftTime(-100);
        assertThat(held.coveredSince()).isEqualTo(-89);
        assertThat(held.coveredBehind()).isEqualTo(-94);
        assertThat(held.earliestEnd()).isEqualTo(-80);
        held.forgetBefore(-79);
        assertThat(holds(20)).isFalse();
        assertThat(holds(30)).isTrue();
        held.shiftTime(-Long.MAX_VALUE);
        assertThat(held.coveredSince()).as("after the least time").isEqualTo(UNSET + 2);
    }

    @Test
    void whatWasNeverForgottenHasNoTimeThatMoves() {
        held.shiftTime(50);
        assertThat(held.coveredSince()).isEqualTo(UNSET);
        assertThat(held.coveredBehind()).isEqualTo(UNSET);
        assertThat(held.earliestEnd()).isEqualTo(60);
    }

    @Test
    void releasingGivesBackEverything() {
        held.release();
        assertThat(budget.reserved()).isZero();
    }
}
