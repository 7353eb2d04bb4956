/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.filter.forgetful.Segment.Role;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.PlaneSizing;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several arrays, what is forgotten of them, and since when nothing is missing. */
class HeldSegmentsTest {

    private static final double FPP = 1e-6;
    private static final long UNSET = Long.MIN_VALUE;
    private static final long WINDOW = 80;
    private static final long SLICE = 10;

    /** A clock behind which all ids of {@link #twoArrays} are. */
    private static final long CLOCK = 100;

    private static final long BELIEVED = 200;

    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final MemoryBudget.Claim claim = budget.claim();
    private final HeldSegments held = new HeldSegments(claim);

    private Segment segment(Role role) {
        Segment segment =
                Segment.create(
                        PlaneSizing.geometry(Layout.QUOTIENT, FPP, 20), 20, FPP, role, SLICE);
        claim.reserve(segment.bytes());
        return segment;
    }

    private Segment segment() {
        return segment(Role.MAIN);
    }

    private static void insert(Segment segment, long id, long time, long kept) {
        long number = SaturatedTime.slice(time, SLICE);
        assertThat(segment.insert(Hashing.hash(id), Hashing.hash(id), number, time, kept)).isTrue();
    }

    /** Ids are their times. */
    private static void insert(Segment segment, long id) {
        insert(segment, id, id, id);
    }

    private boolean holds(long id) {
        return held.holds(Hashing.hash(id), new NearbySlices(WINDOW, SLICE).of(id));
    }

    private void forgetBefore(long horizon) {
        held.forgetBefore(horizon, CLOCK, BELIEVED);
    }

    /** An older array with ids 15 and 25, and the current one with 35 and 45. */
    @BeforeEach
    void twoArrays() {
        Segment older = segment();
        held.begin(older);
        insert(older, 15);
        insert(older, 25);
        Segment current = segment();
        held.install(current);
        insert(current, 35);
        insert(current, 45);
    }

    @Test
    void idsOfAllArraysAreHeld() {
        for (long id : new long[] {15, 25, 35, 45}) {
            assertThat(holds(id)).isTrue();
        }
        assertThat(holds(55)).isFalse();
        assertThat(held.ids()).isEqualTo(4);
        assertThat(held.generations()).isEqualTo(4);
        assertThat(held.older()).hasSize(1);
        assertThat(held.all()).hasSize(2);
        assertThat(held.readBesides()).hasSize(2);
        assertThat(held.noneWasReplaced()).isFalse();
        assertThat(held.bytes()).isEqualTo(budget.reserved());
        assertThat(held.earliestKept(BELIEVED)).isEqualTo(15);
        assertThat(held.fppMadeFor()).isEqualTo(2 * FPP);
    }

    @Test
    void theProbabilityIsThatAnyOfTheArraysErrs() {
        NearbySlices reach = new NearbySlices(WINDOW, SLICE).of(50);
        double ofOlder = held.older().get(0).predictedFpp(1 << 10, reach);
        double ofCurrent = held.current().predictedFpp(1 << 10, reach);
        assertThat(ofOlder).isPositive();
        assertThat(ofCurrent).isPositive();
        assertThat(held.predictedFpp(reach))
                .isCloseTo(1 - (1 - ofOlder) * (1 - ofCurrent), withinPercentage(1e-3));
    }

    @Test
    void aSliceIsForgottenWhenAllOfItIsBeforeTheHorizon() {
        forgetBefore(19);
        assertThat(holds(15)).isTrue();
        assertThat(held.coveredSince()).isEqualTo(UNSET);
        forgetBefore(20);
        assertThat(holds(15)).isFalse();
        assertThat(holds(25)).isTrue();
        assertThat(held.coveredSince()).isEqualTo(16);
        assertThat(held.coveredBehind()).isEqualTo(16);
        assertThat(held.older()).hasSize(1);
    }

    /** It gets no more ids, so the rest of its last slice does not matter. */
    @Test
    void anOlderArrayGoesWithItsLastIdAndGivesBackItsMemory() {
        long before = budget.reserved();
        forgetBefore(25);
        assertThat(held.older()).hasSize(1);
        forgetBefore(26);
        assertThat(held.older()).isEmpty();
        assertThat(budget.reserved()).isEqualTo(before / 2);
        assertThat(held.coveredSince()).isEqualTo(26);
        assertThat(holds(25)).isFalse();
        assertThat(holds(35)).isTrue();
    }

    @Test
    void theCurrentArrayIsEmptiedAndStays() {
        Segment current = held.current();
        forgetBefore(1_000);
        assertThat(held.current()).isSameAs(current);
        assertThat(held.ids()).isZero();
        assertThat(held.older()).isEmpty();
        assertThat(held.coveredSince()).isEqualTo(46);
        assertThat(current.array.dirty()).as("nothing is left to sweep").isZero();
    }

    @Test
    void whatIsForgottenAheadOfTheClockSaysNothingAboutTheOthers() {
        insert(held.current(), 150);
        held.forgetBefore(1_000, 40, BELIEVED);
        assertThat(held.coveredSince()).isEqualTo(151);
        assertThat(held.coveredBehind()).as("45 was ahead, 35 was not").isEqualTo(36);
    }

