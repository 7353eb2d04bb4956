/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When slices are opened and forgotten, and what happens if there is no room for the next. */
class SlicesTest {

    private static final long WINDOW = 8_000;
    private static final long SLICE = WINDOW / 8;

    private static WindowOptions.Builder options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .expectedPerWindow(1_000)
                .falsePositiveProbability(1e-9)
                .layout(layout)
                .clockOfCaller();
    }

    private static ForgetfulFilter filter(WindowOptions options, long bytes, long now) {
        return ForgetfulFilter.create(options, new MemoryBudget(bytes), now);
    }

    /** The smallest arrays, which have no room long before they have as many ids as planned. */
    private static ForgetfulFilter tiny(Layout layout, OverflowPolicy policy) {
        WindowOptions options = options(layout).expectedPerWindow(8).onOverflow(policy).build();
        return filter(options, ForgetfulFilter.leastBytes(options), 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void everyIdIsHeldWhenItWasRecordedHoweverLittleRoomThereIs(Layout layout) {
        ForgetfulFilter filter = tiny(layout, OverflowPolicy.FORGET_OLDEST);
        long overflows = 0;
        for (long id = 0; id < 2_000; id++) {
            filter.insert(Hashing.hash(id), 0);
            assertThat(filter.mightContain(Hashing.hash(id), 0)).as("id %d", id).isTrue();
            assertThat(filter.overflows()).isGreaterThanOrEqualTo(overflows);
            overflows = filter.overflows();
            assertThat(overflows + filter.idsHeld()).isGreaterThanOrEqualTo(id + 1);
        }
        assertThat(filter.sizeInBytes()).isEqualTo(ForgetfulFilter.leastBytes(filter.options()));
        assertThat(filter.coveredSince()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void underFailAFullArrayRefusesTheNextIdAndKeepsTheOthers(Layout layout) {
        ForgetfulFilter filter = tiny(layout, OverflowPolicy.FAIL);
        long[] ids = {0};
        assertThatThrownBy(
                        () -> {
                            for (; ids[0] < 10_000; ids[0]++) {
                                filter.insert(Hashing.hash(ids[0]), 0);
                            }
                        })
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining(filter.idsHeld() + " ids are held");
        assertThat(filter.idsHeld()).isEqualTo(ids[0]).isPositive();
        assertThat(filter.overflows()).as("the one that was refused").isEqualTo(1);
        assertThat(filter.coveredSince()).isEqualTo(Long.MIN_VALUE);
        for (long id = 0; id < ids[0]; id++) {
            assertThat(filter.mightContain(Hashing.hash(id), 0)).isTrue();
        }
    }

    /** Of an array that is nearly full, some lines are full before. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdWhoseLinesAreFullIsHeldToo(Layout layout) {
        SplittableRandom random = Seeds.random();
        for (long expected : new long[] {20, 50, 100, 200, 400}) {
            for (OverflowPolicy policy : OverflowPolicy.values()) {
                // Most that refuse do so earlier, because the array has its number of ids.
                int rounds = policy == OverflowPolicy.FAIL ? 100 : 5;
                for (int round = 0; round < rounds; round++) {
                    WindowOptions options =
                            options(layout).expectedPerWindow(expected).onOverflow(policy).build();
                    recordsOrRefuses(
                            filter(options, ForgetfulFilter.expectedBytes(options), 0),
                            random,
                            4 * expected);
                }
            }
        }
    }

    private static void recordsOrRefuses(
            ForgetfulFilter filter, SplittableRandom random, long ids) {
        boolean refuses = filter.options().overflow() == OverflowPolicy.FAIL;
        for (long id = 0; id < ids; id++) {
            long hash = random.nextLong();
            long held = filter.idsHeld();
            long overflows = filter.overflows();
            try {
                filter.insert(hash, 0);
            } catch (FilterFullException e) {
                assertThat(refuses).isTrue();
                assertThat(filter.idsHeld()).isEqualTo(held);
                assertThat(filter.overflows()).isEqualTo(overflows + 1);
                return;
            }
            assertThat(filter.mightContain(hash, 0)).isTrue();
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
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdThatIsRenewedInItsOwnSliceIsHeldForTheWindowFromThen(Layout layout) {
        ForgetfulFilter filter = filter(options(layout).build(), 1 << 20, 0);
        long hash = Hashing.hash(1L);
        long renewed = SLICE - 1;
        filter.addOrRenew(hash, 0);
        filter.advanceTo(renewed);
        assertThat(filter.addOrRenew(hash, renewed)).isFalse();
        assertThat(filter.idsHeld()).isEqualTo(1);
        filter.advanceTo(renewed + WINDOW);
        assertThat(filter.mightContain(hash, renewed + WINDOW)).isTrue();
        filter.advanceTo(renewed + WINDOW + 1);
        assertThat(filter.idsHeld()).isZero();
    }

    /** Of the ids that are held, none is older than the window and a slice. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void whatLeftTheWindowIsForgottenSliceBySlice(Layout layout) {
        ForgetfulFilter filter = filter(options(layout).build(), 1 << 20, 0);
        long step = SLICE / 10;
        for (long id = 0; id < 400; id++) {
            filter.advanceTo(id * step);
            filter.insert(Hashing.hash(id), id * step);
            long inWindow = Math.min(id, WINDOW / step) + 1;
            assertThat(filter.idsHeld()).isBetween(inWindow, inWindow + SLICE / step);
        }
        assertThat(filter.segments()).hasSize(1);
        assertThat(filter.overflows()).isZero();
    }

    /** An array of twice the ids takes over, and the first one goes when its ids have left. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void moreIdsThanExpectedGoToALargerArray(Layout layout) {
        ForgetfulFilter filter = filter(options(layout).build(), 1 << 22, 0);
        for (long id = 0; id < 5_000; id++) {
            filter.insert(Hashing.hash(id), 0);
        }
        assertThat(filter.segments()).hasSizeGreaterThan(1);
        assertThat(filter.segments().get(1).capacity)
                .isGreaterThanOrEqualTo(2 * filter.segments().get(0).capacity);
        for (long id = 0; id < 5_000; id++) {
            assertThat(filter.mightContain(Hashing.hash(id), 0)).isTrue();
        }
        assertThat(filter.overflows()).isZero();
        filter.insert(Hashing.hash(-1L), WINDOW);
        filter.advanceTo(WINDOW + SLICE);
        assertThat(filter.segments()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anArrayThatIsMuchTooLargeThroughoutAWindowIsReplacedByASmallerOne(Layout layout) {
        ForgetfulFilter filter =
                filter(options(layout).expectedPerWindow(50_000).build(), 1 << 22, 0);
        long large = filter.sizeInBytes();
        for (long id = 0; id < 300; id++) {
            filter.advanceTo(id * SLICE / 10);
            filter.insert(Hashing.hash(id), id * SLICE / 10);
        }
        assertThat(filter.sizeInBytes()).isLessThan(large / 10);
        assertThat(filter.segments()).hasSize(1);
        assertThat(filter.coveredSince()).isLessThanOrEqualTo(filter.clock() - WINDOW);
    }

    /** Ids that are kept apart do not make others forgotten. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void lateIdsForWhichThereIsNoRoomAreRefusedAndTakeNothingFromTheOthers(Layout layout) {
        WindowOptions options = options(layout).build();
        long clock = 10 * WINDOW;
        ForgetfulFilter filter = filter(options, ForgetfulFilter.expectedBytes(options), clock);
        for (long id = 0; id < 500; id++) {
            filter.insert(Hashing.hash(id), clock);
        }
        long late = 100_000;
        for (long id = 0; id < late; id++) {
            filter.insert(Hashing.hash(-1 - id), 0);
        }
        assertThat(filter.overflows()).isPositive();
        assertThat(filter.idsHeld()).isBetween(500L, late);
        assertThat(filter.coveredSince()).isLessThanOrEqualTo(clock - WINDOW);
        for (long id = 0; id < 500; id++) {
            assertThat(filter.mightContain(Hashing.hash(id), clock)).isTrue();
        }
    }

    /** A filter that was large and then idle gives back what it does not need. */
    @Test
    void afterAnIdleWindowTheMemoryIsThatOfASmallFilter() {
        MemoryBudget budget = new MemoryBudget(1 << 22);
        ForgetfulFilter filter =
                ForgetfulFilter.create(
                        options(Layout.QUOTIENT).expectedPerWindow(50_000).build(), budget, 0);
        for (long id = 0; id < 50_000; id++) {
            filter.insert(Hashing.hash(id), id / 100);
        }
        long large = filter.sizeInBytes();
        assertThat(budget.reserved()).isEqualTo(large);
        filter.advanceTo(10 * WINDOW);
        assertThat(filter.idsHeld()).isZero();
        assertThat(filter.sizeInBytes()).isLessThan(large / 10);
        assertThat(budget.reserved()).isEqualTo(filter.sizeInBytes());
        filter.insert(Hashing.hash(1L), 10 * WINDOW);
        assertThat(filter.mightContain(Hashing.hash(1L), 10 * WINDOW)).isTrue();
        filter.close();
        assertThat(budget.reserved()).isZero();
    }

    /** Another filter was restored beyond the cap: nothing is granted, so the array stays. */
    @Test
    void afterAnIdleWindowAnArrayStaysIfNoOtherIsGranted() {
        MemoryBudget budget = new MemoryBudget(1 << 20);
        ForgetfulFilter filter =
                ForgetfulFilter.create(
                        options(Layout.QUOTIENT).expectedPerWindow(20_000).build(), budget, 0);
        for (long id = 0; id < 20_000; id++) {
            filter.insert(Hashing.hash(id), id / 100);
        }
        long large = filter.sizeInBytes();
        MemoryBudget.Claim restored = budget.claim();
        restored.reserve(1 << 21);
        filter.advanceTo(10 * WINDOW);
        assertThat(filter.idsHeld()).isZero();
        assertThat(filter.mightContain(Hashing.hash(1L), 0)).isFalse();
        assertThat(filter.sizeInBytes()).isEqualTo(large);
        assertThat(budget.reserved()).isEqualTo(large + (1 << 21));
        filter.close();
        restored.release(1 << 21);
        assertThat(budget.reserved()).isZero();
    }

    @Test
    void anotherWindowAStricterProbabilityOrAnotherLayoutGoesIntoAnArrayOfItsOwn() {
        ForgetfulFilter filter = filter(options(Layout.QUOTIENT).build(), 1 << 20, 0);
        filter.insert(Hashing.hash(1L), 0);
        filter.changeOptions(options(Layout.QUOTIENT).windowMillis(2 * WINDOW).build());
        assertThat(filter.segments()).hasSize(2);
        assertThat(filter.segments().get(1).slice).isEqualTo(2 * SLICE);
        filter.changeOptions(options(Layout.QUOTIENT).falsePositiveProbability(1e-11).build());
        assertThat(filter.segments()).as("an empty one is replaced").hasSize(2);
        assertThat(filter.segments().get(1).fpp).isLessThanOrEqualTo(1e-11);
        filter.insert(Hashing.hash(2L), 0);
        filter.changeOptions(options(Layout.FINGERPRINTS).falsePositiveProbability(1e-11).build());
        assertThat(filter.segments()).hasSize(3);
        assertThat(filter.segments().get(2).array.geometry().layout())
                .isEqualTo(Layout.FINGERPRINTS);
        filter.insert(Hashing.hash(3L), 0);
        for (long id = 1; id <= 3; id++) {
            assertThat(filter.mightContain(Hashing.hash(id), 0)).isTrue();
        }
        filter.advanceTo(2 * WINDOW);
        assertThat(filter.segments()).hasSize(1);
    }

    @Test
    void withoutRoomForTwoArraysAStricterProbabilityExceedsTheBudget() {
        WindowOptions options = options(Layout.QUOTIENT).build();
        MemoryBudget budget = new MemoryBudget(ForgetfulFilter.expectedBytes(options));
        ForgetfulFilter filter = ForgetfulFilter.create(options, budget, 0);
        for (long id = 0; id < 500; id++) {
            filter.insert(Hashing.hash(id), 0);
        }
        filter.changeOptions(options(Layout.QUOTIENT).falsePositiveProbability(1e-11).build());
        assertThat(filter.segments()).hasSize(2);
        assertThat(filter.segments().get(1).fpp).isLessThanOrEqualTo(1e-11);
        assertThat(budget.reserved()).isGreaterThan(budget.maxBytes());
        assertThat(filter.mightContain(Hashing.hash(1L), 0)).isTrue();
    }

    @Test
    void withoutRoomForTwoArraysALaxerProbabilityGoesOnInTheOldOne() {
        WindowOptions options = options(Layout.QUOTIENT).falsePositiveProbability(1e-11).build();
        MemoryBudget budget = new MemoryBudget(ForgetfulFilter.expectedBytes(options));
        ForgetfulFilter filter = ForgetfulFilter.create(options, budget, 0);
        for (long id = 0; id < 500; id++) {
            filter.insert(Hashing.hash(id), 0);
        }
        filter.changeOptions(options(Layout.QUOTIENT).build());
        assertThat(filter.segments()).hasSize(1);
        assertThat(budget.reserved()).isLessThanOrEqualTo(budget.maxBytes());
    }
}
