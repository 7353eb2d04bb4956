/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

/** Hashes that all share a slot of a table that multiplies them and takes the high half. */
public final class SharedSlots {

    private SharedSlots() {}

    /**
     * One of them for each {@code i} that is not negative.
     *
     * @param multiplier odd
     */
    public static long hash(int i, long multiplier) {
        return i * Unmixed.inverse(multiplier);
    }
}
