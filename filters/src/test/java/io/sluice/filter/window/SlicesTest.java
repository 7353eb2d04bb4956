/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.PlaneSizing;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When slices are opened and forgotten, and what happens if there is no room for the next. */
class SlicesTest {

    private static final long WINDOW = 7_000;
    private static final long SLICE = WINDOW / (PlaneSizing.PLANES - 1);

    private static WindowOptions.Builder options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .expectedPerWindow(1_000)
                .falsePositiveProbability(1e-9)
                .layout(layout)
                .clockOfCaller();
    }

    private static WindowedFilter filter(WindowOptions options, long bytes, long now) {
        return WindowedFilter.create(options, new MemoryBudget(bytes), now);
    }

    /** The smallest arrays, which have no room long before they have as many ids as planned. */
    private static WindowedFilter tiny(Layout layout, OverflowPolicy policy) {
        WindowOptions options = options(layout).expectedPerWindow(8).onOverflow(policy).build();
        return filter(options, WindowedFilter.leastBytes(options), 0);
    }

    @ParameterizedTest
    @EnumSource
    void everyIdIsHeldWhenItWasRecordedHoweverLittleRoomThereIs(Layout layout) {
        WindowedFilter filter = tiny(layout, OverflowPolicy.FORGET_OLDEST);
        long overflows = 0;
        for (long id = 0; id < 2_000; id++) {
            filter.record(Hashing.hash(id), 0);
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
            assertThat(filter.overflows()).isGreaterThanOrEqualTo(overflows);
            overflows = filter.overflows();
            assertThat(overflows + filter.idsHeld()).isGreaterThanOrEqualTo(id + 1);
        }
        assertThat(filter.sizeInBytes()).isEqualTo(WindowedFilter.leastBytes(filter.options()));
        assertThat(filter.coveredSince()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void underFailAFullArrayRefusesTheNextIdAndKeepsTheOthers(Layout layout) {
        WindowedFilter filter = tiny(layout, OverflowPolicy.FAIL);
        long[] ids = {0};
        assertThatThrownBy(
                        () -> {
                            for (; ids[0] < 10_000; ids[0]++) {
                                filter.record(Hashing.hash(ids[0]), 0);
                            }
                        })
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining(filter.idsHeld() + " ids are held");
        assertThat(filter.idsHeld()).isEqualTo(ids[0]).isPositive();
        assertThat(filter.overflows()).as("the one that was refused").isEqualTo(1);
        assertThat(filter.coveredSince()).isEqualTo(Long.MIN_VALUE);
        for (long id = 0; id < ids[0]; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).isTrue();
        }
    }

    /** Of an array that is nearly full, some lines are full before. */
    @ParameterizedTest
    @EnumSource
    void anIdWhoseLinesAreFullIsHeldToo(Layout layout) {
        SplittableRandom random = Seeds.random();
        for (long expected : new long[] {20, 50, 100, 200, 400}) {
            for (OverflowPolicy policy : OverflowPolicy.values()) {
                // Most that refuse do so earlier, because the last slice has its share of ids.
                int rounds = policy == OverflowPolicy.FAIL ? 100 : 5;
                for (int round = 0; round < rounds; round++) {
                    WindowOptions options =
                            options(layout).expectedPerWindow(expected).onOverflow(policy).build();
                    recordsOrRefuses(
                            filter(options, WindowedFilter.expectedBytes(options), 0),
                            random,
                            4 * expected);
                }
            }
        }
    }

    private static void recordsOrRefuses(WindowedFilter filter, SplittableRandom random, long ids) {
        boolean refuses = filter.options().overflow() == OverflowPolicy.FAIL;
        for (long id = 0; id < ids; id++) {
            long hash = random.nextLong();
            long held = filter.idsHeld();
            long overflows = filter.overflows();
            try {
                filter.record(hash, 0);
            } catch (FilterFullException e) {
                assertThat(refuses).isTrue();
                assertThat(filter.idsHeld()).isEqualTo(held);
                assertThat(filter.overflows()).isEqualTo(overflows + 1);
                return;
            }
            assertThat(filter.mightContain(hash)).isTrue();
            assertThat(filter.overflows() - overflows)
                    .as("what was forgotten")
                    .isGreaterThanOrEqualTo(held + 1 - filter.idsHeld());
            if (refuses) {
                assertThat(filter.idsHeld()).isEqualTo(held + 1);
            }
        }
        assertThat(refuses).isFalse();
    }

    /** Though no other id comes that would make the slice last. */
    @ParameterizedTest
    @EnumSource
    void anIdThatIsRenewedInItsOwnSliceIsHeldForTheWindowFromThen(Layout layout) {
        WindowedFilter filter = filter(options(layout).build(), 1 << 20, 0);
        long hash = Hashing.hash(1L);
        long renewed = SLICE - 1;
        filter.addOrRenew(hash, 0);
        filter.advanceTo(renewed);
        assertThat(filter.addOrRenew(hash, renewed)).isFalse();
        assertThat(filter.idsHeld()).isEqualTo(1);
        filter.advanceTo(renewed + WINDOW);
        assertThat(filter.mightContain(hash)).isTrue();
        filter.advanceTo(renewed + WINDOW + 1);
        assertThat(filter.mightContain(hash)).isFalse();
    }

    private interface Change {
        void to(WindowedFilter filter);
    }

    /**
     * Few ids come, one in a tenth of a slice. None is held much longer than the window, whatever
     * is done to the filter on the way.
     */
    private static void forgetsOnTime(WindowedFilter filter, Change change, long shift) {
        SplittableRandom random = Seeds.random();
        long[] hashes = random.longs(400).toArray();
        long step = SLICE / 10;
        int changeAt = 105;
        for (int i = 0; i < hashes.length; i++) {
            if (i == changeAt) {
                change.to(filter);
            }
            long moved = i < changeAt ? 0 : shift;
            filter.advanceTo(i * step + moved);
            filter.record(hashes[i], i * step + moved);
            for (int before = 0; before <= i; before++) {
                long age = (i - before) * step;
                if (age <= WINDOW) {
                    assertThat(filter.mightContain(hashes[before])).as("of age %d", age).isTrue();
                } else if (age > WINDOW + 2 * SLICE) {
                    assertThat(filter.mightContain(hashes[before])).as("of age %d", age).isFalse();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void slicesGoOnByTimeWhenNothingChanges(Layout layout) {
        forgetsOnTime(filter(options(layout).build(), 1 << 20, 0), filter -> {}, 0);
    }

    @ParameterizedTest
    @EnumSource
    void slicesGoOnByTimeWhenOptionsChange(Layout layout) {
        UnaryOperator<WindowOptions.Builder> more = builder -> builder.expectedPerWindow(2_000);
        forgetsOnTime(
                filter(options(layout).build(), 1 << 20, 0),
                filter -> filter.changeOptions(more.apply(options(layout)).build()),
                0);
    }

    @ParameterizedTest
    @EnumSource
    void slicesGoOnByTimeWhenAllTimesAreMoved(Layout layout) {
        for (long shift : new long[] {-1_000 * WINDOW, 1_000 * WINDOW}) {
            forgetsOnTime(
                    filter(options(layout).build(), 1 << 20, 0),
                    filter -> filter.shiftTime(shift),
                    shift);
        }
    }

    @ParameterizedTest
    @EnumSource
    void slicesGoOnByTimeWhenTheClockIsResetToTheSameTime(Layout layout) {
        forgetsOnTime(filter(options(layout).build(), 1 << 20, 0), WindowedFilter::resetClock, 0);
    }

    /** A filter that was large and then idle gives back what it does not need. */
    @Test
    void afterAnIdleWindowTheMemoryIsThatOfASmallFilter() {
        MemoryBudget budget = new MemoryBudget(1 << 22);
        WindowedFilter filter =
                WindowedFilter.create(
                        options(Layout.QUOTIENT).expectedPerWindow(50_000).build(), budget, 0);
        for (long id = 0; id < 50_000; id++) {
            filter.record(Hashing.hash(id), id / 100);
        }
        long large = filter.sizeInBytes();
        assertThat(budget.reserved()).isEqualTo(large);
        filter.advanceTo(10 * WINDOW);
        assertThat(filter.idsHeld()).isZero();
        assertThat(filter.sizeInBytes()).isLessThan(large / 10);
        assertThat(budget.reserved()).isEqualTo(filter.sizeInBytes());
        filter.record(Hashing.hash(1L), 10 * WINDOW);
        assertThat(filter.mightContain(Hashing.hash(1L))).isTrue();
        filter.close();
        assertThat(budget.reserved()).isZero();
    }

    /** Another filter was restored beyond the cap: nothing is granted, so the array stays. */
    @Test
    void afterAnIdleWindowAnArrayStaysIfNoOtherIsGranted() {
        MemoryBudget budget = new MemoryBudget(1 << 20);
        WindowedFilter filter =
                WindowedFilter.create(
                        options(Layout.QUOTIENT).expectedPerWindow(20_000).build(), budget, 0);
        for (long id = 0; id < 20_000; id++) {
            filter.record(Hashing.hash(id), id / 100);
        }
        long large = filter.sizeInBytes();
        MemoryBudget.Claim restored = budget.claim();
        restored.reserve(1 << 21);
        filter.advanceTo(10 * WINDOW);
        assertThat(filter.idsHeld()).isZero();
        assertThat(filter.mightContain(Hashing.hash(1L))).isFalse();
        assertThat(filter.sizeInBytes()).isEqualTo(large);
        assertThat(budget.reserved()).isEqualTo(large + (1 << 21));
        filter.close();
        restored.release(1 << 21);
        assertThat(budget.reserved()).isZero();
    }

    @Test
    void aStricterProbabilityOrAnotherLayoutGoesIntoAnArrayOfItsOwn() {
        WindowedFilter filter = filter(options(Layout.QUOTIENT).build(), 1 << 20, 0);
        filter.record(Hashing.hash(1L), 0);
        filter.changeOptions(options(Layout.QUOTIENT).windowMillis(2 * WINDOW).build());
        assertThat(filter.segments()).as("a longer window needs none").hasSize(1);
        filter.changeOptions(options(Layout.QUOTIENT).falsePositiveProbability(1e-11).build());
        assertThat(filter.segments()).hasSize(2);
        assertThat(filter.segments().get(1).fpp).isLessThanOrEqualTo(1e-11);
        filter.record(Hashing.hash(2L), 0);
        filter.changeOptions(options(Layout.BLOCKED).falsePositiveProbability(1e-11).build());
        assertThat(filter.segments()).hasSize(3);
        assertThat(filter.segments().get(2).array.geometry().layout()).isEqualTo(Layout.BLOCKED);
        filter.record(Hashing.hash(3L), 0);
        for (long id = 1; id <= 3; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).isTrue();
        }
        filter.advanceTo(2 * WINDOW);
        assertThat(filter.segments()).hasSize(1);
    }

    @Test
    void withoutRoomForTwoArraysAStricterProbabilityExceedsTheBudget() {
        WindowOptions options = options(Layout.QUOTIENT).build();
        MemoryBudget budget = new MemoryBudget(WindowedFilter.expectedBytes(options));
        WindowedFilter filter = WindowedFilter.create(options, budget, 0);
        for (long id = 0; id < 500; id++) {
            filter.record(Hashing.hash(id), 0);
        }
        filter.changeOptions(options(Layout.QUOTIENT).falsePositiveProbability(1e-11).build());
        assertThat(filter.segments()).hasSize(2);
        assertThat(filter.segments().get(1).fpp).isLessThanOrEqualTo(1e-11);
        assertThat(budget.reserved()).isGreaterThan(budget.maxBytes());
        assertThat(filter.mightContain(Hashing.hash(1L))).isTrue();
    }

    @Test
    void withoutRoomForTwoArraysALaxerProbabilityGoesOnInTheOldOne() {
        WindowOptions options = options(Layout.QUOTIENT).falsePositiveProbability(1e-11).build();
        MemoryBudget budget = new MemoryBudget(WindowedFilter.expectedBytes(options));
        WindowedFilter filter = WindowedFilter.create(options, budget, 0);
        for (long id = 0; id < 500; id++) {
            filter.record(Hashing.hash(id), 0);
        }
        filter.changeOptions(options(Layout.QUOTIENT).build());
        assertThat(filter.segments()).hasSize(1);
        assertThat(budget.reserved()).isLessThanOrEqualTo(budget.maxBytes());
    }
}
