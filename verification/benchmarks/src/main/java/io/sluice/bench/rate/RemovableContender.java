/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/** A contender that can remove keys. */
public final class RemovableContender extends Contender {
    RemovableContender(RatedStructure structure, BulkOperations loops) {
        super(structure, loops);
    }

    /**
     * Removes keys {@code from} to {@code to} - 1 of {@link Keys#key}, which were added.
     *
     * @return how many were found and removed
     */
    public long remove(long from, long to) {
        return loops.remove(from, to);
    }
}
