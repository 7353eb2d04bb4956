/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

/**
 * What gives way when rate, window and false-positive probability together need more memory than
 * the budget grants. Whatever gives way is counted ({@link ForgetfulFilter#overflows()}).
 */
public enum OverflowPolicy {
    /**
     * The window gives way. The false-positive probability rises to at most {@link
     * WindowOptions#maxFpp}; past it the oldest generation is forgotten early, and {@link
     * ForgetfulFilter#coveredSince()} moves up. A duplicate of what was forgotten may pass; a new
     * id is never lost beyond {@code maxFpp}.
     */
    FORGET_OLDEST,

    /**
     * Nothing gives way: the id is refused with a {@link io.sluice.filter.FilterFullException}, and
     * nothing changes.
     */
    FAIL
}
