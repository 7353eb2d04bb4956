/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * What a filter does when it has outgrown its bits: when another entry, even with all bits of a
 * hash, would raise the probability of a false positive above the configured one. That happens at a
 * hundred times the capacity or more, as long as there are bits for it.
 */
public enum CapacityPolicy {

    /** The addition fails with a {@link io.sluice.filter.FilterFullException}; nothing changes. */
    FAIL,

    /**
     * The oldest entries are forgotten, whole files of them, as many as it takes. The probability
     * holds. See {@link CascadeStatistics#forgottenEntries}.
     */
    FORGET_OLDEST,

    /**
     * Nothing is forgotten, and the probability rises. See {@link
     * CascadeStatistics#falsePositiveBound}.
     */
    RAISE_PROBABILITY
}
