/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;

/**
 * Identifies one side's half of the exchanges.
 *
 * @param group key group, from 0
 * @param incarnation at least 1; larger after each start without state; sent with messages
 */
record Side(ReconcileSettings settings, int group, long incarnation) {

    /** The head of a message from this side. */
    Message.Head head(
            MessageKind kind,
            long window,
            long serial,
            boolean retry,
            Phase phase,
            int round,
            Totals totals) {
        return new Message.Head(
                kind,
                settings.replicaHash(),
                settings.peerHash(),
                incarnation,
                settings.setup(),
                group,
                window,
                serial,
                retry,
                phase,
                round,
                totals);
    }
}
