/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Filters of many key groups on one budget: memory goes where ids come. */
class SharedBudgetTest {

    private static final int FILTERS = 64;
    private static final long WINDOW = 86_400_000;
    private static final long EXPECTED = 10_000_000;

    private static WindowOptions options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .expectedPerWindow(EXPECTED)
                .falsePositiveProbability(1e-6)
                .layout(layout)
                .build();
    }

    private static List<ForgetfulFilter> filters(WindowOptions options, MemoryBudget budget) {
        List<ForgetfulFilter> filters = new ArrayList<>();
        for (int filter = 0; filter < FILTERS; filter++) {
            filters.add(ForgetfulFilter.create(options, budget, 0, 0));
        }
        return filters;
    }

    private static void insert(ForgetfulFilter filter, int number, long from, long to) {
        for (long id = from; id < to; id++) {
            filter.insert(hash(number, id), id);
        }
    }

    private static long hash(int filter, long id) {
        return Hashing.hash(id * FILTERS + filter);
    }

    private static void assertHeld(ForgetfulFilter filter, int number, long ids) {
        for (long id = 0; id < ids; id++) {
            assertThat(filter.mightContain(hash(number, id), ids)).isTrue();
        }
    }

    /** 10 million ids a filter are expected, and a thousand come. */
    @ParameterizedTest
    @EnumSource
    void fewIdsTakeLittleWhateverIsExpected(Layout layout) {
        MemoryBudget budget = new MemoryBudget(256 << 20, FILTERS);
        List<ForgetfulFilter> filters = filters(options(layout), budget);
        for (int filter = 0; filter < FILTERS; filter++) {
            insert(filters.get(filter), filter, 0, 1_000);
            assertThat(filters.get(filter).overflows()).isZero();
            assertHeld(filters.get(filter), filter, 1_000);
        }
        assertThat(budget.reserved() / (FILTERS * 1_000)).as("bytes an id").isLessThan(64 * 8);
    }

    /** Each step is at most 64 times what came, so that it takes few arrays. */
    @ParameterizedTest
    @EnumSource
    void growsToWhatIsExpectedInFewSteps(Layout layout) {
        WindowOptions options = options(layout);
        ForgetfulFilter filter =
                ForgetfulFilter.create(options, new MemoryBudget(1L << 30, FILTERS), 0, 0);
        Set<Long> sizes = new LinkedHashSet<>();
        for (long id = 0; id < 2_500_000; id++) {
            filter.insert(hash(0, id), id);
            sizes.add(filter.sizeInBytes());
        }
        assertThat(sizes).as("bytes, step by step").hasSizeBetween(3, 4);
        assertThat(filter.overflows()).isZero();
        assertThat(filter.predictedFpp()).isLessThanOrEqualTo(1e-6);
        assertHeld(filter, 0, 2_500_000);
    }

    /** The memory that is recommended, and no more. */
    @ParameterizedTest
    @EnumSource
    void whatIsExpectedFitsIntoTheMemoryForIt(Layout layout) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW)
                        .expectedPerWindow(200_000)
                        .falsePositiveProbability(1e-6)
                        .layout(layout)
                        .build();
        MemoryBudget budget =
                new MemoryBudget(4 * ForgetfulFilter.expectedBytes(options) + (1 << 20), 4);
        for (int number = 0; number < 4; number++) {
            ForgetfulFilter filter = ForgetfulFilter.create(options, budget, 0, 0);
            for (long id = 0; id < 190_000; id++) {
                filter.insert(hash(number, id), id * WINDOW / 200_000);
            }
            assertThat(filter.overflows()).as("filter %d", number).isZero();
            assertThat(filter.coveredSince()).isEqualTo(Long.MIN_VALUE);
        }
    }

    /** As when two subtasks become one. */
    @ParameterizedTest
    @EnumSource
    void afterARestoreBeyondTheCapASmallFilterStillGetsItsPart(Layout layout) throws IOException {
        WindowOptions options = options(layout);
        MemoryBudget before = new MemoryBudget(256 << 20, FILTERS);
        ForgetfulFilter large = ForgetfulFilter.create(options, before, 0, EXPECTED);
        ForgetfulFilter small = ForgetfulFilter.create(options, before, 0, 0);
        insert(large, 0, 0, 1_000);
        insert(small, 1, 0, 100);
        MemoryBudget after = new MemoryBudget(16 << 20, FILTERS);
        ForgetfulFilter restoredLarge = copy(large, options, after);
        ForgetfulFilter restored = copy(small, options, after);
        assertThat(after.reserved()).as("beyond the cap").isGreaterThan(16 << 20);
        insert(restored, 1, 100, 10_000);
        assertThat(restored.overflows()).isZero();
        assertHeld(restored, 1, 10_000);
        assertHeld(restoredLarge, 0, 1_000);
    }

    private static ForgetfulFilter copy(
            ForgetfulFilter filter, WindowOptions options, MemoryBudget budget) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        filter.writeTo(bytes);
        return ForgetfulFilter.readFrom(
                new ByteArrayInputStream(bytes.toByteArray()), "a copy", options, budget);
    }
}
