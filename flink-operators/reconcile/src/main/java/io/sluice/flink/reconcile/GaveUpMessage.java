/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;

/**
 * Says that a replica has given up a window: a digest with the phase {@link Phase#GAVE_UP} and
 * without totals. It stays true, so it needs no serial number. Stateless.
 */
final class GaveUpMessage {

    private static final Totals NOTHING = new Totals(0, 0, 0);

    private GaveUpMessage() {}

    static byte[] message(Side side, long window) {
        return MessageFormat.write(
                new Message(
                        side.head(MessageKind.DIGEST, window, 1, false, Phase.GAVE_UP, 0, NOTHING),
                        null,
                        null));
    }
}
