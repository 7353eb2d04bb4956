/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the planes of an array hold, and which of them may go first. */
class GenerationsTest {

    private static final long UNSET = Long.MIN_VALUE;

    private final Generations generations = new Generations(4);

    /** Planes 0 and 1 hold ids, plane 2 is active, plane 3 is free. */
    @BeforeEach
    void threeSlices() {
        generations.record(30, 25);
        generations.record(10, 26);
        generations.open(1);
        generations.record(20, 40);
        generations.open(2);
        generations.record(25, 41);
        generations.record(60, 50);
        generations.record(45, 50);
    }

    @Test
    void aSliceKnowsItsIdsAndTheirLeastAndGreatestTime() {
        assertThat(generations.ids(0)).isEqualTo(2);
        assertThat(generations.begin(0)).isEqualTo(10);
        assertThat(generations.end(0)).isEqualTo(30);
        assertThat(generations.activeIds()).isEqualTo(3);
        assertThat(generations.begin(2)).isEqualTo(25);
        assertThat(generations.end(2)).isEqualTo(60);
        assertThat(generations.idsHeld()).isEqualTo(6);
        assertThat(generations.active()).isEqualTo(2);
        assertThat(generations.live()).isEqualTo(0b111);
    }

    /** A time ahead of the clock counts as the clock. */
    @Test
    void aSliceKnowsUpToWhenItsIdsWereNotAheadOfTheClock() {
        assertThat(generations.behind(0)).isEqualTo(25);
        assertThat(generations.behind(1)).isEqualTo(20);
        assertThat(generations.behind(2)).isEqualTo(50);
        assertThat(generations.newestBehind()).isEqualTo(50);
        generations.drop(0b100);
        assertThat(generations.newestBehind()).isEqualTo(25);
    }

    @Test
    void anIdThatIsRenewedMovesTheTimesOfTheActiveSliceButIsNotCounted() {
        generations.extend(70, 90);
        generations.extend(5, 90);
        assertThat(generations.ids(2)).isEqualTo(3);
        assertThat(generations.begin(2)).isEqualTo(5);
        assertThat(generations.end(2)).isEqualTo(70);
        assertThat(generations.behind(2)).isEqualTo(70);
    }

    @Test
    void aSliceExpiresWhenItsLastIdIsOlderThanTheHorizonAndTheActiveOneNever() {
        assertThat(generations.expired(20)).isZero();
        assertThat(generations.expired(21)).isEqualTo(0b010);
        assertThat(generations.expired(30)).isEqualTo(0b010);
        assertThat(generations.expired(31)).isEqualTo(0b011);
        assertThat(generations.expired(1_000)).isEqualTo(0b011);
        generations.drop(0b010);
        assertThat(generations.expired(1_000)).isEqualTo(0b001);
    }

    @Test
    void slicesSinceATimeAreTheLiveOnesWithAnIdAtOrAfterIt() {
        assertThat(generations.since(20)).isEqualTo(0b111);
        assertThat(generations.since(21)).isEqualTo(0b101);
        assertThat(generations.since(60)).isEqualTo(0b100);
        assertThat(generations.since(61)).isZero();
        generations.drop(0b001);
        assertThat(generations.since(0)).isEqualTo(0b110);
    }

    @Test
    void theFirstToExpireIsNotAlwaysTheFirstOpened() {
        assertThat(generations.firstToExpire()).isEqualTo(1);
        assertThat(generations.firstOpened()).isZero();
        generations.drop(0b001);
        generations.open(0);
        generations.record(1, 1);
        assertThat(generations.firstOpened()).as("0 was opened again").isEqualTo(1);
        assertThat(generations.firstToExpire()).as("0 is active").isEqualTo(1);
        generations.drop(0b110);
        assertThat(generations.firstOpened()).isEqualTo(-1);
        assertThat(generations.firstToExpire()).isEqualTo(-1);
    }

    @Test
    void amongSlicesThatExpireTogetherTheLowestPlaneGoesFirst() {
        Generations equal = new Generations(3);
        equal.record(7, 7);
        equal.open(1);
        equal.record(7, 7);
        equal.open(2);
        assertThat(equal.firstToExpire()).isZero();
    }

