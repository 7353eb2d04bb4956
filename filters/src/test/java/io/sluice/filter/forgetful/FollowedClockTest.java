/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A clock that follows timestamps, some of which are wild: against the exact window. */
class FollowedClockTest {

    private static final long WINDOW = 60_000;
    private static final long DAY = 86_400_000;
    private static final long YEAR_2026 = 1_790_000_000_000L;

    private static WindowOptions.Builder options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .falsePositiveProbability(1e-9)
                .expectedPerWindow(6_000)
                .layout(layout);
    }

    private static ForgetfulFilter filter(Layout layout, long now) {
        return ForgetfulFilter.create(options(layout).build(), new MemoryBudget(64 << 20), now);
    }

    @ParameterizedTest
    @ValueSource(longs = {WINDOW / 2, WINDOW, 2 * WINDOW, 30 * WINDOW, DAY, 100 * 365 * DAY})
    void oneTimestampAheadCostsNoDuplicateOfTheWindow(long ahead) {
        for (int position : new int[] {0, 1, 3_000, 5_999}) {
            ForgetfulFilter filter = filter(Layout.QUOTIENT, Long.MIN_VALUE);
            for (long id = 0; id < 6_000; id++) {
                long time = YEAR_2026 + id * 10;
                filter.add(Hashing.hash(id), id == position ? time + ahead : time);
            }
            long passed = 0;
            for (long id = 0; id < 6_000; id++) {
                passed += filter.add(Hashing.hash(id), YEAR_2026 + WINDOW) ? 1 : 0;
            }
            // By its own time the one ahead may be new.
            long distance = ahead + position * 10L - WINDOW;
            assertThat(passed)
                    .as("wild at %d", position)
                    .isBetween(
                            distance > WINDOW + WINDOW / 8 ? 1L : 0L, distance > WINDOW ? 1L : 0L);
            assertThat(filter.overflows()).isZero();
        }
    }

    @Test
    void whatIsTooFarAheadIsCounted() {
        ForgetfulFilter filter = filter(Layout.QUOTIENT, Long.MIN_VALUE);
        for (long id = 0; id < 10_000; id++) {
            filter.add(Hashing.hash(id), YEAR_2026 + id + (id % 1_000 == 999 ? DAY : 0));
        }
        assertThat(filter.future()).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void theClockFollowsAfterAGap(Layout layout) {
        for (long gap : new long[] {WINDOW, 50 * WINDOW, DAY, 1_000 * DAY}) {
            ForgetfulFilter filter = filter(layout, 0);
            for (long id = 0; id < 6_000; id++) {
                assertThat(filter.add(Hashing.hash(id), YEAR_2026 + id * 10)).isTrue();
            }
            long later = YEAR_2026 + WINDOW + gap;
            for (long id = 10_000; id < 10_100; id++) {
                assertThat(filter.add(Hashing.hash(id), later)).isTrue();
            }
            for (long id = 10_000; id < 10_100; id++) {
                assertThat(filter.add(Hashing.hash(id), later + WINDOW)).isFalse();
            }
            for (long id = 20_000; id < 20_020; id++) {
                assertThat(filter.add(Hashing.hash(id), later + 2 * WINDOW)).isTrue();
            }
            assertThat(filter.clock()).isEqualTo(later + 2 * WINDOW);
            assertThat(filter.idsHeld()).as("old ones are forgotten").isLessThan(200);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdThatComesAgainAfterTheWindowIsNewHoweverFewOthersCome(Layout layout) {
        ForgetfulFilter filter = filter(layout, Long.MIN_VALUE);
        for (int day = 0; day < 100; day++) {
            assertThat(filter.add(Hashing.hash(1), day * DAY)).as("day %d", day).isTrue();
            assertThat(filter.add(Hashing.hash(1), day * DAY + WINDOW)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aRetryWithAWildTimestampIsRecognisedHoweverManyIdsComeBetween(Layout layout) {
        ForgetfulFilter filter = filter(layout, Long.MIN_VALUE);
        long ids = 1_000;
        for (long id = 0; id < ids; id++) {
            assertThat(filter.add(Hashing.hash(id), YEAR_2026 + id)).isTrue();
            assertThat(filter.add(Hashing.hash(ids + id), YEAR_2026 + 2 * DAY + id)).isTrue();
        }
        for (long id = 0; id < ids; id++) {
            assertThat(filter.add(Hashing.hash(id), YEAR_2026 + ids)).isFalse();
            assertThat(filter.add(Hashing.hash(ids + id), YEAR_2026 + 2 * DAY + id)).isFalse();
        }
    }

    /** The clock follows with the thirteenth id only, and stands after a restore. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aRestoreSoonAfterASilenceForgetsNoIdThatCameSince(Layout layout) throws IOException {
        for (int since = 1; since < 20; since++) {
            ForgetfulFilter filter = filter(layout, Long.MIN_VALUE);
            for (long id = 0; id < 100; id++) {
                filter.add(Hashing.hash(id), YEAR_2026 + id);
            }
            long later = YEAR_2026 + 10 * DAY;
            for (long id = 0; id < since; id++) {
                filter.add(Hashing.hash(1_000 + id), later + id);
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            filter.writeTo(out);
            ForgetfulFilter restored =
                    ForgetfulFilter.readFrom(
                            new ByteArrayInputStream(out.toByteArray()),
                            "restored",
                            options(layout).build(),
                            new MemoryBudget(64 << 20));
            for (long id = 0; id < 50; id++) {
                restored.add(Hashing.hash(2_000 + id), later + 100 + id);
            }
            for (long id = 0; id < since; id++) {
                assertThat(restored.add(Hashing.hash(1_000 + id), later + 200))
                        .as("%s of %s", id, since)
                        .isFalse();
            }
        }
    }

    @Tag("thorough")
    @Test
    void randomStreamsWithWildTimestampsLoseNoDuplicateOfTheExactWindow() {
        for (int i = 0; i < 500; i++) {
            long seed = Seeds.seed(i);
            try {
                new History(seed).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(Seeds.describe(seed), e);
            }
        }
    }

    /** True times nearly in order; one in fifty timestamps is wild. */
    private static final class History {
        private final SplittableRandom random;
        private final ForgetfulFilter filter;

        /** The true timestamps with which ids were recorded. */
        private final Map<Long, NavigableSet<Long>> recorded = new HashMap<>();

        private long now = YEAR_2026;
        private long disorder;
        private long nextId;

        History(long seed) {
            random = new SplittableRandom(seed);
            Layout[] layouts = Tables.LAYOUTS;
            long[] starts = {Long.MIN_VALUE, 0, now, -now};
            filter =
                    filter(
                            layouts[random.nextInt(layouts.length)],
                            starts[random.nextInt(starts.length)]);
        }

        void run() {
            long step = 1 + random.nextLong(200);
            disorder = random.nextLong(WINDOW / 4);
            int wilds = random.nextInt(4);
            for (int i = 0; i < wilds; i++) {
                add(true);
            }
            int parts = random.nextInt(1, 5);
            for (int part = 0; part < parts; part++) {
                int count = random.nextInt(20, 3_000);
                for (int i = 0; i < count; i++) {
                    now += random.nextLong(2 * step);
                    add(random.nextInt(50) == 0);
                }
                now += random.nextLong(1L << random.nextInt(10, 38));
            }
            // Wild timestamps hold nothing for longer than the others.
            for (int i = 0; i < 300; i++) {
                now += WINDOW / 50;
                add(false);
            }
            assertThat(filter.overflows()).isZero();
            assertThat(now - filter.clock()).isBetween(0L, WINDOW);
        }

        private void add(boolean wild) {
            boolean again = nextId > 0 && random.nextInt(3) == 0;
            long id = again ? nextId - 1 - random.nextLong(Math.min(nextId, 2_000)) : nextId++;
            long time = now - (disorder == 0 ? 0 : random.nextLong(disorder));
            boolean added = filter.add(Hashing.hash(id), wild ? wildTime() : time);
            if (wild) {
                return;
            }
            if (added) {
                NavigableSet<Long> times = recorded.computeIfAbsent(id, any -> new TreeSet<>());
                // The clock may be as late as any true timestamp so far.
                long since = Math.max(time, now) - WINDOW;
                assertThat(times.subSet(since, true, time + WINDOW, true))
                        .as("id %d came again at %d", id, time)
                        .isEmpty();
                times.add(time);
            }
        }

        private long wildTime() {
            return switch (random.nextInt(6)) {
                case 0 -> Long.MAX_VALUE;
                case 1 -> Long.MIN_VALUE;
                case 2 -> now - random.nextLong(100 * DAY);
                case 3 -> random.nextLong();
                case 4 -> now + random.nextLong(2 * WINDOW);
                default -> now + random.nextLong(100 * DAY);
            };
        }
    }
}
