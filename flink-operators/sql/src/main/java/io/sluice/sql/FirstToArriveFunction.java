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
 * {@code DEDUPLICATE_KEEP_FIRST} without {@code on_time}. A savepoint of a call with it has rows
 * that wait, and timers: they come out as they would have, unless their key has come before.
 */
@Internal
public final class FirstToArriveFunction extends FirstRowFunction {

    private transient WaitingRow output;

    FirstToArriveFunction(CallContext call, Input input, Duration ttl, boolean resetsTimeToLive) {
        super(call, input, ttl, resetsTimeToLive);
        WaitingRow.declare(this, input);
    }

    @Override
    public void open(FunctionContext context) throws Exception {
        super.open(context);
        output = new WaitingRow(types().length);
    }

    /** Called by generated code. It reads only the flag: the rest is there only after a restore. */
    public void eval(
            RowData seen,
            MapView<Boolean, RowData> waiting,
            RowData input,
            @Nullable Long stateTtl,
            @Nullable Boolean resetTtlOnDuplicate) {
        pass(seen, input);
    }

    /** Called by generated code where a duplicate resets the time-to-live. */
    public void eval(
            Row seen,
            MapView<Boolean, RowData> waiting,
            RowData input,
            @Nullable Long stateTtl,
            @Nullable Boolean resetTtlOnDuplicate) {
        pass(seen, input);
    }

    /** Called by generated code. */
    public void onTimer(RowData seen, MapView<Boolean, RowData> waiting) throws Exception {
        if (comesOut(SeenFlag.isSet(seen), waiting)) {
            SeenFlag.set(seen);
        }
    }

    /** Called by generated code where a duplicate resets the time-to-live. */
    public void onTimer(Row seen, MapView<Boolean, RowData> waiting) throws Exception {
        if (comesOut(SeenFlag.isSet(seen), waiting)) {
            SeenFlag.set(seen);
        }
    }

    /** Emits the row that waited, if there is one whose key has not come. */
    private boolean comesOut(boolean isSeen, MapView<Boolean, RowData> waiting) throws Exception {
        RowData columns = output.takeOut(this, isSeen, waiting);
        if (columns == null) {
            return false;
        }
        collect(columns);
        return true;
    }
}
