/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
    private static final long START = 1_700_000_000_000L;
    private static final long DAY = 86_400_000;

    private long wallMillis;
    private long steadyMillis = 77;
    private final SteadyClock clock =
            new SteadyClock(() -> wallMillis, () -> steadyMillis * 1_000_000, true);

    private long at(long steady, long wallTime) {
        steadyMillis = 77 + steady;
        wallMillis = wallTime;
        return clock.getAsLong();
    }

    @Test
    void aWallClockThatIsADayAheadForAMomentIsNotBelieved() {
        assertThat(at(0, START)).isEqualTo(START);
        assertThat(at(1_000, START + 1_000 + DAY)).isEqualTo(START + 1_000);
        assertThat(at(2_000, START + 2_000)).isEqualTo(START + 2_000);
        assertThat(at(DAY, START + DAY)).isEqualTo(START + DAY);
    }

    @Test
    void aWallClockThatStaysAheadIsBelievedAfterAWhile() {
        at(0, START);
        assertThat(at(1_000, START + 1_000 + DAY)).isEqualTo(START + 1_000);
        long patience = SteadyClock.PATIENCE_MILLIS;
        assertThat(at(patience, START + patience + DAY)).isEqualTo(START + patience);
        assertThat(at(patience + 1_000, START + patience + 1_000 + DAY))
                .isEqualTo(START + patience + 1_000 + DAY);
    }

    @Test
    void whereDowntimeDoesNotCountOneThatStaysAheadIsNotBelieved() {
        SteadyClock patient =
                new SteadyClock(() -> wallMillis, () -> steadyMillis * 1_000_000, false);
        steadyMillis = 0;
        wallMillis = START;
        assertThat(patient.getAsLong()).isEqualTo(START);
        for (long steady = 1_000; steady < 2 * DAY; steady += 1_800_000) {
            steadyMillis = steady;
            wallMillis = START + DAY + steady;
            assertThat(patient.getAsLong()).isEqualTo(START + steady);
        }
    }

    @Test
    void smallCorrectionsAreFollowed() {
        at(0, START);
        assertThat(at(1_000, START + 31_000)).isEqualTo(START + 31_000);
        assertThat(at(2_000, START - 20_000)).isEqualTo(START - 20_000);
        assertThat(at(3_000, START - 19_000)).isEqualTo(START - 19_000);
    }

    @Test
    void aWallClockThatIsADayBehindForAMomentStopsNothing() {
        at(0, START);
        assertThat(at(1_000, START + 1_000 - DAY)).isEqualTo(START + 1_000);
        assertThat(at(2_000, START + 2_000)).isEqualTo(START + 2_000);
        assertThat(at(3_000, START + 3_000)).isEqualTo(START + 3_000);
    }

    @Test
    void aWallClockThatIsSetBackForGoodStopsNothing() {
        at(0, START + DAY);
        for (long steady = 1_000; steady < 2 * DAY; steady += 1_800_000) {
            assertThat(at(steady, START + steady)).isEqualTo(START + DAY + steady);
        }
    }

    @Test
    void aWallClockThatStepsBackAndForthIsNotBelieved() {
        at(0, START);
        for (long steady = 1_000; steady < DAY; steady += 10_000) {
            long step = (steady / 10_000 % 3 - 1) * DAY;
            assertThat(at(steady, START + steady + step)).isEqualTo(START + steady);
        }
    }

    @Test
    void onlyTheClockOfTheMachineIsHeldBack() {
        LongSupplier fromElsewhere = () -> wallMillis;
        assertThat(SteadyClock.of(fromElsewhere, true)).isSameAs(fromElsewhere);
        assertThat(SteadyClock.of(System::currentTimeMillis, true)).isInstanceOf(SteadyClock.class);
    }
}
