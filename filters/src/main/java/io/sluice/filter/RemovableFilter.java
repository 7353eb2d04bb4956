/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

/**
 * A membership filter from which hashes can be taken out again.
 *
 * <p>Remove only what was added: a hash that was never added may share its fingerprint with one
 * that was (with the probability of a false positive), and then that one is removed.
 */
public interface RemovableFilter extends MembershipFilter {

    /**
     * Removes {@code hash}, or one copy of it where an implementation holds several. Returns false
     * if it is certainly absent, in which case nothing changes.
     */
    boolean remove(long hash);
}
