/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

/** Prints what time a process has, and whether it can wait. */
public final class ClockProbe {
    private static final int ATTEMPTS = 5;

    private ClockProbe() {}

    /** Takes no arguments. */
    public static void main(String[] arguments) throws InterruptedException {
        Object lock = new Object();
        long longest = 0;
        for (int i = 0; i < ATTEMPTS && longest < Clocks.WAIT_MILLIS / 2; i++) {
            long start = System.nanoTime();
            synchronized (lock) {
                // Not in a loop until the time is over: a wait that returns at once has to show.
                lock.wait(Clocks.WAIT_MILLIS);
            }
            longest = Math.max(longest, (System.nanoTime() - start) / 1_000_000);
        }
        System.out.println(new Clocks.Probe(System.currentTimeMillis(), longest).line());
    }
}
