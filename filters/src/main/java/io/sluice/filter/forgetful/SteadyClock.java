/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.annotation.Internal;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The wall clock in ms, without its jumps: filters drop what has expired, and cannot bring it back
 * when the wall clock is corrected. The first reading is believed, and corrections of up to {@link
 * #TOLERANCE_MILLIS} are. After a greater jump, time goes on as a steady clock does. A wall clock
 * that has jumped ahead may be believed once it has been ahead for {@link #PATIENCE_MILLIS}: the
 * machine may have slept. One that was set back is not: what waits for its end would wait for as
 * long as it was set back. So this clock may run ahead of the wall clock for good.
 *
 * <p>Not thread-safe.
 */
@Internal
public final class SteadyClock implements LongSupplier {

    public static final long TOLERANCE_MILLIS = 60_000;
    public static final long PATIENCE_MILLIS = 3_600_000;

    private final LongSupplier wall;
    private final LongSupplier nanos;
    private final boolean believesInTheEnd;

    /** How far the wall clock is ahead of the steady one, as far as that is believed. */
    private long offset;

    /** The steady time since which the wall clock has been further ahead; none if it is not. */
    private long aheadSince;

    private boolean isAhead;
    private boolean hasBegun;

    /**
     * @param wall the wall clock, in ms since 1970
     * @param nanos a steady clock, as {@link System#nanoTime}
     * @param believesInTheEnd whether a wall clock that stays ahead is believed; if not, a machine
     *     that sleeps stops this clock
     */
    public SteadyClock(LongSupplier wall, LongSupplier nanos, boolean believesInTheEnd) {
        this.wall = requireNonNull(wall, "wall");
        this.nanos = requireNonNull(nanos, "nanos");
        this.believesInTheEnd = believesInTheEnd;
    }

    /**
     * Holds back the machine's clock. A clock from elsewhere, as tests have, is used as it is;
     * whether it is the machine's shows its present time.
     */
    public static LongSupplier of(LongSupplier given, boolean believesInTheEnd) {
        long before = System.currentTimeMillis();
        long time = given.getAsLong();
        boolean isTheMachines = before <= time && time <= System.currentTimeMillis();
        return isTheMachines ? new SteadyClock(given, System::nanoTime, believesInTheEnd) : given;
    }

    /** The present time, in ms since 1970. */
    @Override
    public long getAsLong() {
        long now = wall.getAsLong();
        long steady = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong());
        long ahead = now - steady;
        if (!hasBegun || Math.abs(ahead - offset) <= TOLERANCE_MILLIS) {
            offset = ahead;
            hasBegun = true;
            isAhead = false;
            return now;
        }
        if (ahead < offset) {
            isAhead = false;
            return steady + offset;
        }
        if (!isAhead) {
            isAhead = true;
            aheadSince = steady;
        }
        if (believesInTheEnd && steady - aheadSince >= PATIENCE_MILLIS) {
            offset = ahead;
            isAhead = false;
            return now;
        }
        return steady + offset;
    }
}
