/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Ids far ahead of the clock are held for their own time, and hold no other id. */
class FarAheadTest {
    private static final long WINDOW = 60_000;
    private static final long DAY = 86_400_000;
    private static final double FPP = 1e-3;

    private static WindowOptions.Builder options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .falsePositiveProbability(FPP)
                .expectedPerWindow(6_000)
                .layout(layout);
    }

    private static WindowedFilter filter(WindowOptions options) {
        return WindowedFilter.create(options, new MemoryBudget(16 << 20), 0);
    }

    private static long hash(long id) {
        return Hashing.hash(id);
    }

    private static WindowedFilter restored(WindowedFilter filter) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        filter.writeTo(bytes);
        return WindowedFilter.readFrom(
                new ByteArrayInputStream(bytes.toByteArray()),
                "test",
                filter.options(),
                new MemoryBudget(16 << 20));
    }

    /** One id each 10 ms, which comes again four windows later; one in fifty new ones is wild. */
    @ParameterizedTest
    @CsvSource({
        "BLOCKED, true", "SCATTERED, true", "FINGERPRINTS, true", "QUOTIENT, true",
        "BLOCKED, false", "SCATTERED, false", "FINGERPRINTS, false", "QUOTIENT, false"
    })
    void anIdThatComesAgainAfterItsWindowIsNewThoughOthersAreADayAhead(
            Layout layout, boolean clockOfCaller) throws IOException {
        WindowOptions.Builder builder = options(layout);
        WindowOptions options = (clockOfCaller ? builder.clockOfCaller() : builder).build();
        WindowedFilter filter = filter(options);
        long gap = 4 * WINDOW;
        long again = 0;
        long dropped = 0;
        for (long time = 0; time < 20 * WINDOW; time += 10) {
            if (clockOfCaller) {
                filter.advanceTo(time);
            }
            if (time == 10 * WINDOW) {
                filter = restored(filter);
            }
            boolean wild = time % 500 == 0;
            filter.add(hash(time), wild ? time + DAY : time);
            if (time >= gap && (time - gap) % 500 != 0) {
                again++;
                dropped += filter.add(hash(time - gap), time) ? 0 : 1;
            }
        }
        assertThat((double) dropped / again).isLessThanOrEqualTo(options.maxFpp());
        assertThat(filter.future()).isPositive();
        assertThat(filter.overflows()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anIdFarAheadIsADuplicateUntilItsOwnWindowHasPassed(Layout layout) throws IOException {
        WindowedFilter filter = filter(options(layout).clockOfCaller().build());
        long ahead = 10 * WINDOW;
        for (long time = 0; time <= ahead + WINDOW; time += 1_000) {
            filter.advanceTo(time);
            filter.add(hash(time), time);
            if (time <= 5 * WINDOW) {
                assertThat(filter.add(hash(-1 - time), time + ahead)).isTrue();
            }
            if (time == 3 * WINDOW) {
                filter = restored(filter);
            }
            long first = Math.max(0, time - ahead - WINDOW);
            for (long sent = first; sent <= Math.min(time, 5 * WINDOW); sent += 1_000) {
                assertThat(filter.add(hash(-1 - sent), sent + ahead)).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsHeldForAnIdFarAheadIsFreedAfterwards(Layout layout) {
        MemoryBudget budget = new MemoryBudget(16 << 20);
        WindowedFilter filter =
                WindowedFilter.create(options(layout).clockOfCaller().build(), budget, 0);
        filter.add(hash(1), 0);
        long before = budget.reserved();
        filter.add(hash(2), 5 * WINDOW);
        assertThat(budget.reserved()).isGreaterThan(before);
        filter.advanceTo(6 * WINDOW);
        assertThat(filter.add(hash(2), 5 * WINDOW)).isFalse();
        filter.advanceTo(6 * WINDOW + 1);
        assertThat(filter.mightContain(hash(2))).isFalse();
        assertThat(filter.idsHeld()).isZero();
        assertThat(budget.reserved()).isLessThanOrEqualTo(before);
        filter.close();
        assertThat(budget.reserved()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void idsFarAheadLeaveInTheOrderOfTheirTimesNotOfTheirArrival(Layout layout) {
        WindowedFilter filter = filter(options(layout).clockOfCaller().build());
        filter.add(hash(1), 40 * WINDOW);
        filter.advanceTo(39 * WINDOW + WINDOW / 2);
        filter.add(hash(2), 41 * WINDOW);
        filter.advanceTo(39 * WINDOW + WINDOW / 2 + 1);
        filter.add(hash(3), 60 * WINDOW);
        filter.advanceTo(41 * WINDOW + 1);
        assertThat(filter.mightContain(hash(1))).isFalse();
        assertThat(filter.mightContain(hash(2))).isTrue();
        assertThat(filter.mightContain(hash(3))).isTrue();
    }

    /** A watermark three windows behind all that comes. */
    @ParameterizedTest
    @EnumSource
    void whereAllIdsAreFarAheadTheyAreHeldLongerByNoMoreThanTheyAreAhead(Layout layout) {
        WindowOptions options = options(layout).clockOfCaller().build();
        WindowedFilter filter = filter(options);
        long trails = 3 * WINDOW;
        long held = 0;
        long ids = 0;
        for (long time = 0; time < 30 * WINDOW; time += 10) {
            filter.advanceTo(time - trails);
            filter.add(hash(time), time);
            long before = time - trails - WINDOW - trails - WINDOW / 7;
            if (before >= 0) {
                ids++;
                held += filter.mightContain(hash(before)) ? 1 : 0;
            }
        }
        assertThat((double) held / ids).isLessThanOrEqualTo(options.maxFpp());
        assertThat(filter.overflows()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void underTheCapIdsFarAheadTakeNothingFromTheOthers(Layout layout) {
        WindowOptions options =
                options(layout).maxFalsePositiveProbability(FPP).clockOfCaller().build();
        MemoryBudget budget = new MemoryBudget(WindowedFilter.expectedBytes(options));
        WindowedFilter filter = WindowedFilter.create(options, budget, 0);
        BitSet recorded = new BitSet();
        long news = 0;
        long dropped = 0;
        for (long time = 0; time < 30 * WINDOW; time += 10) {
            filter.advanceTo(time);
            boolean wild = time % 40 == 0;
            boolean isNew = filter.add(hash(time), wild ? time + DAY : time);
            recorded.set((int) time, isNew && !wild);
            news++;
            dropped += isNew ? 0 : 1;
            assertThat(filter.coveredBehind()).isLessThanOrEqualTo(Math.max(0, time - WINDOW));
            long before = time - WINDOW + 10;
            if (before >= 0 && recorded.get((int) before)) {
                assertThat(filter.mightContain(hash(before))).isTrue();
            }
        }
        assertThat((double) dropped / news).isLessThanOrEqualTo(1.1 * FPP);
        assertThat(filter.overflows()).as("ids far ahead without room").isPositive();
        assertThat(filter.wantedBytes()).isGreaterThan(budget.maxBytes());
        assertThat(budget.reserved()).isLessThanOrEqualTo(budget.maxBytes());
    }

    @Test
    void whereIdsAreRefusedWhenFullOneFarAheadIsTooAndAllThatIsHeldStays() {
        WindowOptions options =
                options(Layout.BLOCKED).onOverflow(OverflowPolicy.FAIL).clockOfCaller().build();
        MemoryBudget budget = new MemoryBudget(WindowedFilter.expectedBytes(options));
        WindowedFilter filter = WindowedFilter.create(options, budget, 0);
        filter.add(hash(1), 0);
        assertThatThrownBy(() -> filter.add(hash(2), DAY)).isInstanceOf(FilterFullException.class);
        assertThat(filter.mightContain(hash(1))).isTrue();
        assertThat(filter.mightContain(hash(2))).isFalse();
        assertThat(filter.overflows()).isEqualTo(1);
    }

    @Test
    void aWildTimestampFromBeforeTheClockHoldsNoIdThatComesAfterwards() {
        WindowOptions options = options(Layout.FINGERPRINTS).clockOfCaller().build();
        WindowedFilter filter =
                WindowedFilter.create(options, new MemoryBudget(16 << 20), Long.MIN_VALUE);
        filter.add(hash(1), DAY);
        filter.advanceTo(0);
        filter.add(hash(2), 0);
        for (long time = 0; time <= 2 * WINDOW; time += WINDOW / 8) {
            filter.advanceTo(time);
            filter.add(hash(3 + time), time);
        }
        assertThat(filter.mightContain(hash(1))).isTrue();
        assertThat(filter.mightContain(hash(2))).isFalse();
    }

    /** Each slice is closed soon, and hardly filled. */
    @ParameterizedTest
    @EnumSource
    void idsJustFarAheadTakeLittleMemory(Layout layout) {
        MemoryBudget budget = new MemoryBudget(64 << 20);
        WindowedFilter filter =
                WindowedFilter.create(options(layout).clockOfCaller().build(), budget, 0);
        long before = budget.reserved();
        for (long time = 0; time < 20 * WINDOW; time += 10) {
            filter.advanceTo(time);
            filter.add(hash(time), time % 30 == 0 ? time + WINDOW + 1 + time % 97 : time);
        }
        assertThat(filter.overflows()).isZero();
        assertThat(budget.reserved()).isLessThan(4 * before);
    }

    @ParameterizedTest
    @EnumSource
    void manyRestoresAddNoArrayEach(Layout layout) throws IOException {
        WindowedFilter filter = filter(options(layout).clockOfCaller().build());
        for (int i = 0; i < 100; i++) {
            filter.advanceTo(1_000L * i);
            assertThat(filter.add(hash(i), DAY)).isTrue();
            filter = restored(filter);
            for (int j = 0; j <= i; j++) {
                assertThat(filter.mightContain(hash(j))).isTrue();
            }
        }
        assertThat(filter.segments()).hasSizeLessThan(5);
        assertThat(filter.overflows()).isZero();
    }

    /** Arrays from before the first watermark got no id that was behind it either. */
    @ParameterizedTest
    @EnumSource
    void aLargeArrayFromBeforeTheClockIsNotTakenForOneOfIdsFarAhead(Layout layout) {
        WindowOptions options = options(layout).clockOfCaller().build();
        WindowedFilter filter =
                WindowedFilter.create(options, new MemoryBudget(64 << 20), Long.MIN_VALUE, 0);
        for (long id = 0; id < 100_000; id++) {
            filter.add(hash(id), id / 2);
        }
        assertThat(filter.segments()).as("it grew").hasSizeGreaterThan(2);
        filter.advanceTo(50_000);
        long before = filter.sizeInBytes();
        filter.add(hash(-1), 50_000 + DAY);
        assertThat(filter.sizeInBytes()).isBetween(before + 1, before + 10_000);
    }

    /** As many as key groups, each with its own share. */
    @ParameterizedTest
    @EnumSource
    void filtersThatShareACapKeepTheirWindowsThoughEachGetsIdsFarAhead(Layout layout) {
        WindowOptions options = options(layout).expectedPerWindow(60).clockOfCaller().build();
        int filters = 200;
        MemoryBudget budget =
                new MemoryBudget(filters * WindowedFilter.expectedBytes(options), filters);
        List<WindowedFilter> all = new ArrayList<>();
        for (int i = 0; i < filters; i++) {
            all.add(WindowedFilter.create(options, budget, 0));
        }
        for (long time = 0; time < 6 * WINDOW; time += 1_000) {
            for (WindowedFilter filter : all) {
                filter.advanceTo(time);
                filter.record(hash(time), time);
                if (time % 10_000 == 0) {
                    filter.record(hash(-1 - time), time + DAY);
                }
                assertThat(filter.coveredBehind()).isLessThanOrEqualTo(Math.max(0, time - WINDOW));
            }
        }
        assertThat(budget.reserved()).isLessThanOrEqualTo(budget.maxBytes());
        all.forEach(WindowedFilter::close);
        assertThat(budget.reserved()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anIdThatIsRenewedFarAheadHoldsNoOtherForEver(Layout layout) {
        WindowedFilter filter = filter(options(layout).clockOfCaller().build());
        filter.add(hash(-1), 5 * WINDOW);
        filter.add(hash(-2), 5 * WINDOW);
        for (long time = 0; time < 100 * WINDOW; time += 1_000) {
            filter.advanceTo(time);
            filter.add(hash(2 * time), time);
            filter.add(hash(2 * time + 1), time);
            filter.addOrRenew(hash(-2), time + 5 * WINDOW);
        }
        assertThat(filter.mightContain(hash(-2))).isTrue();
        assertThat(filter.mightContain(hash(-1))).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void aStricterProbabilityHoldsForIdsFarAheadToo(Layout layout) {
        WindowOptions.Builder lax = options(layout).clockOfCaller().falsePositiveProbability(0.3);
        WindowedFilter filter = filter(lax.build());
        long dropped = 0;
        for (long time = 0; time < 400 * WINDOW; time += 50) {
            filter.advanceTo(time);
            if (time == 70 * WINDOW) {
                filter.changeOptions(
                        options(layout)
                                .clockOfCaller()
                                .falsePositiveProbability(1e-6)
                                .maxFalsePositiveProbability(1e-6)
                                .build());
            }
            boolean isNew = filter.add(hash(time), time % 10_000 == 0 ? time + DAY : time);
            dropped += isNew || time < 200 * WINDOW ? 0 : 1;
        }
        assertThat(dropped).isLessThanOrEqualTo(3);
        assertThat(filter.predictedFpp()).isLessThanOrEqualTo(1e-6);
    }

    @ParameterizedTest
    @EnumSource
    void anArrayOfIdsFarAheadDoesNotKeepTheOtherFromShrinking(Layout layout) {
        WindowedFilter filter = filter(options(layout).clockOfCaller().build());
        long id = 0;
        for (long time = 0; time < 100 * WINDOW; time += 100) {
            filter.advanceTo(time);
            int rate = time < 4 * WINDOW ? 1_000 : 1;
            for (int i = 0; i < rate; i++) {
                filter.add(hash(id++), time);
            }
            if (time % WINDOW == 0) {
                filter.add(hash(id++), time + DAY);
            }
        }
        assertThat(filter.sizeInBytes()).isLessThan(50_000);
    }

    @ParameterizedTest
    @EnumSource
    void norAfterARestoreIfNoOtherIdFarAheadComes(Layout layout) throws IOException {
        WindowedFilter filter = filter(options(layout).clockOfCaller().build());
        long id = 0;
        for (long time = 0; time < 4 * WINDOW; time += 100) {
            filter.advanceTo(time);
            for (int i = 0; i < 1_000; i++) {
                filter.add(hash(id++), time);
            }
        }
        long far = id++;
        filter.add(hash(far), DAY);
        filter = restored(filter);
        for (long time = 4 * WINDOW; time < 40 * WINDOW; time += 100) {
            filter.advanceTo(time);
            filter.add(hash(id++), time);
        }
        assertThat(filter.mightContain(hash(far))).isTrue();
        assertThat(filter.sizeInBytes()).isLessThan(50_000);
    }

    /** Longer than what which side most ids are on is decided by at least. */
    @ParameterizedTest
    @EnumSource
    void burstsOfIdsFarAheadHoldNoOther(Layout layout) {
        WindowOptions options = options(layout).expectedPerWindow(60_000).clockOfCaller().build();
        WindowedFilter filter = filter(options);
        long again = 0;
        long dropped = 0;
        for (long time = 0; time < 12 * WINDOW; time++) {
            filter.advanceTo(time);
            filter.add(hash(time), time);
            if (time % (WINDOW / 4) == 0) {
                for (int i = 0; i < 300; i++) {
                    filter.add(hash(-1 - 300 * time - i), time + DAY);
                }
            }
            if (time >= 4 * WINDOW) {
                again++;
                dropped += filter.mightContain(hash(time - 4 * WINDOW)) ? 1 : 0;
            }
        }
        assertThat((double) dropped / again).isLessThanOrEqualTo(options.maxFpp());
    }

    @Test
    void whatWouldHaveSufficedIsToldThoughIdsFarAheadWereRefused() {
        WindowOptions options =
                options(Layout.FINGERPRINTS).expectedPerWindow(1_000).clockOfCaller().build();
        long enough = 0;
        for (boolean wild : new boolean[] {false, true}) {
            MemoryBudget budget = new MemoryBudget(WindowedFilter.expectedBytes(options));
            WindowedFilter filter = WindowedFilter.create(options, budget, 0);
            for (long time = 0; time < 8 * WINDOW; time++) {
                filter.advanceTo(time);
                filter.add(hash(time), wild && time % 10_000 == 0 ? time + DAY : time);
            }
            enough = wild ? enough : filter.wantedBytes();
            assertThat(filter.wantedBytes()).isBetween(enough / 2, 2 * enough);
        }
        assertThat(enough).isGreaterThan(10 * WindowedFilter.expectedBytes(options));
    }

    /** Any mix of times, and each id that was recorded is held until its window has passed. */
    @ParameterizedTest
    @EnumSource
    void randomHistoriesLoseNoIdInsideItsWindow(Layout layout) throws IOException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20; round++) {
            WindowOptions options = options(layout).clockOfCaller().build();
            WindowedFilter filter = filter(options);
            Map<Long, Long> recorded = new HashMap<>();
            double share = random.nextDouble();
            long clock = 0;
            for (int step = 0; step < 2_000; step++) {
                clock += random.nextInt(4) == 0 ? random.nextLong(WINDOW / 8) : 0;
                filter.advanceTo(clock);
                long id = random.nextLong(500);
                long time =
                        clock
                                + (random.nextDouble() < share
                                        ? random.nextLong(70 * WINDOW)
                                        : random.nextLong(2_000) - 1_000);
                boolean held = recorded.containsKey(id) && recorded.get(id) + WINDOW >= clock;
                boolean isNew =
                        random.nextInt(4) == 0
                                ? filter.addOrRenew(hash(id), time)
                                : filter.add(hash(id), time);
                assertThat(isNew && held)
                        .as("seed %d, round %d, step %d", seed, round, step)
                        .isFalse();
                if (isNew) {
                    recorded.put(id, Math.min(time, options.latestTime(clock)));
                }
                if (random.nextInt(300) == 0) {
                    filter = restored(filter);
                }
            }
            filter.advanceTo(clock + 63 * WINDOW);
            assertThat(filter.idsHeld()).as("seed %d", seed).isZero();
        }
    }
}
