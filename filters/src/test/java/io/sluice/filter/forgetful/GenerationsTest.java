/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the planes of an array hold, until when they are kept, and which of them goes first. */
class GenerationsTest {

    private static final long SLICE = 10;
    private static final long WINDOW = 80;
    private static final long ALL_BELIEVED = Long.MAX_VALUE - 1;

    private final Generations generations = new Generations(4);

    /** Planes 0, 1 and 2 hold ids of the slices from 10, 20 and 30; plane 3 is free. */
    @BeforeEach
    void threeSlices() {
        generations.open(1);
        record(1, 25);
        generations.open(0);
        record(0, 19);
        record(0, 12);
        generations.open(2);
        record(2, 30);
        record(1, 21);
    }

    private void record(int plane, long time) {
        generations.record(plane, time, time);
    }

    private long expired(long horizon) {
        return generations.expired(horizon, ALL_BELIEVED, SLICE);
    }

    @Test
    void aPlaneKnowsItsIdsAndTheirLeastAndGreatestTime() {
        assertThat(generations.ids(0)).isEqualTo(2);
        assertThat(generations.begin(0)).isEqualTo(12);
        assertThat(generations.end(0)).isEqualTo(19);
        assertThat(generations.kept(0)).isEqualTo(19);
        assertThat(generations.idsHeld()).isEqualTo(5);
        assertThat(generations.live()).isEqualTo(0b0111);
        assertThat(generations.oldestBegin()).isEqualTo(12);
        assertThat(generations.newestEnd()).isEqualTo(30);
        assertThat(generations.earliestKept(ALL_BELIEVED)).isEqualTo(19);
        assertThat(generations.newestKept(ALL_BELIEVED)).isEqualTo(30);
    }

    /** Another id of the same slice may still come: it finds those that were there. */
    @Test
    void aPlaneExpiresWhenItsWholeSliceIsBeforeTheHorizon() {
        assertThat(expired(19)).isZero();
        assertThat(expired(20)).isEqualTo(0b0001);
        assertThat(expired(29)).isEqualTo(0b0001);
        assertThat(expired(30)).isEqualTo(0b0011);
        assertThat(expired(1_000)).isEqualTo(0b0111);
        generations.drop(0b0010);
        assertThat(expired(1_000)).isEqualTo(0b0101);
    }

    @Test
    void anIdThatIsRenewedMovesTheTimesOfItsPlaneAndIsNotCounted() {
        generations.extend(1, 29, 29);
        assertThat(generations.ids(1)).isEqualTo(2);
        assertThat(generations.end(1)).isEqualTo(29);
        assertThat(generations.kept(1)).isEqualTo(29);
        assertThat(generations.begin(1)).isEqualTo(21);
    }

    /** As a late id, which is kept for a window from when it came. */
    @Test
    void aPlaneMayBeKeptLongerThanItsTimes() {
        generations.record(0, 15, 300);
        assertThat(generations.end(0)).isEqualTo(19);
        assertThat(expired(300)).isEqualTo(0b0110);
        assertThat(expired(310)).isEqualTo(0b0111);
        assertThat(generations.newestKept(ALL_BELIEVED)).isEqualTo(300);
    }

    @Test
    void aPlaneWithATimeThatIsNotBelievedIsKeptForLess() {
        generations.open(3);
        generations.record(3, 5_000, 100);
        assertThat(generations.end(3)).isEqualTo(5_000);
        assertThat(generations.kept(3, 100)).isEqualTo(100);
        assertThat(generations.expired(200, 100, SLICE)).isEqualTo(0b1111);
    }

    @Test
    void aTimeThatIsReachedIsBelievedFromThenOn() {
        generations.open(3);
        generations.record(3, 5_000, 100);
        generations.believe(4_999, WINDOW, false);
        assertThat(generations.kept(3)).isEqualTo(100);
        generations.believe(5_000, WINDOW, false);
        assertThat(generations.kept(3)).isEqualTo(5_000);
        assertThat(generations.expired(200, 5_000, SLICE)).isEqualTo(0b0111);
    }

    /** Which of the ids of a plane are not believed is not known. */
    @Test
    void aPlaneWithAWilderTimeGetsFurtherChancesAWindowApartButNotForEver() {
        long wild = 1L << 50;
        generations.open(3);
        generations.record(3, 5_000, 100);
        generations.record(3, wild, 100);
        long latest = 5_000;
        generations.believe(latest, WINDOW, false);
        for (int chance = 1; chance < 8; chance++) {
            generations.believe(latest + WINDOW - 1, WINDOW, false);
            assertThat(generations.kept(3)).as("chance %d", chance).isEqualTo(latest);
            latest += WINDOW;
            generations.believe(latest, WINDOW, false);
            assertThat(generations.kept(3)).as("chance %d", chance).isEqualTo(latest);
        }
        generations.believe(latest + 100 * WINDOW, WINDOW, false);
        assertThat(generations.kept(3)).as("the last chance is over").isEqualTo(latest);
    }

