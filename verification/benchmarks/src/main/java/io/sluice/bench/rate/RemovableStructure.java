/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/** A structure that can remove a key. */
public interface RemovableStructure extends RatedStructure {

    /** Removes {@code key}, which was added; returns whether something was removed. */
    boolean remove(long key);
}
