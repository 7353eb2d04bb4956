/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
    private static final long START = 1_700_000_000_000L;
    private static final long DAY = 86_400_000;

    private final MockTtlTimeProvider wall = new MockTtlTimeProvider();
    private long steadyMillis = 77;
    private final SteadyClock clock = new SteadyClock(wall, () -> steadyMillis * 1_000_000);

    private long at(long steady, long wallTime) {
        steadyMillis = 77 + steady;
        wall.setCurrentTimestamp(wallTime);
        return clock.currentTimestamp();
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
    void smallCorrectionsAndAClockThatIsPutBackAreFollowed() {
        at(0, START);
        assertThat(at(1_000, START + 31_000)).isEqualTo(START + 31_000);
        assertThat(at(2_000, START - DAY)).isEqualTo(START - DAY);
        assertThat(at(3_000, START - DAY + 1_000)).isEqualTo(START - DAY + 1_000);
    }
}