    @Test
    void whatIsNotLiveCountsNowhere() {
        generations.drop(0b010);
        assertThat(generations.isLive(1)).isFalse();
        assertThat(generations.isLive(0)).isTrue();
        assertThat(generations.idsHeld()).isEqualTo(5);
        assertThat(generations.earliestEnd()).isEqualTo(30);
        generations.drop(0b100);
        assertThat(generations.newestEnd()).isEqualTo(30);
        generations.drop(0b001);
        assertThat(generations.newestEnd()).isEqualTo(UNSET);
        assertThat(generations.newestBehind()).isEqualTo(UNSET);
        assertThat(generations.earliestEnd()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void anEmptySliceHasNoTimes() {
        generations.open(3);
        assertThat(generations.activeIds()).isZero();
        assertThat(generations.begin(3)).isGreaterThan(generations.end(3));
        assertThat(generations.end(3)).isEqualTo(UNSET);
        assertThat(generations.earliestEnd()).isEqualTo(20);
        assertThat(generations.newestEnd()).isEqualTo(60);
    }

    @Test
    void shiftingMovesTheTimesOfLiveSlicesWithIds() {
        generations.open(3);
        generations.drop(0b010);
        generations.shift(-15);
        assertThat(generations.begin(0)).isEqualTo(-5);
        assertThat(generations.end(0)).isEqualTo(15);
        assertThat(generations.behind(0)).isEqualTo(10);
        assertThat(generations.end(1)).as("not live").isEqualTo(20);
        assertThat(generations.end(3)).as("empty").isEqualTo(UNSET);
        assertThat(generations.begin(3)).isEqualTo(Long.MAX_VALUE);
        assertThat(generations.ids(0)).isEqualTo(2);
    }

    /** So that a later time, since which nothing was recorded, always exists. */
    @Test
    void shiftingStopsBelowTheGreatestTime() {
        generations.shift(Long.MAX_VALUE);
        assertThat(generations.end(0)).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(generations.begin(0)).isEqualTo(Long.MAX_VALUE - 1);
        generations.shift(-5);
        assertThat(generations.end(0)).isEqualTo(Long.MAX_VALUE - 6);
    }

    @Test
    void aBoundBringsLaterTimesDownToItAndNoOthers() {
        generations.open(3);
        generations.drop(0b010);
        generations.bound(28);
        assertThat(generations.begin(0)).isEqualTo(10);
        assertThat(generations.end(0)).isEqualTo(28);
        assertThat(generations.end(2)).isEqualTo(28);
        assertThat(generations.behind(2)).isEqualTo(50);
        generations.bound(8);
        assertThat(generations.begin(0)).isEqualTo(8);
        assertThat(generations.end(1)).as("not live").isEqualTo(20);
        assertThat(generations.end(3)).as("empty").isEqualTo(UNSET);
        assertThat(generations.begin(3)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatIsRestoredGoesOnInItsOrderOfOpening() {
        Generations restored = new Generations(4);
        restored.restore(0, 17, 2, 10, 30, 25);
        restored.restore(1, 12, 1, 20, 20, 20);
        restored.restore(2, 18, 3, 25, 60, 50);
        restored.restore(3, 0, 0, 0, 0, 0);
        restored.activate(2, 0b111);
        assertThat(restored.live()).isEqualTo(0b111);
        assertThat(restored.active()).isEqualTo(2);
        assertThat(restored.idsHeld()).isEqualTo(6);
        assertThat(restored.behind(0)).isEqualTo(25);
        assertThat(restored.firstOpened()).isEqualTo(1);
        restored.open(3);
        assertThat(restored.opened(3)).isEqualTo(19);
        assertThat(restored.firstOpened()).isEqualTo(1);
    }

    @Test
    void resettingForgetsEverything() {
        generations.reset(1);
        assertThat(generations.live()).isEqualTo(0b010);
        assertThat(generations.active()).isEqualTo(1);
        assertThat(generations.idsHeld()).isZero();
        assertThat(generations.end(0)).as("of a plane that is free").isZero();
    }
}
