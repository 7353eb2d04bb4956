/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * The flag of a key that has come. The state backend of Sluice knows it by its name and keeps it in
 * a filter.
 */
final class SeenFlag {

    /** Also a default of the option {@code state.backend.cascade.states}. */
    static final String NAME = "sluice_seen";

    static final DataType TYPE = DataTypes.ROW(DataTypes.FIELD("seen", DataTypes.BOOLEAN()));

    private SeenFlag() {}

    /**
     * Returns the type of a flag. One that is never {@linkplain #setAgain set again} is a row as
     * Flink has it, which saves converting it three times for each row.
     */
    static DataType type(boolean isSetAgain) {
        return isSetAgain ? TYPE : TYPE.bridgedTo(RowData.class);
    }

    static boolean isSet(RowData flag) {
        return !flag.isNullAt(0);
    }

    /** Sets a flag that is not set, which Flink has just made. */
    static void set(RowData flag) {
        ((GenericRowData) flag).setField(0, true);
    }

    static boolean isSet(Row flag) {
        return flag.getField(0) != null;
    }

    static void set(Row flag) {
        flag.setField(0, true);
    }

    /**
     * Begins the time-to-live anew. Flink writes a value only if it has changed, and the flag only
     * knows one; but the kind of its row is part of the value, and is ignored.
     */
    static void setAgain(Row flag) {
        flag.setField(0, true);
        flag.setKind(flag.getKind() == RowKind.INSERT ? RowKind.UPDATE_AFTER : RowKind.INSERT);
    }
}
