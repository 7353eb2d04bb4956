/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;

/**
 * What the peer has said about its multiset in its latest message; serial 0 if it has said nothing.
 * Not thread-safe.
 */
final class PeerView {

    private static final Totals NOTHING = new Totals(0, 0, 0);

    long incarnation;
    long serial;
    Totals totals = NOTHING;
    int round;
    Phase phase = Phase.OPEN;

    /** Serial of its latest filter. */
    long filterSerial;

    /** It has given up the window. */
    boolean isGone;

    boolean hasSpoken() {
        return serial > 0;
    }

    void hear(Message.Head head) {
        serial = head.serial();
        totals = head.totals();
        round = head.round();
        phase = head.phase();
    }

    /** The peer has started again without its state: nothing that it said is true any more. */
    void beginAnew(long newIncarnation) {
        incarnation = newIncarnation;
        serial = 0;
        totals = NOTHING;
        round = 0;
        phase = Phase.OPEN;
        filterSerial = 0;
        isGone = false;
    }
}