    @Test
    void aPlaneThatIsOpenedAgainIsDoubtedAnew() {
        for (int round = 0; round < 20; round++) {
            long time = 5_000 + round * 1_000L;
            generations.open(3);
            generations.record(3, time, 100);
            generations.believe(time, WINDOW, false);
            assertThat(generations.kept(3)).isEqualTo(time);
            generations.drop(0b1000);
        }
    }

    /** Then what was kept as the latest time is kept as what is the latest now. */
    @Test
    void aClockThatJumpedKeepsWhatWasDoubted() {
        generations.open(3);
        generations.record(3, 5_000, 100);
        generations.believe(3_000, WINDOW, true);
        assertThat(generations.kept(3)).isEqualTo(3_000);
        assertThat(generations.kept(2)).as("one that was not doubted").isEqualTo(30);
    }

    @Test
    void timesAreBroughtDownToTheLatestThatIsBelievedAndBelievedLater() {
        generations.bound(22);
        assertThat(generations.kept(0)).isEqualTo(19);
        assertThat(generations.kept(1)).isEqualTo(22);
        assertThat(generations.kept(2)).isEqualTo(22);
        assertThat(generations.end(2)).isEqualTo(30);
        generations.believe(30, WINDOW, false);
        assertThat(generations.kept(1)).isEqualTo(25);
        assertThat(generations.kept(2)).isEqualTo(30);
    }

    @Test
    void theFirstToExpireIsTheOneThatIsKeptTheShortest() {
        assertThat(generations.firstToExpire(generations.live())).isZero();
        generations.record(0, 15, 300);
        assertThat(generations.firstToExpire(generations.live())).isEqualTo(1);
        generations.drop(0b0111);
        assertThat(generations.firstToExpire(generations.live())).isEqualTo(-1);
    }

    @Test
    void theFirstUsedIsTheOneThatGotNoIdForTheLongestTime() {
        assertThat(generations.firstUsed(generations.live())).isZero();
        record(0, 13);
        assertThat(generations.firstUsed(generations.live())).isEqualTo(2);
        generations.drop(0b0100);
        assertThat(generations.firstUsed(generations.live())).isEqualTo(1);
        generations.drop(0b0011);
        assertThat(generations.firstUsed(generations.live())).isEqualTo(-1);
    }

    @Test
    void whatIsNotLiveCountsNowhere() {
        generations.drop(0b0100);
        assertThat(generations.isLive(2)).isFalse();
        assertThat(generations.idsHeld()).isEqualTo(4);
        assertThat(generations.newestEnd()).isEqualTo(25);
        generations.drop(0b0100);
        assertThat(generations.idsHeld()).as("dropped once").isEqualTo(4);
        generations.reset();
        assertThat(generations.idsHeld()).isZero();
        assertThat(generations.live()).isZero();
        assertThat(generations.oldestBegin()).isEqualTo(Long.MAX_VALUE);
        assertThat(generations.newestEnd()).isEqualTo(Long.MIN_VALUE);
        assertThat(generations.earliestKept(ALL_BELIEVED)).isEqualTo(Long.MAX_VALUE);
        assertThat(generations.newestKept(ALL_BELIEVED)).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void onlyAPlaneWithoutIdsIsDroppedAsEmpty() {
        generations.open(3);
        generations.dropIfEmpty(3);
        generations.dropIfEmpty(2);
        assertThat(generations.live()).isEqualTo(0b0111);
    }

    @Test
    void whatIsStoredIsRestored() {
        generations.open(3);
        generations.record(3, 5_000, 100);
        Generations restored = new Generations(4);
        for (int plane = 0; plane < 4; plane++) {
            restored.restore(plane, generations.stored(plane));
        }
        for (int plane = 0; plane < 4; plane++) {
            assertThat(restored.stored(plane)).isEqualTo(generations.stored(plane));
        }
        assertThat(restored.idsHeld()).isEqualTo(6);
        assertThat(restored.live()).isEqualTo(0b1111);
        assertThat(restored.firstUsed(restored.live())).isZero();
        restored.believe(5_000, WINDOW, false);
        assertThat(restored.kept(3)).as("what is doubted is known").isEqualTo(5_000);
        restored.record(0, 13, 13);
        assertThat(restored.firstUsed(restored.live())).as("the order goes on").isEqualTo(2);
    }
}
