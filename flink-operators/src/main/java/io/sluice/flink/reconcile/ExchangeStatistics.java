/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.WindowReport.Outcome;

/** What a {@link Reconciliation} counts for its {@link WindowReport}. Not thread-safe. */
final class ExchangeStatistics {

    long elementsBefore;
    long copiesBefore;
    long naiveBytes;
    long compared;
    long sent;
    long repairedFirst;
    long repairedSecond;
    long repairedLater;
    long digestBytes;
    long filterBytes;
    long repairBytes;
    long retries;
    long filtered;

    /** An answer to the filter of this round raised an element. */
    void countRepaired(int round) {
        if (round == 0) {
            repairedFirst++;
        } else if (round == 1) {
            repairedSecond++;
        } else {
            repairedLater++;
        }
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

    /** Reads what {@link #toArray} returned. */
    void set(long[] all) {
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

    WindowReport report(Reconciliation exchange, Outcome outcome) {
        return new WindowReport(
                exchange.window,
                exchange.side.group(),
                outcome,
                elementsBefore,
                exchange.own.elements(),
                copiesBefore,
                exchange.own.copies(),
                exchange.awaited.round,
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
                exchange.patience.waitedMillis);
    }
}
