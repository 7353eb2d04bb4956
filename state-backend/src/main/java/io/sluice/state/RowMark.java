/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BooleanType;

/**
 * A row of one Boolean that is true. The kind of the row, by which a process table function may
 * force Flink to write it again, is not kept.
 */
final class RowMark extends Mark<RowData> {

    private static final RowData SEEN = GenericRowData.of(true);

    private static final RowDataSerializer ONE_BOOLEAN = new RowDataSerializer(new BooleanType());

    static boolean fits(TypeSerializer<?> serializer) {
        return ONE_BOOLEAN.equals(serializer);
    }

    @Override
    RowData seen() {
        return SEEN;
    }

    @Override
    boolean isSeen(RowData value) {
        return !value.isNullAt(0) && value.getBoolean(0);
    }
}
