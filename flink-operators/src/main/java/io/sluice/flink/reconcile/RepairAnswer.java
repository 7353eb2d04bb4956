/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cuckoo.sync.ElementList;
import io.sluice.filter.cuckoo.sync.MultisetDifference;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers the peer's filter with the elements that it lacks, or has or may have fewer copies of,
 * each with this side's own multiplicity. In the paper, the side with fewer copies takes the count
 * from the filter. If the count belongs to another element with the same fingerprint, that error
 * would stay for ever; so here only exact counts are exchanged, at the cost of these elements'
 * bytes. Stateless.
 */
final class RepairAnswer {

    private RepairAnswer() {}

    static void to(Message message, Reconciliation exchange, Host host) throws Exception {
        SortedElements own = SortedElements.of(host, exchange.own.elements());
        exchange.statistics.compared += own.size();
        MultisetDifference difference =
                difference(own, message.filter(), exchange.settings().method());
        List<ElementBatch> batches = new ArrayList<>();
        batches.add(new ElementBatch());
        int most = exchange.settings().maxMessageBytes() - MessageFormat.REPAIR_OVERHEAD_BYTES;
        for (ElementList list :
                List.of(difference.missing(), difference.fewer(), difference.undecided())) {
            for (int i = 0; i < list.size(); i++) {
                byte[] id = host.get(list.hash(i)).id();
                if (!add(id, list.multiplicity(i), batches, most)) {
                    exchange.giveUp(Outcome.TOO_LARGE, host);
                    return;
                }
            }
        }
        send(batches, message.head().round(), exchange, host);
    }

    private static boolean add(byte[] id, long copies, List<ElementBatch> batches, int most) {
        ElementBatch batch = batches.get(batches.size() - 1);
        int bytes = ElementBatch.bytesOf(id, copies);
        if (batch.encodedBytes() + bytes > most) {
            batch = new ElementBatch();
            if (batch.encodedBytes() + bytes > most) {
                return false;
            }
            batches.add(batch);
        }
        batch.add(id, copies);
        return true;
    }

    private static void send(
            List<ElementBatch> batches, int round, Reconciliation exchange, Host host)
            throws Exception {
        long answer = exchange.serial() + 1;
        for (int part = 0; part < batches.size(); part++) {
            ElementBatch batch = batches.get(part);
            byte[] bytes =
                    MessageFormat.write(
                            new Message(
                                    exchange.head(MessageKind.REPAIR, round),
                                    null,
                                    new Message.Repair(answer, part, batches.size(), batch)));
            exchange.statistics.sent += batch.size();
            exchange.statistics.repairBytes += bytes.length;
            host.send(MessageKind.REPAIR, bytes);
        }
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
