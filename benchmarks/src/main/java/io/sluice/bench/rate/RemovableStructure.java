/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/** A structure that can take out a key. */
public interface RemovableStructure extends Structure {

    /** Takes out {@code key}, which was added; returns whether something was taken out. */
    boolean remove(long key);
}
