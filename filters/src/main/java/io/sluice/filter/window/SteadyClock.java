/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The wall clock in ms, held back when it runs away from a steady clock: filters drop what has
 * expired, and cannot bring it back when the wall clock is corrected. A jump ahead of the steady
 * clock by more than {@link #TOLERANCE_MILLIS} is believed once the wall clock has been ahead for
 * {@link #PATIENCE_MILLIS}; until then, time advances with the steady clock. The first reading is
 * believed. So is a wall clock that is set back: this clock never runs ahead of it.
 *
 * <p>Not thread-safe.
 */
public final class SteadyClock implements LongSupplier {

    public static final long TOLERANCE_MILLIS = 60_000;
    public static final long PATIENCE_MILLIS = 3_600_000;

    private final LongSupplier wall;
    private final LongSupplier nanos;

    /** How far the wall clock is ahead of the steady one, as far as that is believed. */
    private long offset;

    /** The steady time since which the wall clock has been further ahead; none if it is not. */
    private long aheadSince;

    private boolean isAhead;
    private boolean hasBegun;

    /**
     * @param wall the wall clock, in ms since 1970
     * @param nanos a steady clock, as {@link System#nanoTime}
     */
    public SteadyClock(LongSupplier wall, LongSupplier nanos) {
        this.wall = requireNonNull(wall, "wall");
        this.nanos = requireNonNull(nanos, "nanos");
    }

    /**
     * Holds back the machine's clock. A clock from elsewhere, as tests have, is used as it is;
     * whether it is the machine's shows its present time.
     */
    public static LongSupplier of(LongSupplier given) {
        long before = System.currentTimeMillis();
        long time = given.getAsLong();
        boolean isTheMachines = before <= time && time <= System.currentTimeMillis();
        return isTheMachines ? new SteadyClock(given, System::nanoTime) : given;
    }

    /** The present time, in ms since 1970. */
    @Override
    public long getAsLong() {
        long now = wall.getAsLong();
        long steady = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong());
        long ahead = now - steady;
        if (!hasBegun || ahead <= offset + TOLERANCE_MILLIS) {
            offset = ahead;
            hasBegun = true;
            isAhead = false;
            return now;
        }
        if (!isAhead) {
            isAhead = true;
            aheadSince = steady;
        }
        if (steady - aheadSince >= PATIENCE_MILLIS) {
            offset = ahead;
            isAhead = false;
            return now;
        }
        return steady + offset;
    }
}
