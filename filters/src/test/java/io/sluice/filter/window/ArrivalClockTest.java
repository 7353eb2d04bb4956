/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The time of a stream is as late as 13 of its last 16 timestamps say. */
class ArrivalClockTest {

    private final ArrivalClock clock = new ArrivalClock();
    private final List<String> recorded = new ArrayList<>();

    private void vote(long... timestamps) {
        for (long timestamp : timestamps) {
            clock.vote(timestamp);
        }
    }

    private void recall(long latest, boolean all) {
        recorded.clear();
        clock.recall(latest, all, (hash, time) -> recorded.add(hash + " at " + time));
    }

    @Test
    void theTimeIsUnknownBeforeThirteenTimestampsHaveCome() {
        for (long i = 0; i < 12; i++) {
            vote(100 - i);
            assertThat(clock.time()).isEqualTo(Long.MIN_VALUE);
        }
        vote(50);
        assertThat(clock.time()).isEqualTo(50);
    }

    @Test
    void threeLateTimestampsDoNotHoldItUpAndAFourthDoes() {
        for (long i = 1; i <= 16; i++) {
            vote(1_000 + i);
        }
        vote(-5, -6, -7);
        assertThat(clock.time()).isEqualTo(1_004);
        vote(-8);
        assertThat(clock.time()).isEqualTo(-5);
    }

    @Test
    void twelveWildTimestampsDoNotMoveItAndAThirteenthDoes() {
        for (long i = 1; i <= 16; i++) {
            vote(i);
        }
        for (int i = 0; i < 12; i++) {
            vote(9_999);
        }
        assertThat(clock.time()).isEqualTo(16);
        vote(9_998);
        assertThat(clock.time()).isEqualTo(9_998);
    }

    @Test
    void onlyTheLastSixteenTimestampsVote() {
        for (int i = 0; i < 16; i++) {
            vote(5);
        }
        for (int i = 0; i < 16; i++) {
            vote(7);
        }
        assertThat(clock.time()).isEqualTo(7);
    }

    @Test
    void idsThatTheClockReachesAreGivenBackOnceWithTheirOwnTime() {
        clock.remember(1, 100);
        clock.remember(2, 200);
        assertThat(clock.remembersAny()).isTrue();
        recall(99, false);
        assertThat(recorded).isEmpty();
        recall(100, false);
        assertThat(recorded).containsExactly("1 at 100");
        recall(150, false);
        assertThat(recorded).isEmpty();
        assertThat(clock.remembersAny()).isTrue();
        recall(200, false);
        assertThat(recorded).containsExactly("2 at 200");
        assertThat(clock.remembersAny()).isFalse();
    }

    @Test
    void ifAllAreAskedForTheOthersAreGivenAtTheBoundAndStillRemembered() {
        clock.remember(1, 100);
        clock.remember(2, 200);
        recall(100, true);
        assertThat(recorded).containsExactly("1 at 100", "2 at 100");
        recall(150, true);
        assertThat(recorded).containsExactly("2 at 150");
        assertThat(clock.remembersAny()).isTrue();
    }

    @Test
    void anIdThatKeepsComingTakesOnePlaceAndItsGreatestTimeCounts() {
        clock.remember(1, 100);
        for (int i = 0; i < 2 * ArrivalClock.REMEMBERED; i++) {
            clock.remember(2, 300 - i);
        }
        assertThat(clock.remembers(1, 100)).isTrue();
        assertThat(clock.remembers(2, 300)).isTrue();
        recall(300, false);
        assertThat(recorded).containsExactly("1 at 100", "2 at 300");
        assertThat(clock.remembersAny()).isFalse();
    }

    @Test
    void anIdIsRememberedSinceItsTimeAndNoLongerWhenItWasGivenBack() {
        clock.remember(1, 100);
        assertThat(clock.remembers(1, 100)).isTrue();
        assertThat(clock.remembers(1, Long.MIN_VALUE)).isTrue();
        assertThat(clock.remembers(1, 101)).isFalse();
        assertThat(clock.remembers(2, 100)).isFalse();
        clock.remember(3, 500);
        recall(100, false);
        assertThat(clock.remembers(1, Long.MIN_VALUE)).isFalse();
        clock.remember(1, 700);
        assertThat(clock.remembers(1, 700)).isTrue();
    }

    /** Zero is a hash like any other, though empty places hold it too. */
    @Test
    void theHashZeroIsNotRememberedUnlessItCame() {
        clock.remember(5, 100);
        assertThat(clock.remembers(0, Long.MIN_VALUE)).isFalse();
        clock.remember(0, 200);
        assertThat(clock.remembers(0, 200)).isTrue();
        recall(200, false);
        assertThat(recorded).containsExactly("5 at 100", "0 at 200");
    }

    @Test
    void theOldestOfTooManyIsNotRememberedAnyMore() {
        for (int i = 0; i <= ArrivalClock.REMEMBERED; i++) {
            clock.remember(i, 1_000);
        }
        assertThat(clock.remembers(0, 1_000)).isFalse();
        assertThat(clock.remembers(1, 1_000)).isTrue();
        assertThat(clock.remembers(ArrivalClock.REMEMBERED, 1_000)).isTrue();
        recall(1_000, false);
        assertThat(recorded).hasSize(ArrivalClock.REMEMBERED);
        assertThat(clock.remembersAny()).isFalse();
    }

    @Test
    void allTimesMoveTogether() {
        for (int i = 0; i < 13; i++) {
            vote(50);
        }
        clock.remember(1, 100);
        clock.shift(-30);
        assertThat(clock.time()).isEqualTo(20);
        assertThat(clock.remembers(1, 71)).isFalse();
        assertThat(clock.remembers(1, 70)).isTrue();
        recall(69, false);
        assertThat(recorded).isEmpty();
        recall(70, false);
        assertThat(recorded).containsExactly("1 at 70");
    }

    @Test
    void aResetForgetsTimeAndIds() {
        for (int i = 0; i < 16; i++) {
            vote(50);
        }
        clock.remember(1, 100);
        clock.reset();
        assertThat(clock.time()).isEqualTo(Long.MIN_VALUE);
        assertThat(clock.remembersAny()).isFalse();
        assertThat(clock.remembers(1, 100)).isFalse();
        recall(1_000, true);
        assertThat(recorded).isEmpty();
    }
}
