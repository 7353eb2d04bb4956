/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.types.ColumnList;
import org.apache.flink.types.Row;

/** Emits the first row of a key to arrive, and needs no more state than a flag. */
@Internal
public class FirstRowFunction extends SpecializedTableFunction {

    FirstRowFunction(
            CallContext call, Input input, Optional<Duration> ttl, boolean resetsTimeToLive) {
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
        if (SeenFlag.isSet(seen)) {
            countDuplicate();
        } else {
            SeenFlag.set(seen);
            collect(columns(input));
        }
    }

    final void pass(Row seen, RowData input) {
        if (SeenFlag.isSet(seen)) {
            countDuplicate();
            SeenFlag.setAgain(seen);
        } else {
            SeenFlag.set(seen);
            collect(columns(input));
        }
    }
}
