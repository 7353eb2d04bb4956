/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

/**
 * Holds records back until their time has come. A gap of more than a minute in the capture, such as
 * between two joined captures, counts as a minute. After a step back of more than a minute, pacing
 * restarts from there, so that one packet with a wrong time far ahead does not let all others
 * through.
 */
final class Pacer {
    /** The clock to wait by; replaced in tests. */
    interface Clock {
        /** Like {@link System#nanoTime}. */
        long nanoTime();

        /** Waits for about this long, or less. */
        void park(long nanos);
    }

    private static final long MAX_GAP_NANOS = 60_000_000_000L;
    private static final long MIN_WAIT_NANOS = 1_000_000L;
    private static final long MAX_PARK_NANOS = 50_000_000L;

    private final Pace pace;
    private final Clock clock;
    private long startNanos;
    private long captureNanos;
    private long lastTimestamp;
    private boolean started;

    Pacer(Pace pace, Clock clock) {
        this.pace = pace;
        this.clock = clock;
    }

    /** Nanoseconds to wait before a record of this capture time is due; 0 if it is. */
    long waitFor(long timestampNanos) {
        if (pace.isMax()) {
            return 0;
        }
        if (!started) {
            started = true;
            startNanos = clock.nanoTime();
            lastTimestamp = timestampNanos;
        } else if (timestampNanos > lastTimestamp) {
            captureNanos += Math.min(timestampNanos - lastTimestamp, MAX_GAP_NANOS);
            lastTimestamp = timestampNanos;
        } else if (lastTimestamp - timestampNanos > MAX_GAP_NANOS) {
            lastTimestamp = timestampNanos;
        }
        long wait = startNanos + (long) (captureNanos / pace.factor()) - clock.nanoTime();
        // Shorter sleeps cost more than they delay.
        return wait < MIN_WAIT_NANOS ? 0 : wait;
    }

    /** Waits for a part of {@code nanos}: the caller checks for failures in between. */
    void park(long nanos) {
        clock.park(Math.min(nanos, MAX_PARK_NANOS));
    }
}
