/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * The wall clock, held back when it runs away from a steady clock: filters drop what has expired,
 * and cannot bring it back when the wall clock is corrected. A jump ahead of the steady clock by
 * more than {@link #TOLERANCE_MILLIS} is believed once the wall clock has been ahead for {@link
 * #PATIENCE_MILLIS}; until then, time advances with the steady clock. The first reading is
 * believed. So is a wall clock that is set back: this clock never runs ahead of it.
 *
 * <p>Not thread-safe: only the task's thread calls it.
 */
final class SteadyClock implements TtlTimeProvider {

    static final long TOLERANCE_MILLIS = 60_000;
    static final long PATIENCE_MILLIS = 3_600_000;

    private final TtlTimeProvider wall;
    private final LongSupplier nanos;

    /** How far the wall clock is ahead of the steady one, as far as that is believed. */
    private long offset;

    /** The steady time since which the wall clock has been further ahead; none if it is not. */
    private long aheadSince;

    private boolean isAhead;
    private boolean hasBegun;

    /**
     * @param nanos a steady clock, as {@link System#nanoTime}
     */
    SteadyClock(TtlTimeProvider wall, LongSupplier nanos) {
        this.wall = wall;
        this.nanos = nanos;
    }

    /** Holds back the machine's clock; a clock from elsewhere is used as it is. */
    static TtlTimeProvider of(TtlTimeProvider given) {
        return given == TtlTimeProvider.DEFAULT ? new SteadyClock(given, System::nanoTime) : given;
    }

    @Override
    public long currentTimestamp() {
        long now = wall.currentTimestamp();
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
