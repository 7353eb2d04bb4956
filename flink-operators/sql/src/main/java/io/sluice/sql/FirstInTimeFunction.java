/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.types.Row;

/**
 * Emits the first row of a key in the order of event time, when the watermark has passed it. Until
 * then it is kept; afterwards there is only a flag. A row that comes behind the watermark, and
 * before any other row of its key by time, has been passed already: it is emitted at once.
 */
@Internal
public final class FirstInTimeFunction extends EventTimeFunction {

    private final boolean resetsTimeToLive;

    private transient WaitingRow output;

    FirstInTimeFunction(CallContext call, Input input, Duration ttl, boolean resetsTimeToLive) {
        super(KeepFirstDefinition.NAME, call, input);
        this.resetsTimeToLive = resetsTimeToLive;
        state(SeenFlag.NAME, SeenFlag.TYPE, ttl);
        WaitingRow.declare(this, input);
    }

    @Override
    public void open(FunctionContext context) throws Exception {
        super.open(context);
        output = new WaitingRow(types().length);
    }

    /** Called by generated code; the scalar arguments were read by the planner. */
    public void eval(
            Context context,
            Row seen,
            MapView<Boolean, RowData> waiting,
            RowData input,
            @Nullable Long stateTtl,
            @Nullable Boolean resetTtlOnDuplicate)
            throws Exception {
        TimeContext<Long> clock = context.timeContext(Long.class);
        countRow(clock);
        if (SeenFlag.isSet(seen)) {
            countDuplicate();
            if (resetsTimeToLive) {
                SeenFlag.setAgain(seen);
            }
            return;
        }
        long time = clock.time();
        RowData first = waiting.get(true);
        if (first != null) {
            countDuplicate();
            if (WaitingRow.time(first) <= time) {
                return;
            }
            clock.clearTimer(WaitingRow.time(first));
        }
        if (hasPassed(time, clock)) {
            countLate();
            waiting.remove(true);
            SeenFlag.set(seen);
            collect(columns(input));
            return;
        }
        waiting.put(true, WaitingRow.of(time, copyOf(columns(input))));
        clock.registerOnTime(time);
    }

    /** Called by generated code. */
    public void onTimer(OnTimerContext context, Row seen, MapView<Boolean, RowData> waiting)
            throws Exception {
        firedAt(context.timeContext(Long.class).time());
        RowData first = waiting.get(true);
        if (first != null) {
            waiting.remove(true);
            SeenFlag.set(seen);
            collect(output.columns(first));
        }
    }
}
