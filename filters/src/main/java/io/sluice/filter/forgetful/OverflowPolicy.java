/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

/**
 * What gives when rate, window and false-positive probability together need more memory than the
 * budget grants. Whatever is chosen is counted ({@link WindowedFilter#overflows()}).
 */
public enum OverflowPolicy {
    /** Go on inserting, forget nothing early: the false-positive probability rises. */
    RAISE_FPP,

    /** Forget the oldest generation early: {@link WindowedFilter#coveredSince()} moves up. */
    SHORTEN_WINDOW,

    /** Refuse the id with a {@link io.sluice.filter.FilterFullException}; nothing changes. */
    FAIL
}
