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

    private transient WaitingRow output;

    FirstInTimeFunction(CallContext call, Input input, Duration ttl, boolean resetsTimeToLive) {
        super(KeepFirstDefinition.NAME, call, input);
        state(SeenFlag.NAME, SeenFlag.type(resetsTimeToLive), ttl);
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
            RowData seen,
            MapView<Boolean, RowData> waiting,
            RowData input,
            @Nullable Long stateTtl,
            @Nullable Boolean resetTtlOnDuplicate)
            throws Exception {
        if (comesOutAtOnce(context, SeenFlag.isSet(seen), waiting, input)) {
            SeenFlag.set(seen);
        }
    }

    /** Called by generated code where a duplicate resets the time-to-live. */
    public void eval(
            Context context,
            Row seen,
            MapView<Boolean, RowData> waiting,
            RowData input,
            @Nullable Long stateTtl,
            @Nullable Boolean resetTtlOnDuplicate)
            throws Exception {
        boolean isSeen = SeenFlag.isSet(seen);
        if (comesOutAtOnce(context, isSeen, waiting, input)) {
            SeenFlag.set(seen);
        } else if (isSeen) {
            SeenFlag.setAgain(seen);
        }
    }

    private boolean comesOutAtOnce(
            Context context, boolean isSeen, MapView<Boolean, RowData> waiting, RowData input)
            throws Exception {
        TimeContext<Long> clock = context.timeContext(Long.class);
        countRow(clock);
        if (isSeen) {
            countDuplicate();
            return false;
        }
        long time = clock.time();
        RowData first = waiting.get(true);
        if (first != null) {
            countDuplicate();
            if (WaitingRow.time(first) <= time) {
                return false;
            }
            clock.clearTimer(WaitingRow.time(first));
        }
        if (hasPassed(time, clock)) {
            countLate();
            waiting.remove(true);
            collect(columns(input));
            return true;
        }
        waiting.put(true, WaitingRow.of(time, copyOf(columns(input))));
        clock.registerOnTime(time);
        return false;
    }

    /** Called by generated code. */
    public void onTimer(OnTimerContext context, RowData seen, MapView<Boolean, RowData> waiting)
            throws Exception {
        if (comesOut(context, SeenFlag.isSet(seen), waiting)) {
            SeenFlag.set(seen);
        }
    }

    /** Called by generated code where a duplicate resets the time-to-live. */
    public void onTimer(OnTimerContext context, Row seen, MapView<Boolean, RowData> waiting)
            throws Exception {
        if (comesOut(context, SeenFlag.isSet(seen), waiting)) {
            SeenFlag.set(seen);
        }
    }

    private boolean comesOut(
            OnTimerContext context, boolean isSeen, MapView<Boolean, RowData> waiting)
            throws Exception {
        firedAt(context.timeContext(Long.class).time());
        RowData columns = output.takeOut(this, isSeen, waiting);
        if (columns == null) {
            return false;
        }
        collect(columns);
        return true;
    }
}
