/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.merge.SortedCursor;

/**
 * Fingerprints in ascending order, copies next to each other: what merges consume and what is
 * written to disk. Read in batches, so that many fingerprints share the cost of a call.
 *
 * <p>A cursor over a filter is valid until the filter changes. Not thread-safe.
 */
public interface FingerprintCursor extends SortedCursor<RuntimeException> {

    /** The p of the fingerprints: they are at least 0 and less than 2^p. */
    int fingerprintBits();
}
