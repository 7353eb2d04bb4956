/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The times around a timestamp, and the slices that they are in. */
class NearbySlicesTest {

    @Test
    void theTimesInReachAreThoseOfAWindowBeforeAndAfter() {
        NearbySlices reach = new NearbySlices(80, 10).of(1_003);
        assertThat(reach.from()).isEqualTo(923);
        assertThat(reach.to()).isEqualTo(1_083);
        assertThat(reach.first()).isEqualTo(92);
        assertThat(reach.number()).isEqualTo(100);
        assertThat(reach.last()).isEqualTo(108);
    }

    @Test
    void timesBefore1970HaveSlicesBelowZero() {
        NearbySlices reach = new NearbySlices(80, 10).of(-1);
        assertThat(reach.first()).isEqualTo(-9);
        assertThat(reach.number()).isEqualTo(-1);
        assertThat(reach.last()).isEqualTo(7);
    }

    /** The bounds of a slice, of the first one in reach and of the last one. */
    @Test
    void theSlicesMoveWithTheTimestampAndNotLater() {
        NearbySlices reach = new NearbySlices(84, 11);
        for (long time = -500; time < 500; time++) {
            assertIsComputedAnew(reach.of(time), time, 84);
        }
        for (long time = 500; time > -500; time--) {
            assertIsComputedAnew(reach.of(time), time, 84);
        }
    }

    @Test
    void atTheEndsOfTheRangeTimesStopInsteadOfWrappingAround() {
        NearbySlices reach = new NearbySlices(80, 10);
        assertThat(reach.of(Long.MAX_VALUE - 1).to()).isEqualTo(Long.MAX_VALUE);
        assertThat(reach.of(Long.MIN_VALUE + 1).from()).isEqualTo(Long.MIN_VALUE + 1);
        assertThat(reach.last()).isGreaterThanOrEqualTo(reach.first());
    }

    @Test
    void whateverCameBeforeTheSlicesAreThoseOfTheTimestamp() {
        SplittableRandom random = Seeds.random();
        for (int round = 0; round < 2_000; round++) {
            long window = 1 + (random.nextLong() >>> (1 + random.nextInt(62)));
            long slice = Math.max(1, window / 8);
            NearbySlices reach = new NearbySlices(window, slice);
            long near = random.nextLong() >> random.nextInt(64);
            for (int i = 0; i < 50; i++) {
                long step = random.nextLong() >> (2 + random.nextInt(62));
                long time = SaturatedTime.plus(Math.max(near, Long.MIN_VALUE + 1), step);
                assertIsComputedAnew(reach.of(time), time, window);
            }
        }
    }

    private static void assertIsComputedAnew(NearbySlices reach, long time, long window) {
        assertThat(new long[] {reach.first(), reach.number(), reach.last()})
                .as("at %d, window %d, slice %d", time, window, reach.slice)
                .containsExactly(
                        Math.floorDiv(SaturatedTime.plus(time, -window), reach.slice),
                        Math.floorDiv(time, reach.slice),
                        Math.floorDiv(SaturatedTime.plus(time, window), reach.slice));
    }
}
