/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.util.List;
import java.util.Locale;

/** What is in the golden files. */
final class GoldenFiles {

    static final long IDS = 3_000;
    static final long CLOCK = 2_500;

    /** Ids are their timestamps; the window is 1000. */
    static final long FIRST_HELD = CLOCK - 1_000;

    /** The other files are smaller: as many ids, one for each millisecond, in a window of 100. */
    static final long FEW_IDS = 300;

    static final long FEW_WINDOW = 100;

    /** When the ids of several slices were forgotten, and none came since. */
    static final long RETIRED_CLOCK = FEW_IDS + FEW_WINDOW / 2;

    static final String AHEAD_NAME = "v5-ahead.bin";

    /** How far some ids of that file are ahead of its clock. */
    static final long AHEAD = 20;

    static final String EMPTY_NAME = "v5-empty.bin";

    /** What shapes an array: the probability, and how many ids are expected in a window. */
    record Shape(double fpp, long expected) {}

    /** Together they give tables of every width that a window may choose. */
    static final List<Shape> SHAPES =
            List.of(
                    new Shape(0.5, 520),
                    new Shape(0.2, 520),
                    new Shape(0.05, 520),
                    new Shape(1e-2, 40),
                    new Shape(1e-4, 40),
                    new Shape(1e-6, 40),
                    new Shape(1e-8, 40),
                    new Shape(1e-10, 40),
                    new Shape(1e-12, 40));

    static final long SHAPE_IDS = 40;

    private GoldenFiles() {}

    static String name(Layout layout) {
        return "v5-window-" + lowerCase(layout) + ".bin";
    }

    static String retiredName(Layout layout) {
        return "v5-retired-" + lowerCase(layout) + ".bin";
    }

    static String clocklessName(OverflowPolicy policy, Layout layout) {
        String suffix = layout == Layout.QUOTIENT ? "" : "-" + lowerCase(layout);
        return "v5-clockless-" + lowerCase(policy) + suffix + ".bin";
    }

    static String shapesName(Layout layout) {
        return "v5-shapes-" + lowerCase(layout) + ".bin";
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static ForgetfulFilter window(Layout layout) {
        ForgetfulFilter window =
                ForgetfulFilter.create(
                        WindowOptions.builder()
                                .windowMillis(1_000)
                                .falsePositiveProbability(1e-3)
                                .layout(layout)
                                .clockOfCaller()
                                .build(),
                        new MemoryBudget(1 << 20),
                        0);
        for (long id = 0; id < IDS; id++) {
            window.insert(Hashing.hash(id), id);
            window.advanceTo(Math.min(id, CLOCK));
        }
        return window;
    }

    static WindowOptions fewOptions(Layout layout, OverflowPolicy policy) {
        return WindowOptions.builder()
                .windowMillis(FEW_WINDOW)
                .falsePositiveProbability(0.01)
                .expectedPerWindow(FEW_WINDOW)
                .onOverflow(policy)
                .layout(layout)
                .clockOfCaller()
                .build();
    }

    /** One array, in which slices that were forgotten are still to be emptied. */
    static ForgetfulFilter retired(Layout layout) {
        ForgetfulFilter window =
                ForgetfulFilter.create(
                        fewOptions(layout, OverflowPolicy.FORGET_OLDEST),
                        new MemoryBudget(1 << 20),
                        0);
        for (long id = 0; id < FEW_IDS; id++) {
            window.advanceTo(id);
            window.insert(Hashing.hash(id), id);
        }
        window.advanceTo(RETIRED_CLOCK);
        return window;
    }

    /**
     * Without a clock and with little memory, until it overflowed: some ids were forgotten in the
     * order of arrival, or one was refused.
     */
    static ForgetfulFilter clockless(OverflowPolicy policy, Layout layout) {
        ForgetfulFilter window =
                ForgetfulFilter.create(
                        fewOptions(layout, policy), new MemoryBudget(4_000), Long.MIN_VALUE);
        for (long id = 0; window.coveredSince() == Long.MIN_VALUE && id < 10 * FEW_IDS; id++) {
            try {
                window.insert(Hashing.hash(id), id);
            } catch (FilterFullException e) {
                break;
            }
        }
        return window;
    }

    /** With little memory, until it overflowed; every second id was ahead of the clock. */
    static ForgetfulFilter ahead() {
        ForgetfulFilter window =
                ForgetfulFilter.create(
                        fewOptions(Layout.QUOTIENT, OverflowPolicy.FORGET_OLDEST),
                        new MemoryBudget(2_000),
                        0);
        for (long id = 0; window.coveredSince() == Long.MIN_VALUE; id++) {
            window.advanceTo(clockAhead(id));
            window.insert(Hashing.hash(id), timeAhead(id));
        }
        return window;
    }

    /** Several ids come at the same time, so that memory runs out before they leave the window. */
    static long clockAhead(long id) {
        return id / 8;
    }

    static long timeAhead(long id) {
        return clockAhead(id) + id % 2 * AHEAD;
    }

    static ForgetfulFilter empty() {
        return ForgetfulFilter.create(
                fewOptions(Layout.QUOTIENT, OverflowPolicy.FAIL),
                new MemoryBudget(1 << 20),
                Long.MIN_VALUE);
    }

    static WindowOptions options(Layout layout, Shape shape) {
        return WindowOptions.builder()
                .windowMillis(FEW_WINDOW)
                .falsePositiveProbability(shape.fpp)
                .expectedPerWindow(shape.expected)
                .layout(layout)
                .clockOfCaller()
                .build();
    }

    static ForgetfulFilter ofShape(Layout layout, Shape shape) {
        ForgetfulFilter window =
                ForgetfulFilter.create(options(layout, shape), new MemoryBudget(1 << 20), 0);
        for (long id = 0; id < SHAPE_IDS; id++) {
            window.insert(Hashing.hash(id), id);
        }
        return window;
    }
}
