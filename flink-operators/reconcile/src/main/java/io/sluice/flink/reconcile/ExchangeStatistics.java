/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.ElementBatch;

/** What a {@link Reconciliation} counts for its {@link WindowReport}. Not thread-safe. */
final class ExchangeStatistics {

    /** How many numbers the persistent form has. */
    static final int NUMBERS = 13;

    private long elementsBefore;
    private long copiesBefore;
    private long naiveBytes;
    private long compared;
    private long sent;
    private long repairedFirst;
    private long repairedSecond;
    private long repairedLater;
    private long digestBytes;
    private long filterBytes;
    private long repairBytes;
    private long retries;
    private long filtered;

    /** Nothing counted. */
    ExchangeStatistics() {}

    /** Reads what {@link #toArray} returned. */
    ExchangeStatistics(long[] all) {
        elementsBefore = all[0];
        copiesBefore = all[1];
        naiveBytes = all[2];
        compared = all[3];
        sent = all[4];
        repairedFirst = all[5];
        repairedSecond = all[6];
        repairedLater = all[7];
        digestBytes = all[8];
        filterBytes = all[9];
        repairBytes = all[10];
        retries = all[11];
        filtered = all[12];
    }

    /** All of them, in the order of the persistent form. */
    long[] toArray() {
        return new long[] {
            elementsBefore,
            copiesBefore,
            naiveBytes,
            compared,
            sent,
            repairedFirst,
            repairedSecond,
            repairedLater,
            digestBytes,
            filterBytes,
            repairBytes,
            retries,
            filtered
        };
    }

    /** The side's own input has another element. */
    void countElement(byte[] id) {
        naiveBytes += ElementBatch.bytesOf(id, 1);
    }

    /** The window was closed. */
    void begin(OwnMultiset own) {
        elementsBefore = own.elements();
        copiesBefore = own.copies();
    }

    /** Bytes of an element in a message, on average; 0 if there were none. */
    double elementBytes() {
        return naiveBytes / (double) Math.max(1, elementsBefore);
    }

    /** Elements were looked up in a filter of the peer. */
    void countCompared(long elements) {
        compared += elements;
    }

    /** Notes how many elements an answer to the filter of this round raised. */
    void countRepaired(int round, int raised) {
        if (round == 0) {
            repairedFirst += raised;
        } else if (round == 1) {
            repairedSecond += raised;
        } else {
            repairedLater += raised;
        }
    }

    void countDigest(byte[] message) {
        digestBytes += message.length;
    }

    void countFilter(byte[] message, long elements) {
        filterBytes += message.length;
        filtered += elements;
    }

    void countRepair(byte[] message, int elements) {
        repairBytes += message.length;
        sent += elements;
    }

    void countRetry() {
        retries++;
    }

    /**
     * The report of an exchange.
     *
     * @param own as it is now
     * @param awaited questions so far
     */
    WindowReport report(
            Side side,
            long window,
            Outcome outcome,
            OwnMultiset own,
            AwaitedAnswer awaited,
            long waitedMillis) {
        return new WindowReport(
                window,
                side.group(),
                outcome.name(),
                elementsBefore,
                own.elements(),
                copiesBefore,
                own.copies(),
                awaited.round(),
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
                waitedMillis,
                awaited.fallback().name());
    }
}
