/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import javax.annotation.Nullable;

/** Makes the filter of its own elements that a replica sends. Stateless. */
final class OwnFilter {

    private OwnFilter() {}

    /**
     * Estimates the bytes of a filter and of what it makes the peer send although the peer may not
     * have more: the elements whose copies it cannot count.
     *
     * @param elementBytes of an element in a message, on average
     */
    static double bytes(
            SortedElements own,
            long peerElements,
            double elementBytes,
            ReconcileSettings settings) {
        return settings.filterBytes(Math.max(own.size(), peerElements))
                + saturated(own, settings) * elementBytes;
    }

    private static int saturated(SortedElements elements, ReconcileSettings settings) {
        return elements.countAbove((1L << settings.counterBits()) - 1);
    }

    /**
     * The filter of a round, or null if it would be too large for a message. Sized for the larger
     * side, so that the other side can compare its own filter slot by slot.
     *
     * @param peerElements how many elements the peer has
     */
    @Nullable
    static MultisetDigest of(
            OwnMultiset own, long peerElements, int round, ReconcileSettings settings, Host host)
            throws Exception {
        long capacity = Math.max(1, Math.max(own.elements(), peerElements));
        SortedElements elements = null;
        while (settings.filterBytes(capacity) <= settings.maxMessageBytes()) {
            if (elements == null) {
                elements = own.sorted(host);
                host.saturated(saturated(elements, settings));
            }
            CuckooShape shape =
                    CuckooShape.sized(
                            capacity, settings.falsePositiveProbability(), settings.counterBits());
            try {
                return MultisetDigest.of(
                        elements, shape, Collisions.SEPARATE, settings.seedOf(round));
            } catch (FilterFullException full) {
                // It is rare, and a little more room makes it rarer each time.
                capacity += 1 + capacity / 8;
            }
        }
        return null;
    }
}
