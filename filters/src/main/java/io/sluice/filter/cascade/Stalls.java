/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.concurrent.locks.LockSupport;

/** Counts the owner's delays. Used only by the owner. */
final class Stalls {

    private long count;
    private long nanos;
    private long longestNanos;

    /** Waits for a while. */
    void delay(long duration) {
        long begin = System.nanoTime();
        LockSupport.parkNanos(duration);
        add(System.nanoTime() - begin);
    }

    /** Counts a delay that has happened. */
    void add(long duration) {
        count++;
        nanos += duration;
        longestNanos = Math.max(longestNanos, duration);
    }

    long count() {
        return count;
    }

    long nanos() {
        return nanos;
    }

    long longestNanos() {
        return longestNanos;
    }
}
