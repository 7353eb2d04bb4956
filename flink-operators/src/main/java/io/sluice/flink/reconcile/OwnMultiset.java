/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;

/** Order-free totals of a replica's own multiset, kept up as it grows. Not thread-safe. */
final class OwnMultiset {

    private long elements;
    private long copies;
    private long checksum;

    void set(Totals totals) {
        elements = totals.elements();
        copies = totals.copies();
        checksum = totals.checksum();
    }

    /**
     * An element got more copies.
     *
     * @param isNew whether it had none
     * @param each what one copy adds to the checksum
     */
    void raise(boolean isNew, long moreCopies, long each) {
        elements += isNew ? 1 : 0;
        copies += moreCopies;
        checksum += each * moreCopies;
    }

    long elements() {
        return elements;
    }

    long copies() {
        return copies;
    }

    Totals totals() {
        return new Totals(elements, copies, checksum);
    }
}
