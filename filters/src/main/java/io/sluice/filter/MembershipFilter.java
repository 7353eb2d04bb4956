/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

/**
 * A set of 64-bit hashes that may report a hash it was never given (false positive) and never
 * denies one it holds. A forgetting filter says when it stops holding one. Not thread-safe unless
 * an implementation says otherwise.
 */
public interface MembershipFilter {

    /**
     * Adds {@code hash}. Returns true if it was certainly absent: one probe both decides and
     * records. Returns false if the filter reports it as present, in which case nothing changes.
     */
    boolean add(long hash);

    /** Returns false only if {@code hash} is certainly absent. Changes nothing. */
    boolean mightContain(long hash);

    /** Bytes occupied, on heap and off heap, metadata included. */
    long sizeInBytes();
}
