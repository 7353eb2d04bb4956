/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.utils.ProjectedRowData;

/**
 * A projection of a row with columns of {@code PROCTIME()}. Flink leaves these null until they are
 * used, which is here: all of them have one time, which is taken when the first of them is read.
 */
final class ClockedRowData extends ProjectedRowData {

    private final boolean[] isClock;

    @Nullable private TimestampData now;

    /**
     * @param positions in the row
     * @param clocks which of the columns here are {@code PROCTIME()}
     */
    ClockedRowData(int[] positions, int[] clocks) {
        super(positions, false);
        isClock = new boolean[positions.length];
        for (int clock : clocks) {
            isClock[clock] = true;
        }
    }

    @Override
    public ProjectedRowData replaceRow(RowData row) {
        now = null;
        return super.replaceRow(row);
    }

    @Override
    public boolean isNullAt(int position) {
        return !isClock[position] && super.isNullAt(position);
    }

    @Override
    public TimestampData getTimestamp(int position, int precision) {
        if (!isClock[position]) {
            return super.getTimestamp(position, precision);
        }
        if (now == null) {
            now = TimestampData.fromEpochMillis(System.currentTimeMillis());
        }
        return now;
    }
}
