/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import java.util.concurrent.atomic.AtomicLong;

/**
 * From the first record that left a source to the last task that ended, in one JVM: what a job
 * needs to be deployed and torn down is not throughput. One job at a time.
 */
final class RunClock {
    private static final AtomicLong FIRST = new AtomicLong();
    private static final AtomicLong LAST = new AtomicLong();
    private static final AtomicLong PASSED = new AtomicLong();

    private RunClock() {}

    static void reset() {
        FIRST.set(Long.MAX_VALUE);
        LAST.set(Long.MIN_VALUE);
        PASSED.set(0);
    }

    static void firstRecord() {
        FIRST.accumulateAndGet(System.nanoTime(), Math::min);
    }

    static void ended(long records) {
        LAST.accumulateAndGet(System.nanoTime(), Math::max);
        PASSED.addAndGet(records);
    }

    static double seconds() {
        return (LAST.get() - FIRST.get()) / 1e9;
    }

    /** Records that reached the end of the job. */
    static long passed() {
        return PASSED.get();
    }
}
