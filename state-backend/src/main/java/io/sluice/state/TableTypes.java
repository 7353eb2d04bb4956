/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;

/** Types of the keys of maps in Flink SQL, whose names say which bytes a value has. */
final class TableTypes {

    private TableTypes() {}

    /** Returns whether a serializer writes such a type. */
    static boolean areNamed(TypeSerializer<?> serializer) {
        return serializer instanceof ExternalSerializer<?, ?> external
                && hasFixedBytes(external.getDataType().getLogicalType());
    }

    private static boolean hasFixedBytes(LogicalType type) {
        if (type instanceof RowType row) {
            return row.getChildren().stream().allMatch(TableTypes::hasFixedBytes);
        }
        return type.is(LogicalTypeRoot.BOOLEAN)
                || type.isAnyOf(
                        LogicalTypeFamily.NUMERIC,
                        LogicalTypeFamily.CHARACTER_STRING,
                        LogicalTypeFamily.BINARY_STRING,
                        LogicalTypeFamily.DATETIME);
    }

    /** Returns the scheme of keys that {@link #areNamed}. */
    static String scheme(TypeSerializer<?> serializer) {
        LogicalType type = ((ExternalSerializer<?, ?>) serializer).getDataType().getLogicalType();
        return "sql(" + type.copy(true).asSerializableString() + ')';
    }
}
