/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.sluice.filter.Seeds;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ForgottenWindowsTest {

    private static final long WINDOW = 1000;

    @Test
    void itIsTheSetOfWhatWasForgottenInAnyOrder() {
        SplittableRandom random = Seeds.random();
        ForgottenWindows forgotten = new ForgottenWindows(WINDOW);
        Set<Long> model = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            long number = random.nextLong(1000) - 500;
            forgotten.add(number * WINDOW, Long.MAX_VALUE);
            model.add(number);
        }
        for (long number = -510; number < 510; number++) {
            assertThat(forgotten.contains(number * WINDOW)).isEqualTo(model.contains(number));
        }
        long behind = Long.MIN_VALUE;
        for (var range : forgotten.ranges().entrySet()) {
            assertThat(range.getKey()).as("ranges that touch are one").isGreaterThan(behind + 1);
            behind = range.getValue();
        }
    }

    @Test
    void windowsThatFollowEachOtherTakeOneRange() {
        ForgottenWindows forgotten = new ForgottenWindows(WINDOW);
        for (long number = 0; number < 10_000; number++) {
            forgotten.add(number * WINDOW, number * WINDOW);
        }
        assertThat(forgotten.ranges()).containsExactly(entry(0L, 9999L));
    }

    @Test
    void beyondItsRoomTheOldestGapsAreTakenForForgotten() {
        ForgottenWindows forgotten = new ForgottenWindows(WINDOW);
        int windows = 3 * ForgottenWindows.MAX_RANGES;
        for (long number = 0; number < windows; number += 2) {
            forgotten.add(number * WINDOW, number * WINDOW);
        }
        assertThat(forgotten.ranges()).hasSize(ForgottenWindows.MAX_RANGES);
        for (long number = 0; number < windows; number += 2) {
            assertThat(forgotten.contains(number * WINDOW)).isTrue();
        }
        assertThat(forgotten.contains(WINDOW)).as("the oldest gap").isTrue();
        assertThat(forgotten.contains((windows - 3) * WINDOW)).as("the youngest").isFalse();
    }

    @Test
    void manyWindowsFarAheadEndNoneBeforeThem() {
        ForgottenWindows forgotten = new ForgottenWindows(WINDOW);
        forgotten.add(0, WINDOW);
        for (long number = 100; number < 100 + 4 * ForgottenWindows.MAX_RANGES; number += 2) {
            forgotten.add(number * WINDOW, WINDOW);
        }
        assertThat(forgotten.ranges()).hasSize(ForgottenWindows.MAX_RANGES);
        assertThat(forgotten.contains(0)).isTrue();
        for (long number = 1; number < 100; number++) {
            assertThat(forgotten.contains(number * WINDOW)).isFalse();
        }
    }
}