    @Test
    void theOldestSliceOfTheOldestArrayIsForgottenFirst() {
        long bytes = budget.reserved();
        assertThat(held.forgetOldest(CLOCK)).isEqualTo(1);
        assertThat(holds(15)).isFalse();
        assertThat(held.coveredSince()).isEqualTo(16);
        assertThat(held.forgetOldest(CLOCK)).isEqualTo(1);
        assertThat(holds(25)).isFalse();
        assertThat(held.older()).isEmpty();
        assertThat(budget.reserved()).isEqualTo(bytes / 2);
        assertThat(held.forgetOldest(CLOCK)).isEqualTo(1);
        assertThat(holds(35)).isFalse();
        assertThat(held.forgetOldest(CLOCK)).as("the last one").isEqualTo(1);
        assertThat(held.ids()).isZero();
        assertThat(held.coveredSince()).isEqualTo(46);
        assertThat(held.forgetOldest(CLOCK)).as("nothing is left").isZero();
        assertThat(budget.reserved()).isEqualTo(bytes / 2);
    }

    @Test
    void theOldestIsTheFirstToExpireOrWithoutAClockTheFirstThatGotItsLastId() {
        held.older().clear();
        insert(held.current(), 36);
        assertThat(held.forgetOldest(UNSET)).isEqualTo(1);
        assertThat(holds(45)).as("got its last id first").isFalse();
        insert(held.current(), 45);
        assertThat(held.forgetOldest(CLOCK)).isEqualTo(2);
        assertThat(holds(35)).as("first to expire").isFalse();
    }

    @Test
    void idsThatAreKeptApartAreForgottenTogether() {
        Segment late = segment(Role.LATE);
        held.installApart(late);
        insert(late, 1, 1, CLOCK);
        insert(late, 11, 11, CLOCK);
        assertThat(held.apart(Role.LATE)).isSameAs(late);
        assertThat(held.apart(Role.AHEAD)).isNull();
        assertThat(holds(1)).isTrue();
        forgetBefore(CLOCK);
        assertThat(held.older()).containsExactly(late);
        long bytes = budget.reserved();
        forgetBefore(CLOCK + 1);
        assertThat(held.older()).isEmpty();
        assertThat(held.apart(Role.LATE)).isNull();
        assertThat(budget.reserved()).isEqualTo(bytes - late.bytes());
        assertThat(held.coveredSince()).as("of their own times").isEqualTo(46);
    }

    @Test
    void underPressureIdsThatAreKeptApartGoAtOnce() {
        held.older().clear();
        Segment ahead = segment(Role.AHEAD);
        held.installApart(ahead);
        insert(ahead, 500);
        insert(ahead, 511);
        assertThat(held.forgetOldest(CLOCK)).isEqualTo(2);
        assertThat(held.apart(Role.AHEAD)).isNull();
        assertThat(held.coveredSince()).isEqualTo(512);
        assertThat(held.coveredBehind()).isEqualTo(UNSET);
    }

    @Test
    void anArrayThatIsLeftIsOnlyRead() {
        Segment late = segment(Role.LATE);
        held.older().clear();
        held.installApart(late);
        assertThat(held.noneWasReplaced()).isTrue();
        insert(late, 1);
        held.leaveApart();
        assertThat(held.apart(Role.LATE)).isNull();
        assertThat(held.noneWasReplaced()).as("it was never the current one").isTrue();
        assertThat(holds(1)).isTrue();
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
    void thereAreAtMostThirtyTwoArraysAndTheLastOfThemForGrowth() {
        while (held.all().size() < HeldSegments.MAX_SEGMENTS / 2 - 1) {
            grow();
        }
        assertThat(held.mayReplace()).isTrue();
        assertThat(held.mayAddApart()).isTrue();
        grow();
        assertThat(held.all()).hasSize(HeldSegments.MAX_SEGMENTS / 2);
        assertThat(held.mayReplace()).isFalse();
        assertThat(held.mayAddApart()).isTrue();
        while (held.all().size() < HeldSegments.MAX_SEGMENTS - 1) {
            grow();
        }
        assertThat(held.mayAddApart()).isFalse();
        assertThat(held.mayGrow()).isTrue();
        held.install(segment());
        assertThat(held.mayGrow()).as("the last one is empty").isTrue();
        assertThat(held.mayReplace()).isTrue();
        insert(held.current(), 7);
        assertThat(held.mayGrow()).isFalse();
        assertThat(held.mayReplace()).isFalse();
    }

    private void grow() {
        held.install(segment());
        insert(held.current(), 7);
    }

    @Test
    void aClockThatStartsKeepsNothingLongerThanTheLatestTimeThatIsBelieved() {
        forgetBefore(26);
        held.clockStarts(12, 18);
        assertThat(held.coveredSince()).isEqualTo(19);
        assertThat(held.coveredBehind()).isEqualTo(12);
        assertThat(held.earliestKept(18)).isEqualTo(18);
        held.forgetBefore(20, 100, 18);
        assertThat(held.ids()).isZero();
    }

    @Test
    void aClockThatStartsReachesOlderArraysToo() {
        held.clockStarts(5, 8);
        held.forgetBefore(10, 100, 8);
        assertThat(held.older()).isEmpty();
        assertThat(held.ids()).isZero();
    }

    @Test
    void whatIsReachedIsBelievedInAllArrays() {
        held.clockStarts(5, 8);
        held.believe(45, WINDOW, false);
        assertThat(held.earliestKept(UNSET)).isEqualTo(15);
        held.forgetBefore(20, CLOCK, 45);
        assertThat(holds(15)).isFalse();
        assertThat(holds(25)).isTrue();
        assertThat(holds(45)).isTrue();
    }

    @Test
    void releasingGivesBackEverything() {
        held.installApart(segment(Role.AHEAD));
        held.release();
        assertThat(budget.reserved()).isZero();
    }
}
