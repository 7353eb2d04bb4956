/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

/** A filter that adapts itself while the rate changes: one curve of figure 13. */
interface AdaptiveFilter {
    /** Whether {@code hash} is recorded: a filter that checks first drops what it takes as seen. */
    boolean add(long hash, double now);

    boolean mightContain(long hash);

    /** Called every 10 ms of simulated time: refreshes when it is due. */
    void advance(double now);

    /** Called every second of simulated time: adapts. */
    void control();

    /** What the filter believes its false-positive probability to be. */
    double estimate();

    int filters();

    /** Seconds between refreshes; 0 if there is no fixed one. */
    double period();

    long sizeInBits();
}
