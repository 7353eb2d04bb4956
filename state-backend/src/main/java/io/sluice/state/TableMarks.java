/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/** How states of Flink SQL say "seen". */
final class TableMarks {

    private static final RowDataSerializer ONE_BOOLEAN = new RowDataSerializer(new BooleanType());

    private static final RowDataSerializer NO_COLUMN = new RowDataSerializer(new LogicalType[0]);

    private TableMarks() {}

    /** The values of a serializer of SQL; null if they do not say "seen". */
    @Nullable
    static Mark<?> of(TypeSerializer<?> serializer) {
        if (ONE_BOOLEAN.equals(serializer)) {
            return new OneBoolean();
        }
        if (NO_COLUMN.equals(serializer)) {
            return new NoColumn();
        }
        if (!(serializer instanceof ExternalSerializer<?, ?> external)) {
            return null;
        }
        LogicalTypeRoot type = external.getDataType().getLogicalType().getTypeRoot();
        Class<?> values = external.getDataType().getConversionClass();
        if (type == LogicalTypeRoot.BOOLEAN && values == Boolean.class) {
            return Mark.FLAG;
        }
        return type == LogicalTypeRoot.BIGINT && values == Long.class ? new One() : null;
    }

    /**
     * A row of one Boolean that is true. The kind of the row, by which a process table function may
     * force Flink to write it again, is not kept.
     */
    private static final class OneBoolean extends Mark<RowData> {
        private static final RowData SEEN = GenericRowData.of(true);

        @Override
        RowData seen() {
            return SEEN;
        }

        @Override
        boolean isSeen(RowData value) {
            return !value.isNullAt(0) && value.getBoolean(0);
        }
    }

    /** A row that can only be there or not. */
    private static final class NoColumn extends Mark<RowData> {
        private static final RowData SEEN = new GenericRowData(0);

        @Override
        RowData seen() {
            return SEEN;
        }

        @Override
        boolean isSeen(RowData value) {
            return true;
        }
    }

    /** The number 1. */
    private static final class One extends Mark<Long> {
        @Override
        Long seen() {
            return 1L;
        }

        @Override
        boolean isSeen(Long value) {
            return value == 1;
        }

        @Override
        boolean isNumber() {
            return true;
        }
    }
}
