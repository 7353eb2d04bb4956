/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Ids that are kept apart, where memory is ample. */
class SeparateSegmentsEdgesTest {
    private static final long WINDOW = 8_000;

    private static WindowOptions.Builder options() {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .falsePositiveProbability(1e-6)
                .clockOfCaller();
    }

    /** One in three has a clock that is up to a hundred windows ahead. */
    @Test
    void idsAtMixedTimesAheadAreHeldIfMemorySuffices() {
        ForgetfulFilter filter =
                ForgetfulFilter.create(options().build(), new MemoryBudget(256 << 20), 0);
        SplittableRandom random = new SplittableRandom(1);
        int passed = 0;
        for (int i = 0; i < 200_000; i++) {
            long clock = i * 2L;
            filter.advanceTo(clock, Long.MAX_VALUE - 1);
            boolean ahead = i % 3 == 0;
            long time = ahead ? clock + 2 * WINDOW + random.nextLong(100 * WINDOW) : clock;
            filter.add(Hashing.hash(i), time, time);
            passed += filter.add(Hashing.hash(i), time, time) ? 1 : 0;
            // Each is one more to look into.
            assertThat(filter.segments()).hasSizeLessThan(HeldSegments.MAX_SEGMENTS / 2);
        }
        assertThat(passed).as("duplicates at once after the first").isZero();
        assertThat(filter.overflows()).isZero();
    }

    @Test
    void idsAtMixedTimesAheadFailNothingIfMemorySuffices() {
        ForgetfulFilter filter =
                ForgetfulFilter.create(
                        options().onOverflow(OverflowPolicy.FAIL).build(),
                        new MemoryBudget(256 << 20),
                        0);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 200_000; i++) {
            long clock = i * 2L;
            filter.advanceTo(clock, Long.MAX_VALUE - 1);
            boolean ahead = i % 3 == 0;
            long time = ahead ? clock + 2 * WINDOW + random.nextLong(100 * WINDOW) : clock;
            filter.add(Hashing.hash(i), time, time);
        }
    }

    @Test
    void manyLateIdsAreHeldIfMemorySuffices() {
        ForgetfulFilter filter =
                ForgetfulFilter.create(
                        options().build(), new MemoryBudget(1 << 30), 100 * WINDOW, 100);
        int passed = 0;
        for (long id = 0; id < 3_000_000; id++) {
            filter.add(Hashing.hash(id), id % WINDOW);
            passed += filter.add(Hashing.hash(id), id % WINDOW) ? 1 : 0;
        }
        assertThat(passed).isZero();
        assertThat(filter.overflows()).isZero();
    }
}
