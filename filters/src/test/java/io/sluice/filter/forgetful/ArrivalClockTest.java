/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The time of a stream is as late as 13 of its last 16 timestamps say. */
class ArrivalClockTest {

    private final ArrivalClock clock = new ArrivalClock();

    private void vote(long... timestamps) {
        for (long timestamp : timestamps) {
            clock.vote(timestamp);
        }
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
}
