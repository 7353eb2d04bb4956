/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import javax.annotation.Nullable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A function that waits for the watermark, knows what comes behind it, and tells if it stands
 * still.
 *
 * <p>All timers are unnamed: Flink fires these in the order of their times, but named ones apart
 * from them.
 */
abstract class EventTimeFunction extends SpecializedTableFunction {

    static final String LATE = "late";
    static final String STALLED = "watermarkStalledMillis";

    private static final Logger LOG = LoggerFactory.getLogger(EventTimeFunction.class);

    private final String function;

    private transient Counter late;

    private transient WatermarkWatch watch;

    /** The greatest time whose timer has fired; null before the first. */
    @Nullable private transient Long fired;

    /**
     * @param function its name, for messages
     */
    EventTimeFunction(String function, CallContext call, Input input) {
        this(function, call, input, input.row());
    }

    /**
     * @param output the columns that the function returns, besides the keys
     */
    EventTimeFunction(String function, CallContext call, Input input, DataType output) {
        super(call, input, output);
        this.function = function;
    }

    @Override
    public void open(FunctionContext context) throws Exception {
        super.open(context);
        MetricGroup metrics = context.getMetricGroup().addGroup(METRICS);
        late = metrics.counter(LATE);
        watch = new WatermarkWatch(function, LOG::warn, System.currentTimeMillis());
        metrics.gauge(STALLED, watch::stalledMillis);
    }

    /** Notices if rows come while the watermark stands still. */
    final void countRow(TimeContext<Long> clock) {
        watch.row(clock.currentWatermark(), System.currentTimeMillis());
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
