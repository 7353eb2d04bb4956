/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Keeps merges of all filters that share it below a rate, so that they leave some of the device to
 * others. Whoever has written some bytes waits until they are paid for. Thread-safe.
 */
final class WriteLimit {

    private static final double NANOS_PER_SECOND = 1e9;

    /** After that long at most a filter that is being closed finds out that a merge is given up. */
    private static final long LONGEST_NANOS = 20_000_000;

    private final double nanosPerByte;

    /** When everything that was written is paid for, in the time of {@link System#nanoTime}. */
    private long paidAt = System.nanoTime();

    WriteLimit(long bytesPerSecond) {
        this.nanosPerByte = NANOS_PER_SECOND / (double) bytesPerSecond;
    }

    /**
     * Waits for the time that that many bytes take, in short pieces; an interrupt ends it early and
     * stays set.
     *
     * @param isGivenUp whether nobody wants any more what was written: then it is not waited for
     */
    void paid(long bytes, BooleanSupplier isGivenUp) {
        long until = charge(bytes);
        for (long left = until - System.nanoTime();
                left > 0 && !isGivenUp.getAsBoolean();
                left = until - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, LONGEST_NANOS));
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
        }
    }

    private synchronized long charge(long bytes) {
        long now = System.nanoTime();
        paidAt = (paidAt - now > 0 ? paidAt : now) + (long) (nanosPerByte * (double) bytes);
        return paidAt;
    }
}
