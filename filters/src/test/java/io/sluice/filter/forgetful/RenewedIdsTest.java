/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.PlaneSizing;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An id that comes again is held for another window, and no longer. */
class RenewedIdsTest {
    private static final long WINDOW = 7_000;

    /** No slice is longer. */
    private static final long SLICE = WindowSizing.sliceMillis(WINDOW);

    private static ForgetfulFilter filter(Layout layout) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW)
                        .expectedPerWindow(2_000)
                        .falsePositiveProbability(1e-9)
                        .layout(layout)
                        .clockOfCaller()
                        .build();
        return ForgetfulFilter.create(options, new MemoryBudget(16 << 20, 1), 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdLastsAsLongAsItIsGivenAndOneThatIsNotDoesNot(Layout layout) {
        ForgetfulFilter filter = filter(layout);
        long hot = Hashing.hash(0);
        assertThat(filter.addOrRenew(hot, 0)).isTrue();
        long once = 0;
        long onceAt = 0;
        for (long now = 1; now <= 40 * WINDOW; now++) {
            filter.advanceTo(now);
            assertThat(filter.addOrRenew(hot, now)).as("at %d", now).isFalse();
            if (once == 0 || now > onceAt + WINDOW + SLICE) {
                assertThat(filter.mightContain(Hashing.hash(once), now))
                        .as("id %d at %d, which came at %d", once, now, onceAt)
                        .isEqualTo(once == 0);
                once++;
                onceAt = now;
                assertThat(filter.addOrRenew(Hashing.hash(once), now)).isTrue();
            } else if (now <= onceAt + WINDOW) {
                assertThat(filter.mightContain(Hashing.hash(once), now)).as("at %d", now).isTrue();
            }
            assertThat(filter.idsHeld()).isLessThanOrEqualTo(2 + PlaneSizing.TABLE_PLANES);
        }
        assertThat(once).isGreaterThan(20);
        assertThat(filter.mightContain(hot, 41 * WINDOW + SLICE)).isFalse();
        filter.advanceTo(41 * WINDOW + 2 * SLICE);
        assertThat(filter.idsHeld()).isZero();
        filter.close();
    }

    /** Where the clock follows timestamps, one far ahead of it does not move it. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdThatKeepsComingFarAheadIsHeldOncePerSliceToo(Layout layout) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW)
                        .expectedPerWindow(2_000)
                        .falsePositiveProbability(1e-9)
                        .layout(layout)
                        .build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(16 << 20, 1), 0);
        long ahead = Hashing.hash(-1);
        for (long now = 0; now < 3 * WINDOW; now++) {
            if (now % 8 == 0) {
                boolean absent = filter.addOrRenew(ahead, 1_000 * WINDOW + now);
                assertThat(absent).as("at %d", now).isEqualTo(now == 0);
            } else {
                filter.addOrRenew(Hashing.hash(now % 4), now);
            }
            assertThat(filter.idsHeld()).isLessThanOrEqualTo(5L * PlaneSizing.TABLE_PLANES);
        }
        assertThat(filter.overflows()).isZero();
        filter.close();
    }

    /** One record in five is up to four windows ahead of the clock. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdThatComesAgainFarAheadLastsForAWindowFromThere(Layout layout) {
        long seed = Seeds.seed(10 + layout.name().length());
        SplittableRandom random = new SplittableRandom(seed);
        ForgetfulFilter filter = filter(layout);
        Map<Long, Long> last = new HashMap<>();
        int renewed = 0;
        for (long now = 0; now < 20 * WINDOW; now += random.nextInt(20)) {
            filter.advanceTo(now);
            long id = random.nextInt(500);
            boolean isAhead = random.nextInt(5) == 0;
            long time = isAhead ? now + random.nextLong(4 * WINDOW) : now;
            boolean absent = filter.addOrRenew(Hashing.hash(id), time);
            Long before = last.get(id);
            if (before != null && Math.abs(before - time) <= WINDOW) {
                assertThat(absent).as("id %d at %d with -Dtest.seed=%d", id, now, seed).isFalse();
                renewed++;
            }
            last.put(id, before == null ? time : Math.max(before, time));
        }
        assertThat(renewed).isGreaterThan(1_000);
        assertThat(filter.overflows()).isZero();
        filter.close();
    }

    /** Times out of order, ids of any frequency. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void itDoesWhatAnExactModelDoes(Layout layout) {
        long seed = Seeds.seed(layout.name().length());
        SplittableRandom random = new SplittableRandom(seed);
        ForgetfulFilter filter = filter(layout);
        Map<Long, Long> last = new HashMap<>();
        int renewed = 0;
        int again = 0;
        for (long now = 0; now < 20 * WINDOW; now += random.nextInt(8)) {
            filter.advanceTo(now);
            long id = (long) (2_000 * Math.pow(random.nextDouble(), 3));
            long time = now - random.nextLong(WINDOW / 4);
            boolean absent = filter.addOrRenew(Hashing.hash(id), time);
            Long before = last.get(id);
            String what = "id " + id + " at " + now + " with -Dtest.seed=" + seed;
            if (before != null && before >= now - WINDOW && before >= time - WINDOW) {
                assertThat(absent).as(what).isFalse();
                renewed++;
            } else if (before == null || before < time - WINDOW - SLICE) {
                assertThat(absent).as(what).isTrue();
                again += before == null ? 0 : 1;
            }
            last.merge(id, time, Math::max);
        }
        assertThat(renewed).isGreaterThan(1_000);
        assertThat(again).isGreaterThan(100);
        filter.close();
    }
}
