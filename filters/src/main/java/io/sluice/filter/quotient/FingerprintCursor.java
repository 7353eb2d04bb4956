/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

/**
 * Fingerprints in ascending order, copies next to each other: what merges consume and what is
 * written to disk. Read in batches, so that many fingerprints share the cost of a call.
 *
 * <p>A cursor over a filter is valid until the filter changes. Not thread-safe.
 */
public interface FingerprintCursor {

    /**
     * Puts the next fingerprints into {@code into}, starting at {@code from}.
     *
     * @param length the most to put there, at least 1
     * @return how many were put there; 0 only at the end
     */
    int next(long[] into, int from, int length);

    /** The p of the fingerprints: they are at least 0 and less than 2^p. */
    int fingerprintBits();
}
