/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.flink.reconcile.WindowReport.Outcome;

/** Reports whose numbers are all different, made as exchanges make them. */
final class Reports {

    static final long WINDOW = 60_000;
    static final long WAITED_MILLIS = Long.MAX_VALUE;

    private static final AwaitedAnswer AWAITED =
            new AwaitedAnswer(20, false, 0, new long[0], 0, Fallback.TOO_MANY_DIFFERENCES);
    private static final Totals AFTER = new Totals(21, 22, -1);

    /** In the order of {@link ExchangeStatistics#toArray}. */
    private static final long[] STATISTICS = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};

    private Reports() {}

    static WindowReport with(Outcome outcome) {
        Side side = new Side(GoldenMessages.SETTINGS, GoldenMessages.GROUP, 1);
        return new ExchangeStatistics(STATISTICS)
                .report(
                        side,
                        WINDOW,
                        outcome,
                        new OwnMultiset(side, AFTER),
                        AWAITED,
                        WAITED_MILLIS);
    }
}
