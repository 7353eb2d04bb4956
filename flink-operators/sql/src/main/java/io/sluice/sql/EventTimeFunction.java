/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import javax.annotation.Nullable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.types.inference.CallContext;

/**
 * A function that waits for the watermark, and knows what comes behind it.
 *
 * <p>All timers are unnamed: Flink fires these in the order of their times, but named ones apart
 * from them.
 */
abstract class EventTimeFunction extends SpecializedTableFunction {

    static final String LATE = "late";

    private transient Counter late;

    /** The greatest time whose timer has fired; null before the first. */
    @Nullable private transient Long fired;

    EventTimeFunction(CallContext call, Input input) {
        super(call, input);
    }

    @Override
    public void open(FunctionContext context) throws Exception {
        super.open(context);
        late = context.getMetricGroup().addGroup(METRICS).counter(LATE);
    }

    /** Returns whether event time has passed that time. */
    final boolean hasPassed(long time, TimeContext<Long> clock) {
        Long watermark = clock.currentWatermark();
        // Flink may let rows through while it fires the timers of a watermark.
        return (fired != null && time <= fired) || (watermark != null && time <= watermark);
    }

    final void countLate() {
        late.inc();
    }

    final void firedAt(long time) {
        fired = fired == null ? time : Math.max(fired, time);
    }
}
