/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import javax.annotation.Nullable;

/** Makes the filter of its elements that a replica sends. Stateless. */
final class FilterMessage {

    private FilterMessage() {}

    /**
     * The filter message of the present round, or null if it would be too large. Sized for the
     * larger side, so that the other side can compare its own filter slot by slot.
     */
    @Nullable
    static byte[] of(Reconciliation exchange, Host host) throws Exception {
        ReconcileSettings settings = exchange.settings();
        long capacity =
                Math.max(1, Math.max(exchange.own.elements(), exchange.peer.totals.elements()));
        SortedElements elements = null;
        // A full filter is rare, and a little more room makes it rarer each time.
        for (;
                settings.filterBytes(capacity) <= settings.maxMessageBytes();
                capacity += 1 + capacity / 8) {
            if (elements == null) {
                elements = SortedElements.of(host, exchange.own.elements());
            }
            CuckooShape shape =
                    CuckooShape.sized(
                            capacity, settings.falsePositiveProbability(), settings.counterBits());
            MultisetDigest filter;
            try {
                filter =
                        MultisetDigest.of(
                                elements,
                                shape,
                                Collisions.SEPARATE,
                                settings.seedOf(exchange.awaited.round));
            } catch (FilterFullException full) {
                continue;
            }
            byte[] bytes =
                    MessageFormat.write(
                            new Message(
                                    exchange.head(MessageKind.FILTER, exchange.awaited.round),
                                    filter,
                                    null));
            return bytes.length <= settings.maxMessageBytes() ? bytes : null;
        }
        return null;
    }
}
