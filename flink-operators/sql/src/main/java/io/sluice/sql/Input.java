/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.functions.TableSemantics;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.table.types.logical.utils.LogicalTypeUtils;
import org.apache.flink.table.types.utils.TypeConversions;

/**
 * The columns of a table argument. Flink itself puts the columns of {@code PARTITION BY} before
 * what a function returns, so a function returns, and keeps as state, the others.
 *
 * @param names of the other columns
 * @param types of the other columns
 * @param positions of the other columns in the table
 * @param keys names of the columns of {@code PARTITION BY}
 * @param clocks which of the other columns are {@code PROCTIME()}, so that no row has a value there
 */
record Input(
        List<String> names,
        List<LogicalType> types,
        List<Integer> positions,
        List<String> keys,
        List<Integer> clocks) {

    static Input of(TableSemantics table) {
        RowType row = LogicalTypeUtils.toRowType(table.dataType().getLogicalType());
        int[] keys = table.partitionByColumns();
        int[] others =
                IntStream.range(0, row.getFieldCount())
                        .filter(column -> Arrays.stream(keys).noneMatch(key -> key == column))
                        .toArray();
        return new Input(
                Arrays.stream(others).mapToObj(row.getFieldNames()::get).toList(),
                Arrays.stream(others)
                        .mapToObj(row::getTypeAt)
                        // A function forwards the values of a time attribute, not its watermarks.
                        .map(LogicalTypeUtils::removeTimeAttributes)
                        .toList(),
                Arrays.stream(others).boxed().toList(),
                Arrays.stream(keys).mapToObj(row.getFieldNames()::get).toList(),
                IntStream.range(0, others.length)
                        .filter(
                                i ->
                                        LogicalTypeChecks.isProctimeAttribute(
                                                row.getTypeAt(others[i])))
                        .boxed()
                        .toList());
    }

    boolean hasColumn(String name) {
        return names.contains(name) || keys.contains(name);
    }

    /** Returns a row of the other columns, with numbers before them, whose names give way. */
    DataType row(String... before) {
        List<DataTypes.Field> fields = new ArrayList<>();
        for (String free : before) {
            String name = free;
            while (names.contains(name)) {
                name = '$' + name;
            }
            fields.add(DataTypes.FIELD(name, DataTypes.BIGINT().notNull()));
        }
        for (int i = 0; i < names.size(); i++) {
            fields.add(
                    DataTypes.FIELD(
                            names.get(i), TypeConversions.fromLogicalToDataType(types.get(i))));
        }
        return DataTypes.ROW(fields).notNull();
    }
}
