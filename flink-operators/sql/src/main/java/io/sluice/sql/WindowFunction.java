/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
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
 *
 * <p>A row that comes behind the watermark goes into its window at once, as long as that is not
 * over. The last window of a key that was put out is known until no such row could belong to it. So
 * where the watermark is decides only over rows that are more than a window behind it.
 */
@Internal
public final class WindowFunction extends EventTimeFunction {

    static final String WINDOW = "sluice_window";

    /** Which window of a key: the open one, and the last one that was put out. */
    private static final boolean OPEN = true;

    private static final boolean CLOSED = false;

    /** A kept row begins with the times of the first and the last row of its window. */
    static final int TIMES = 2;

    private final WindowLengths lengths;
    private final Sequence sequence;

    private transient ProjectedRowData output;

    WindowFunction(
            CallContext call, Input input, Duration ttl, WindowLengths lengths, Sequence sequence) {
        super(DeduplicateWindowDefinition.NAME, call, input);
        this.lengths = lengths;
        this.sequence = sequence;
        DataType row = input.row("$first_row", "$last_row");
        state(WaitingRow.NAME, rowsBy(DataTypes.BIGINT(), row), ttl);
        state(WINDOW, rowsBy(DataTypes.BOOLEAN(), row), ttl);
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
        countRow(clock);
        long time = clock.time();
        RowData row = withTimes(time, time, columns(input));
        if (hasPassed(time, clock)) {
            takeLate(clock, window, copyOf(row, time, time));
            return;
        }
        RowData other = waiting.get(time);
        if (other == null) {
            clock.registerOnTime(time);
        } else {
            countDuplicate();
        }
        if (other == null || sequence.replaces(row, other)) {
            waiting.put(time, copyOf(row, time, time));
        }
    }

    private void takeLate(TimeContext<Long> clock, MapView<Boolean, RowData> window, RowData row)
            throws Exception {
        if (window.get(OPEN) == null && hasPassed(end(row) - 1, clock)) {
            countLate();
            return;
        }
        RowData open = take(clock, window, row);
        if (open != null) {
            clock.registerOnTime(end(open) - 1);
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
        RowData row = waiting.get(time);
        RowData open;
        if (row == null) {
            forget(clock, window);
            open = window.get(OPEN);
        } else {
            waiting.remove(time);
            open = take(clock, window, row);
        }
        if (open == null) {
            return;
        }
        if (end(open) - 1 <= time) {
            close(clock, window, open);
        } else {
            // Here, not only where the window grows: its lengths may have changed at a restore.
            clock.registerOnTime(end(open) - 1);
        }
    }

    /**
     * Puts a row into the open window of its key, which it may begin, unless it belongs to one that
     * was put out or would lie before the open one. Returns the open window, or null.
     */
    @Nullable
    private RowData take(TimeContext<Long> clock, MapView<Boolean, RowData> window, RowData row)
            throws Exception {
        long time = first(row);
        RowData open = window.get(OPEN);
        if (open != null && end(open) <= time) {
            close(clock, window, open);
            open = null;
        }
        RowData closed = forget(clock, window);
        if ((closed != null && time < end(closed)) || (open != null && end(row) <= first(open))) {
            countLate();
            return open;
        }
        if (open == null) {
            open = row;
        } else {
            countDuplicate();
            open = merged(open, row);
        }
        window.put(OPEN, open);
        return open;
    }

    /** A row that comes late is neither the first nor the last for that; it may be the best. */
    private RowData merged(RowData open, RowData row) {
        long time = first(row);
        boolean inOrder = time >= last(open);
        boolean better = sequence.replaces(row, open) && (inOrder || !sequence.replaces(open, row));
        return copyOf(better ? row : open, first(open), Math.max(last(open), time));
    }

    private void close(TimeContext<Long> clock, MapView<Boolean, RowData> window, RowData open)
            throws Exception {
        window.remove(OPEN);
        window.put(CLOSED, open);
        clock.registerOnTime(lengths.forget(end(open)));
        collect(output.replaceRow(open));
    }

    /** Returns the last window that was put out, or null if it need not be known any more. */
    @Nullable
    private RowData forget(TimeContext<Long> clock, MapView<Boolean, RowData> window)
            throws Exception {
        RowData closed = window.get(CLOSED);
        if (closed == null) {
            return null;
        }
        long until = lengths.forget(end(closed));
        if (until <= clock.time()) {
            window.remove(CLOSED);
            return null;
        }
        clock.registerOnTime(until);
        return closed;
    }

    private long end(RowData window) {
        return lengths.end(first(window), last(window));
    }

    private static long first(RowData window) {
        return window.getLong(0);
    }

    private static long last(RowData window) {
        return window.getLong(1);
    }

    /** With other times, to be kept. */
    private RowData copyOf(RowData row, long first, long last) {
        return withTimes(first, last, copyOf(output.replaceRow(row)));
    }

    private static RowData withTimes(long first, long last, RowData columns) {
        return new JoinedRowData(GenericRowData.of(first, last), columns);
    }
}
