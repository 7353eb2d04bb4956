/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

/**
 * Holds records back until their time has come. A gap of more than a minute in the capture, as
 * between two captures joined, counts as a minute; a step of more than that back begins anew from
 * there, so that one packet of a wrong time far ahead does not let all others run.
 */
final class Pacer {
    /** The clock to wait by; replaced in tests. */
    interface Clock {
        /** As {@link System#nanoTime}. */
        long nanoTime();

        /** Waits about so long, or less. */
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
        // Sleeping for less costs more than it delays.
        return wait < MIN_WAIT_NANOS ? 0 : wait;
    }

    /** Waits for a part of {@code nanos}: the caller looks for failures in between. */
    void park(long nanos) {
        clock.park(Math.min(nanos, MAX_PARK_NANOS));
    }
}
