/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures from the first record that left a source to the end of the last relevant task, in one
 * JVM: deployment and teardown of a job are not throughput. One job at a time.
 */
public final class RunClock {
    private static final AtomicLong FIRST = new AtomicLong();
    private static final AtomicLong LAST = new AtomicLong();
    private static final AtomicLong PASSED = new AtomicLong();

    private RunClock() {}

    public static void reset() {
        FIRST.set(Long.MAX_VALUE);
        LAST.set(Long.MIN_VALUE);
        PASSED.set(0);
    }

    public static void firstRecord() {
        FIRST.accumulateAndGet(System.nanoTime(), Math::min);
    }

    public static void ended(long records) {
        LAST.accumulateAndGet(System.nanoTime(), Math::max);
        PASSED.addAndGet(records);
    }

    public static double seconds() {
        return (LAST.get() - FIRST.get()) / 1e9;
    }

    /** Records that reached the end of the job. */
    public static long passed() {
        return PASSED.get();
    }
}
