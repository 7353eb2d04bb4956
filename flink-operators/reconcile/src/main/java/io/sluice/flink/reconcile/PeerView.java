/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.Phase;

/**
 * What the peer has said about its multiset in its latest message; serial 0 if it has said nothing.
 * Not thread-safe.
 */
final class PeerView {

    private static final Totals NOTHING = new Totals(0, 0, 0);

    private long incarnation;
    private long serial;
    private long filterSerial;
    private Totals totals;
    private int round;
    private Phase phase;
    private boolean isGone;

    /** A peer that has said nothing. */
    PeerView() {
        this(0, 0, 0, NOTHING, 0, Phase.OPEN, false);
    }

    PeerView(
            long incarnation,
            long serial,
            long filterSerial,
            Totals totals,
            int round,
            Phase phase,
            boolean isGone) {
        this.incarnation = incarnation;
        this.serial = serial;
        this.filterSerial = filterSerial;
        this.totals = totals;
        this.round = round;
        this.phase = phase;
        this.isGone = isGone;
    }

    boolean hasSpoken() {
        return serial > 0;
    }

    /**
     * Takes what a message says about the peer, unless the peer has said something later.
     *
     * @return whether it was news
     */
    boolean hear(Message.Head head) {
        if (head.serial() <= serial) {
            return false;
        }
        serial = head.serial();
        totals = head.totals();
        round = head.round();
        phase = head.phase();
        return true;
    }

    /** Like {@link #hear}, for a filter that is later than the latest. */
    boolean hearFilter(Message.Head head) {
        filterSerial = head.serial();
        return hear(head);
    }

    /** The peer has started again without its state: nothing that it said is true any more. */
    void beginAnew(long newIncarnation) {
        incarnation = newIncarnation;
        serial = 0;
        filterSerial = 0;
        totals = NOTHING;
        round = 0;
        phase = Phase.OPEN;
        isGone = false;
    }

    /** The peer has given up the window. */
    void leave() {
        isGone = true;
    }

    /** 0 if it has said nothing. */
    long incarnation() {
        return incarnation;
    }

    long serial() {
        return serial;
    }

    /** Serial of its latest filter. */
    long filterSerial() {
        return filterSerial;
    }

    Totals totals() {
        return totals;
    }

    int round() {
        return round;
    }

    Phase phase() {
        return phase;
    }

    boolean isGone() {
        return isGone;
    }
}
