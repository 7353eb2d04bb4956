/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

/** A forgetful filter whose t and N change while it runs. */
interface Controlled {

    /** Records an element; returns whether it did. */
    boolean add(long hash);

    /** Whether an element is reported as seen. */
    boolean mightContain(long hash);

    /** Moves the clock, in ms; refreshes and resizes when due. */
    void advanceTo(long now);

    /** All filters. */
    int filters();
}
