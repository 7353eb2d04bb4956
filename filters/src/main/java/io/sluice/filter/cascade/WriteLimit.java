/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.concurrent.locks.LockSupport;

/**
 * Keeps merges of all filters that share it below a rate, so that they leave some of the device to
 * others. Whoever has written some bytes waits until they are paid for. Thread-safe.
 */
final class WriteLimit {

    private static final double NANOS_PER_SECOND = 1e9;

    private final double nanosPerByte;

    /** When everything that was written is paid for, in the time of {@link System#nanoTime}. */
    private long paidAt = System.nanoTime();

    WriteLimit(long bytesPerSecond) {
        this.nanosPerByte = NANOS_PER_SECOND / (double) bytesPerSecond;
    }

    /** Waits for the time that so many bytes take; an interrupt ends it early and stays set. */
    void paid(long bytes) {
        long until = charge(bytes);
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
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
