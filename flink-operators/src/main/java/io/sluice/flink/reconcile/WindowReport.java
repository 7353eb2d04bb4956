/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

/**
 * How the exchange about one window of one key group ended, from one replica's view. Empty key
 * groups that neither replica saw have none.
 *
 * @param window its start, ms
 * @param group key group
 * @param outcome how it ended
 * @param elementsBefore different elements when the window closed
 * @param elementsAfter different elements at the end: those of the union, if agreed
 * @param copiesBefore sum of their multiplicities when the window closed
 * @param copiesAfter the same at the end
 * @param rounds exchanges of filters that were needed: 0 if the digests were equal, 1 usually
 * @param filtered elements that went into filters, again for each filter, repeated ones too
 * @param compared how often an element was looked up in a filter of the peer
 * @param sent elements that went into repairs
 * @param repairedFirst elements that were missing or too few here, and came in the first round
 * @param repairedSecond that came in the second round, with another seed: what collisions hid from
 *     the first
 * @param repairedLater that came later
 * @param digestBytes sent, as far as they were at the end
 * @param filterBytes sent
 * @param repairBytes sent
 * @param naiveBytes that sending all elements with their multiplicities would have taken
 * @param retries messages that were sent again, because the peer was silent
 * @param waitedMillis from the closing of the window to the end, downtime left out, as exact as the
 *     interval of checkpoints
 */
public record WindowReport(
        long window,
        int group,
        Outcome outcome,
        long elementsBefore,
        long elementsAfter,
        long copiesBefore,
        long copiesAfter,
        int rounds,
        long filtered,
        long compared,
        long sent,
        long repairedFirst,
        long repairedSecond,
        long repairedLater,
        long digestBytes,
        long filterBytes,
        long repairBytes,
        long naiveBytes,
        long retries,
        long waitedMillis) {

    /** How an exchange ended. */
    public enum Outcome {
        /** Both replicas have the union, at maximum multiplicity. */
        AGREED,
        /** The peer was not heard, or not often enough, before the time to live was over. */
        TIMED_OUT,
        /** A filter or an element does not fit into a message: use more groups. */
        TOO_LARGE,
        /** Too many elements waited for the peer, and these were the oldest. */
        NO_ROOM,
        /** The multisets differ still, after as many rounds as can be explained. */
        IRRECONCILABLE
    }

    /** Bytes of all messages sent. */
    public long bytes() {
        return digestBytes + filterBytes + repairBytes;
    }
}
