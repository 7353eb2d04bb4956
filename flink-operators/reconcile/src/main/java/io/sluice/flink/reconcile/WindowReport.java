/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Objects.requireNonNull;

import org.apache.flink.annotation.Experimental;

/**
 * How the exchange about one window of one key group ended, or stands, from one replica's view. Key
 * groups in which neither replica saw a record have none.
 *
 * <p>A row: its components are its columns in SQL, and Flink serializes it as any record.
 *
 * @param window its start, ms
 * @param group key group
 * @param outcome how it ended: the name of an {@link Outcome}
 * @param elementsBefore different elements when the window closed
 * @param elementsAfter different elements at the end: all of the union, if agreed
 * @param copiesBefore sum of their multiplicities when the window closed
 * @param copiesAfter the same at the end
 * @param rounds exchanges of filters or coded symbols that were needed: 0 if the digests were
 *     equal, 1 usually
 * @param filtered elements that went into filters or coded symbols, counted each time, including
 *     repeated ones
 * @param compared how often an element was looked up in a filter of the peer, or was part of the
 *     decoding of symbols
 * @param sent elements that went into repairs
 * @param repairedFirst elements that were missing or too few here, and came in the first round
 * @param repairedSecond elements that came in the second round, with another seed: collisions hid
 *     them from the first
 * @param repairedLater elements that came later
 * @param digestBytes sent by the end of the exchange
 * @param filterBytes sent, of filters and coded symbols
 * @param repairBytes sent, shortages of symbols included
 * @param naiveBytes that sending all elements with their multiplicities would have taken
 * @param retries messages that were sent again, because the peer was silent
 * @param waitedMillis from the closing of the window to the end, downtime left out, as exact as the
 *     interval of checkpoints
 * @param fallback why it went on with filters after coded symbols: the name of a {@link Fallback}
 */
@Experimental
public record WindowReport(
        long window,
        int group,
        String outcome,
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
        long waitedMillis,
        String fallback) {

    public WindowReport {
        requireNonNull(outcome, "outcome");
        requireNonNull(fallback, "fallback");
    }

    /** Returns the bytes of all messages sent. */
    public long bytes() {
        return digestBytes + filterBytes + repairBytes;
    }

    /** How an exchange ended. */
    public enum Outcome {
        /** Both replicas have the union, at maximum multiplicity. */
        AGREED,
        /** Nothing, or not enough, was heard from the peer before the time to live was over. */
        TIMED_OUT,
        /**
         * The same, but the elements are kept for a while: when the peer is back, the exchange goes
         * on, and the window is reported again.
         */
        SUSPENDED,
        /** A filter or an element does not fit into a message: use more groups. */
        TOO_LARGE,
        /** Too many elements waited for the peer, and these were the oldest. */
        NO_ROOM,
        /** The multisets still differ after more rounds than errors of filters can explain. */
        IRRECONCILABLE,
        /**
         * The peer has dropped the window: it gave up, or finished before this replica lost its
         * state.
         */
        PEER_GAVE_UP,
        /**
         * Both inputs ended before the exchange did. A job that starts again from the savepoint of
         * a drain continues it, and reports again.
         */
        UNFINISHED
    }
}
