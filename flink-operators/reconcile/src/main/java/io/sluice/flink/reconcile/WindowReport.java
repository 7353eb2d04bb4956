/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * How the exchange about one window of one key group ended, from one replica's view. Key groups in
 * which neither replica saw a record have none.
 *
 * <p>In SQL it has the columns of the second constructor, with enums and addresses as text.
 */
@Experimental
@TypeInfo(ReconcileTypes.OfWindowReport.class)
public final class WindowReport {
    private final long window;
    private final int group;
    private final Outcome outcomeValue;
    private final String outcome;
    private final long elementsBefore;
    private final long elementsAfter;
    private final long copiesBefore;
    private final long copiesAfter;
    private final int rounds;
    private final long filtered;
    private final long compared;
    private final long sent;
    private final long repairedFirst;
    private final long repairedSecond;
    private final long repairedLater;
    private final long digestBytes;
    private final long filterBytes;
    private final long repairBytes;
    private final long naiveBytes;
    private final long retries;
    private final long waitedMillis;

    /**
     * @param window its start, ms
     * @param group key group
     * @param outcome how it ended
     * @param elementsBefore different elements when the window closed
     * @param elementsAfter different elements at the end: all of the union, if agreed
     * @param copiesBefore sum of their multiplicities when the window closed
     * @param copiesAfter the same at the end
     * @param rounds exchanges of filters that were needed: 0 if the digests were equal, 1 usually
     * @param filtered elements that went into filters, counted for each filter, including repeated
     *     ones
     * @param compared how often an element was looked up in a filter of the peer
     * @param sent elements that went into repairs
     * @param repairedFirst elements that were missing or too few here, and came in the first round
     * @param repairedSecond elements that came in the second round, with another seed: collisions
     *     hid them from the first
     * @param repairedLater elements that came later
     * @param digestBytes sent by the end of the exchange
     * @param filterBytes sent
     * @param repairBytes sent
     * @param naiveBytes that sending all elements with their multiplicities would have taken
     * @param retries messages that were sent again, because the peer was silent
     * @param waitedMillis from the closing of the window to the end, downtime left out, as exact as
     *     the interval of checkpoints
     */
    public WindowReport(
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
        this.window = window;
        this.group = group;
        this.outcomeValue = requireNonNull(outcome, "outcome");
        this.outcome = outcome.name();
        this.elementsBefore = elementsBefore;
        this.elementsAfter = elementsAfter;
        this.copiesBefore = copiesBefore;
        this.copiesAfter = copiesAfter;
        this.rounds = rounds;
        this.filtered = filtered;
        this.compared = compared;
        this.sent = sent;
        this.repairedFirst = repairedFirst;
        this.repairedSecond = repairedSecond;
        this.repairedLater = repairedLater;
        this.digestBytes = digestBytes;
        this.filterBytes = filterBytes;
        this.repairBytes = repairBytes;
        this.naiveBytes = naiveBytes;
        this.retries = retries;
        this.waitedMillis = waitedMillis;
    }

    /** The same from the columns, as SQL gives them. */
    public WindowReport(
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
            long waitedMillis) {
        this(
                window,
                group,
                Outcome.valueOf(outcome),
                elementsBefore,
                elementsAfter,
                copiesBefore,
                copiesAfter,
                rounds,
                filtered,
                compared,
                sent,
                repairedFirst,
                repairedSecond,
                repairedLater,
                digestBytes,
                filterBytes,
                repairBytes,
                naiveBytes,
                retries,
                waitedMillis);
    }

    public long window() {
        return window;
    }

    public int group() {
        return group;
    }

    public Outcome outcome() {
        return outcomeValue;
    }

    public long elementsBefore() {
        return elementsBefore;
    }

    public long elementsAfter() {
        return elementsAfter;
    }

    public long copiesBefore() {
        return copiesBefore;
    }

    public long copiesAfter() {
        return copiesAfter;
    }

    public int rounds() {
        return rounds;
    }

    public long filtered() {
        return filtered;
    }

    public long compared() {
        return compared;
    }

    public long sent() {
        return sent;
    }

    public long repairedFirst() {
        return repairedFirst;
    }

    public long repairedSecond() {
        return repairedSecond;
    }

    public long repairedLater() {
        return repairedLater;
    }

    public long digestBytes() {
        return digestBytes;
    }

    public long filterBytes() {
        return filterBytes;
    }

    public long repairBytes() {
        return repairBytes;
    }

    public long naiveBytes() {
        return naiveBytes;
    }

    public long retries() {
        return retries;
    }

    public long waitedMillis() {
        return waitedMillis;
    }

    /** {@link #outcome} as text: the column. */
    public String getOutcome() {
        return outcome;
    }

    /** How an exchange ended. */
    public enum Outcome {
        /** Both replicas have the union, at maximum multiplicity. */
        AGREED(0),
        /** Nothing, or not enough, was heard from the peer before the time to live was over. */
        TIMED_OUT(1),
        /** A filter or an element does not fit into a message: use more groups. */
        TOO_LARGE(2),
        /** Too many elements waited for the peer, and these were the oldest. */
        NO_ROOM(3),
        /** The multisets still differ after more rounds than errors of filters can explain. */
        IRRECONCILABLE(4),
        /**
         * The peer has dropped the window: it gave up, or finished before this replica lost its
         * state.
         */
        PEER_GAVE_UP(5),
        /**
         * Both inputs ended before the exchange did. A job that starts again from the savepoint of
         * a drain continues it, and reports again.
         */
        UNFINISHED(6);

        private final int code;

        Outcome(int code) {
            this.code = code;
        }

        /** Persistent number, also its position; never changes its meaning. */
        int code() {
            return code;
        }
    }

    /** Bytes of all messages sent. */
    public long bytes() {
        return digestBytes + filterBytes + repairBytes;
    }

    private Object[] values() {
        return new Object[] {
            window,
            group,
            outcomeValue,
            elementsBefore,
            elementsAfter,
            copiesBefore,
            copiesAfter,
            rounds,
            filtered,
            compared,
            sent,
            repairedFirst,
            repairedSecond,
            repairedLater,
            digestBytes,
            filterBytes,
            repairBytes,
            naiveBytes,
            retries,
            waitedMillis
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WindowReport that && Arrays.equals(values(), that.values());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values());
    }

    @Override
    public String toString() {
        return "WindowReport" + Arrays.toString(values());
    }
}
