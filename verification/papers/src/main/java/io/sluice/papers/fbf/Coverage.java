/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

/** Which t and N cover a window: (N + 1) t must not be shorter. Pure functions. */
final class Coverage {

    private Coverage() {}

    /** The shortest t with which N past filters cover the window. */
    static long leastRefresh(long windowMillis, int pastFilters) {
        return ceilDiv(windowMillis, pastFilters + 1L);
    }

    /** The fewest past filters, at least 1, that cover the window with this t. */
    static long leastPastFilters(long windowMillis, long refreshMillis) {
        return Math.max(1, ceilDiv(windowMillis, refreshMillis) - 1);
    }

    private static long ceilDiv(long a, long b) {
        return a / b + (a % b == 0 ? 0 : 1);
    }
}
