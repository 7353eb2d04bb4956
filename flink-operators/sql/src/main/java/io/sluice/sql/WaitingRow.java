/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.data.utils.ProjectedRowData;

/**
 * The first row of a key in event time, until the watermark has passed it: its time, and its
 * columns.
 */
final class WaitingRow {

    /** The name of the state of rows that the watermark has not passed. */
    static final String NAME = "sluice_waiting";

    private final ProjectedRowData columns;

    WaitingRow(int columns) {
        this.columns = ProjectedRowData.from(IntStream.rangeClosed(1, columns).toArray());
    }

    /**
     * Declares the state. A timer removes the row; a time-to-live could do so before, and the key
     * would be lost.
     */
    static void declare(SpecializedTableFunction function, Input input) {
        function.state(
                NAME,
                SpecializedTableFunction.rowsBy(DataTypes.BOOLEAN(), input.row("$time")),
                SpecializedTableFunction.FOR_EVER);
    }

    /**
     * Takes out the row that waited. Returns its columns, valid until the next call; null if none
     * waited, or if its key has come, which counts as a duplicate.
     */
    @Nullable
    RowData takeOut(
            SpecializedTableFunction function, boolean isSeen, MapView<Boolean, RowData> waiting)
            throws Exception {
        RowData first = waiting.get(true);
        if (first == null) {
            return null;
        }
        waiting.remove(true);
        if (isSeen) {
            function.countDuplicate();
            return null;
        }
        return columns.replaceRow(first);
    }

    static RowData of(long time, RowData columns) {
        return new JoinedRowData(GenericRowData.of(time), columns);
    }

    static long time(RowData waiting) {
        return waiting.getLong(0);
    }
}
