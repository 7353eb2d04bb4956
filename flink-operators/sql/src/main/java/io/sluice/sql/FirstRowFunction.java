/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.types.ColumnList;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * Emits the first row of a key to arrive, and needs no more state than a flag. Of an input that
 * updates, inserts and rows after an update arrive; what is taken back neither makes a key known
 * nor new again.
 */
@Internal
public class FirstRowFunction extends SpecializedTableFunction {

    FirstRowFunction(CallContext call, Input input, Duration ttl, boolean resetsTimeToLive) {
        super(call, input);
        state(SeenFlag.NAME, SeenFlag.type(resetsTimeToLive), ttl);
    }

    /** Called by generated code; the planner has read the other arguments. */
    public final void eval(
            RowData seen,
            RowData input,
            @Nullable StringData keep,
            @Nullable ColumnList sequenceBy,
            @Nullable Long stateTtl,
            @Nullable Boolean resetTtlOnDuplicate) {
        pass(seen, input);
    }

    /** Called by generated code where a duplicate resets the time-to-live. */
    public final void eval(
            Row seen,
            RowData input,
            @Nullable StringData keep,
            @Nullable ColumnList sequenceBy,
            @Nullable Long stateTtl,
            @Nullable Boolean resetTtlOnDuplicate) {
        pass(seen, input);
    }

    final void pass(RowData seen, RowData input) {
        if (isTakenBack(input)) {
            return;
        }
        if (SeenFlag.isSet(seen)) {
            countDuplicate();
        } else {
            SeenFlag.set(seen);
            collect(columns(input), RowKind.INSERT);
        }
    }

    final void pass(Row seen, RowData input) {
        if (isTakenBack(input)) {
            return;
        }
        if (SeenFlag.isSet(seen)) {
            countDuplicate();
            SeenFlag.setAgain(seen);
        } else {
            SeenFlag.set(seen);
            collect(columns(input), RowKind.INSERT);
        }
    }

    /** Whether a row comes because it does not hold any more: its key has come nevertheless. */
    private static boolean isTakenBack(RowData input) {
        RowKind kind = input.getRowKind();
        return kind == RowKind.UPDATE_BEFORE || kind == RowKind.DELETE;
    }
}
