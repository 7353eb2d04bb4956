/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.types.ColumnList;

/**
 * Emits one row of each key and window when the watermark has passed the window's end.
 *
 * <p>A key's window begins with its first row in the order of event time, whatever the order of
 * arrival. So rows wait until the watermark has passed them, one for each key and time, and then go
 * into the window in their order.
 */
@Internal
public final class WindowFunction extends EventTimeFunction {

    static final String WINDOW = "sluice_window";

    /** A kept row begins with the times of the first and the last row of its window. */
    static final int TIMES = 2;

    private final WindowLengths lengths;
    private final Sequence sequence;

    private transient ProjectedRowData output;

    WindowFunction(
            CallContext call, Input input, Duration ttl, WindowLengths lengths, Sequence sequence) {
        super(call, input);
        this.lengths = lengths;
        this.sequence = sequence;
        DataType row = input.row("$first_row", "$last_row");
        state(WaitingRow.NAME, rowsBy(DataTypes.BIGINT(), row), Optional.of(ttl));
        state(WINDOW, rowsBy(DataTypes.BOOLEAN(), row), Optional.of(ttl));
    }

    @Override
    public void open(FunctionContext context) throws Exception {
        super.open(context);
        output = ProjectedRowData.from(IntStream.range(TIMES, TIMES + types().length).toArray());
    }

    /** Called by generated code; the scalar arguments were read by the planner. */
    public void eval(
            Context context,
            MapView<Long, RowData> waiting,
            MapView<Boolean, RowData> window,
            RowData input,
            @Nullable StringData keep,
            @Nullable Long duration,
            @Nullable Long inactivity,
            @Nullable ColumnList sequenceBy,
            @Nullable Long stateTtl)
            throws Exception {
        TimeContext<Long> clock = context.timeContext(Long.class);
        if (isLate(clock)) {
            return;
        }
        long time = clock.time();
        RowData columns = columns(input);
        RowData other = waiting.get(time);
        if (other == null) {
            clock.registerOnTime(time);
        } else {
            countDuplicate();
        }
        if (other == null || sequence.replaces(withTimes(time, time, columns), other)) {
            waiting.put(time, withTimes(time, time, copyOf(columns)));
        }
    }

    /** Called by generated code. */
    public void onTimer(
            OnTimerContext context,
            MapView<Long, RowData> waiting,
            MapView<Boolean, RowData> window)
            throws Exception {
        TimeContext<Long> clock = context.timeContext(Long.class);
        long time = clock.time();
        firedAt(time);
        RowData open = window.get(true);
        if (open != null && end(open) <= time) {
            close(window, open);
            open = null;
        }
        RowData row = waiting.get(time);
        if (row != null) {
            waiting.remove(time);
            if (open == null) {
                open = row;
                window.put(true, open);
            } else if (time <= open.getLong(1)) {
                // The watermark had passed that row of the window; a restore began it anew.
                countLate();
            } else {
                countDuplicate();
                open = merged(open, row, time);
                window.put(true, open);
            }
        }
        if (open == null) {
            return;
        }
        if (end(open) - 1 <= time) {
            close(window, open);
        } else {
            // Here, not only where the window grows: its lengths may have changed at a restore.
            clock.registerOnTime(end(open) - 1);
        }
    }

    private RowData merged(RowData open, RowData row, long time) {
        RowData kept = sequence.replaces(row, open) ? row : open;
        return withTimes(open.getLong(0), time, copyOf(output.replaceRow(kept)));
    }

    private static RowData withTimes(long first, long last, RowData columns) {
        return new JoinedRowData(GenericRowData.of(first, last), columns);
    }

    private long end(RowData open) {
        return lengths.end(open.getLong(0), open.getLong(1));
    }

    private void close(MapView<Boolean, RowData> window, RowData open) throws Exception {
        window.remove(true);
        collect(output.replaceRow(open));
    }
}
