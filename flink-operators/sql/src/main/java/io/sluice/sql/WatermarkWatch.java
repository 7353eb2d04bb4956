/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import io.sluice.flink.runtime.EventTimeWatch;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/** Notices, and logs, that rows come while the watermark stands still, or is far ahead. */
final class WatermarkWatch {

    private static final String STALL_ADVICE =
            "they wait for it, and nothing comes out. If a source or partition has no rows, SET"
                    + " 'table.exec.source.idle-timeout' = '1 min'.";

    private static final String AHEAD_ADVICE =
            "rows with correct times are late. Keep wild times out of the watermark: filter such"
                    + " rows in a view before the function.";

    private static final long CHECK_MILLIS = 1000;

    private final EventTimeWatch watch;
    private long rows;
    private long checkedAt;

    /**
     * @param function its name, for messages
     * @param now the wall clock, as below
     */
    WatermarkWatch(String function, Consumer<String> log, long now) {
        this.watch = new EventTimeWatch(function, 0, STALL_ADVICE, AHEAD_ADVICE, log, now);
        this.checkedAt = now;
    }

    /**
     * A row has come.
     *
     * @param watermark null if none has come
     */
    void row(@Nullable Long watermark, long now) {
        rows++;
        if (Math.abs(now - checkedAt) < CHECK_MILLIS) {
            return;
        }
        checkedAt = now;
        long clock = watermark == null ? Long.MIN_VALUE : watermark;
        watch.onWatermark(clock, now);
        watch.check(rows, clock, now);
    }

    long stalledMillis() {
        return watch.stalledMillis();
    }
}
