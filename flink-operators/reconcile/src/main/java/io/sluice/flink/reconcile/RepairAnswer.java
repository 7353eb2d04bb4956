/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cuckoo.sync.ElementList;
import io.sluice.filter.cuckoo.sync.MultisetDifference;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.rateless.UnequalElement;
import io.sluice.flink.reconcile.message.ElementBatch;
import io.sluice.flink.reconcile.message.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/**
 * Answers the peer's filter with the elements that it lacks, or has or may have fewer copies of,
 * each with this side's own multiplicity. In the paper, the side with fewer copies takes the count
 * from the filter. If the count belongs to another element with the same fingerprint, that error
 * would stay for ever; so here only exact counts are exchanged, at the cost of these elements'
 * bytes. The answer to coded symbols is exact. Stateless.
 */
final class RepairAnswer {

    private RepairAnswer() {}

    /** The answer in parts, each small enough for a message; null if an element is too large. */
    @Nullable
    static List<ElementBatch> to(
            MultisetDigest filter, OwnMultiset own, ReconcileSettings settings, Host host)
            throws Exception {
        MultisetDifference difference = difference(own.sorted(host), filter, settings.method());
        List<ElementBatch> parts = new ArrayList<>();
        parts.add(new ElementBatch());
        int most = settings.maxMessageBytes() - MessageFormat.REPAIR_OVERHEAD_BYTES;
        for (ElementList list :
                List.of(difference.missing(), difference.fewer(), difference.undecided())) {
            for (int i = 0; i < list.size(); i++) {
                byte[] id = host.get(list.hash(i)).id();
                if (!add(id, list.multiplicity(i), parts, most)) {
                    return null;
                }
            }
        }
        return parts;
    }

    /** The answer after the peer's coded symbols were decoded; null if an element is too large. */
    @Nullable
    static List<ElementBatch> to(
            List<UnequalElement> difference, ReconcileSettings settings, Host host)
            throws Exception {
        List<ElementBatch> parts = new ArrayList<>();
        parts.add(new ElementBatch());
        int most = settings.maxMessageBytes() - MessageFormat.REPAIR_OVERHEAD_BYTES;
        for (UnequalElement element : difference) {
            if (element.own() > element.atPeer()
                    && !add(host.get(element.hash()).id(), element.own(), parts, most)) {
                return null;
            }
        }
        return parts;
    }

    private static boolean add(byte[] id, long copies, List<ElementBatch> parts, int most) {
        ElementBatch batch = parts.get(parts.size() - 1);
        int bytes = ElementBatch.bytesOf(id, copies);
        if (batch.encodedBytes() + bytes > most) {
            batch = new ElementBatch();
            if (batch.encodedBytes() + bytes > most) {
                return false;
            }
            parts.add(batch);
        }
        batch.add(id, copies);
        return true;
    }

    private static MultisetDifference difference(
            SortedElements own, MultisetDigest peer, DifferenceMethod method) {
        if (method == DifferenceMethod.DECODE && own.size() <= peer.shape().slots()) {
            try {
                MultisetDigest digest =
                        MultisetDigest.of(own, peer.shape(), peer.collisions(), peer.seed());
                return MultisetDifference.byDecoding(own, digest, peer);
            } catch (FilterFullException tooManyHere) {
                // The peer had fewer elements in mind: its filter can still be asked.
                return MultisetDifference.byQuery(own, peer);
            }
        }
        return MultisetDifference.byQuery(own, peer);
    }
}
