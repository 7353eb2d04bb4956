/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Keeps merges of all filters that share it below a rate, so that they leave some of the device to
 * others. A thread that has written some bytes waits until they are paid for. Thread-safe.
 */
final class WriteLimit {

    private static final double NANOS_PER_SECOND = 1e9;

    /** The longest single wait: how soon a merge notices that its filter is being closed. */
    private static final long LONGEST_NANOS = 20_000_000;

    private final double nanosPerByte;

    /** When everything written so far will be paid for, in {@link System#nanoTime} time. */
    private long paidAt = System.nanoTime();

    WriteLimit(long bytesPerSecond) {
        this.nanosPerByte = NANOS_PER_SECOND / (double) bytesPerSecond;
    }

    /**
     * Waits, in short pieces, for the time that this many bytes take; an interrupt ends the wait
     * early and stays set.
     *
     * @param isGivenUp whether what was written is no longer wanted: then the wait ends
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
