/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;

/**
 * The windowed filter in figure 13: it adapts by itself, so there is nothing to do every second.
 */
final class WindowedSubject implements AdaptiveFilter {
    private static final long BUDGET = 1 << 20;

    /** The guess of a user who expects 20 elements a second. */
    private static final long EXPECTED = 20L * FigureThirteen.WINDOW_SECONDS;

    private final ForgetfulFilter filter;

    /** The last time that was given. */
    private long now;

    WindowedSubject(double target) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(FigureThirteen.WINDOW_SECONDS * 1000L)
                        .falsePositiveProbability(target)
                        .expectedPerWindow(EXPECTED)
                        .onOverflow(OverflowPolicy.FAIL)
                        .build();
        filter = ForgetfulFilter.create(options, new MemoryBudget(BUDGET), 0);
    }

    @Override
    public boolean add(long hash, double time) {
        now = millis(time);
        return filter.add(hash, now);
    }

    @Override
    public boolean mightContain(long hash) {
        return filter.mightContain(hash, now);
    }

    @Override
    public void advance(double time) {
        now = millis(time);
        filter.advanceTo(now);
    }

    @Override
    public void control() {
        // Adapts at its rotations.
    }

    @Override
    public double estimate() {
        return filter.predictedFpp();
    }

    @Override
    public int filters() {
        return filter.generations();
    }

    @Override
    public double period() {
        return 0;
    }

    @Override
    public long sizeInBits() {
        return 8 * filter.sizeInBytes();
    }

    private static long millis(double seconds) {
        return Math.round(seconds * 1000);
    }
}
