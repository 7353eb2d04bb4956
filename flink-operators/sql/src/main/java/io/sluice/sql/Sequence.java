/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.RowData.FieldGetter;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Decides which of two rows of a key is kept: by some of its columns in the order that {@code ORDER
 * BY} has, so that a null comes before all other values; among equals, and without columns, by
 * arrival.
 */
final class Sequence implements Serializable {

    private final RowToKeep keep;
    private final FieldGetter[] columns;

    /**
     * @param positions in a row of all columns but the keys
     * @param offset how many fields a kept row has before them
     */
    Sequence(RowToKeep keep, Input input, int[] positions, int offset) {
        this.keep = keep;
        this.columns =
                Arrays.stream(positions)
                        .mapToObj(
                                position ->
                                        RowData.createFieldGetter(
                                                input.types().get(position), position + offset))
                        .toArray(FieldGetter[]::new);
    }

    /** Returns whether a row that comes later is kept instead of the one that is kept now. */
    boolean replaces(RowData later, RowData kept) {
        int order = 0;
        for (int i = 0; i < columns.length && order == 0; i++) {
            order = compare(columns[i].getFieldOrNull(later), columns[i].getFieldOrNull(kept));
        }
        return keep == RowToKeep.FIRST ? order < 0 : order >= 0;
    }

    /** Returns what cannot be ordered, or empty. */
    static Optional<String> unordered(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case CHAR,
                    VARCHAR,
                    BOOLEAN,
                    BINARY,
                    VARBINARY,
                    DECIMAL,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    FLOAT,
                    DOUBLE,
                    DATE,
                    TIME_WITHOUT_TIME_ZONE,
                    TIMESTAMP_WITHOUT_TIME_ZONE,
                    TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    Optional.empty();
            default -> Optional.of(type.asSummaryString());
        };
    }

    @SuppressWarnings("unchecked") // both are values of one column, of a type that has an order
    private static int compare(@Nullable Object left, @Nullable Object right) {
        if (left == null || right == null) {
            return Boolean.compare(left != null, right != null);
        }
        if (left instanceof byte[] bytes) {
            return Arrays.compareUnsigned(bytes, (byte[]) right);
        }
        return ((Comparable<Object>) left).compareTo(right);
    }
}
