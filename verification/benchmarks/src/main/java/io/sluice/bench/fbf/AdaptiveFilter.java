/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

/** A filter that adapts itself while the rate changes: one curve of figure 13. */
interface AdaptiveFilter {
    /**
     * Whether {@code hash} is recorded: a filter that checks first drops what it takes for seen.
     */
    boolean add(long hash, double now);

    boolean mightContain(long hash);

    /** Called every 10 ms of simulated time; refreshes when due. */
    void advance(double now);

    /** Called every second of simulated time; adapts. */
    void control();

    /** The filter's own estimate of its false-positive probability. */
    double estimate();

    int filters();

    /** Seconds between refreshes; 0 if not fixed. */
    double period();

    long sizeInBits();
}
