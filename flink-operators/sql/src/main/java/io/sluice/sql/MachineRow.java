/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import io.sluice.flink.machine.MachineReport.Kind;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;

/** What {@code STATE_MACHINE} puts out for an event, or for a machine that timed out. */
final class MachineRow {

    static final List<String> COLUMNS = List.of("kind", "previous", "event", "state", "output");

    static final DataType TYPE =
            DataTypes.ROW(
                            DataTypes.FIELD("kind", DataTypes.STRING().notNull()),
                            DataTypes.FIELD("previous", DataTypes.STRING()),
                            DataTypes.FIELD("event", DataTypes.STRING()),
                            DataTypes.FIELD("state", DataTypes.STRING().notNull()),
                            DataTypes.FIELD("output", DataTypes.STRING()))
                    .notNull();

    private MachineRow() {}

    static RowData of(
            Kind kind,
            @Nullable String previous,
            @Nullable String event,
            String state,
            @Nullable String output) {
        return GenericRowData.of(
                StringData.fromString(kind.name()),
                StringData.fromString(previous),
                StringData.fromString(event),
                StringData.fromString(state),
                StringData.fromString(output));
    }
}
