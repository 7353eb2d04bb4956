/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.types.ColumnList;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * Emits the best row of a key so far, and updates it when a better one comes.
 *
 * <p>The flag lives as long as a key is known. In a filter that may be twice its time-to-live, so
 * the row lives that long too: without its row a key could not be updated. There is a flag without
 * a row where the call had neither a sequence nor {@code 'last'} when the first row came, where the
 * filter is wrong, and where a time-to-live was made shorter. What comes then is a duplicate, but
 * does not begin the time-to-live anew, so that the key is forgotten and new again.
 */
@Internal
public final class BestRowFunction extends SpecializedTableFunction {

    static final String KEPT = "sluice_kept";

    private final boolean resetsTimeToLive;
    private final Sequence sequence;

    private transient boolean updatesBefore;
    private transient boolean knowsMode;

    BestRowFunction(
            CallContext call,
            Input input,
            Duration ttl,
            Duration ttlOfRow,
            boolean resetsTimeToLive,
            Sequence sequence) {
        super(call, input);
        this.resetsTimeToLive = resetsTimeToLive;
        this.sequence = sequence;
        state(SeenFlag.NAME, SeenFlag.type(resetsTimeToLive), ttl);
        state(KEPT, rowsBy(DataTypes.BOOLEAN(), input.row()), ttlOfRow);
    }

    /** Called by generated code; the scalar arguments were read by the planner. */
    public void eval(
            Context context,
            RowData seen,
            MapView<Boolean, RowData> state,
            RowData input,
            @Nullable StringData keep,
            @Nullable ColumnList sequenceBy,
            @Nullable Long stateTtl,
            @Nullable Boolean resetTtlOnDuplicate)
            throws Exception {
        RowData row = columns(input);
        if (SeenFlag.isSet(seen)) {
            meetsKeptRow(context, state, row);
        } else {
            SeenFlag.set(seen);
            begin(state, row);
        }
    }

    /** Called by generated code where a duplicate resets the time-to-live. */
    public void eval(
            Context context,
            Row seen,
            MapView<Boolean, RowData> state,
            RowData input,
            @Nullable StringData keep,
            @Nullable ColumnList sequenceBy,
            @Nullable Long stateTtl,
            @Nullable Boolean resetTtlOnDuplicate)
            throws Exception {
        RowData row = columns(input);
        if (!SeenFlag.isSet(seen)) {
            SeenFlag.set(seen);
            begin(state, row);
        } else if (meetsKeptRow(context, state, row)) {
            SeenFlag.setAgain(seen);
        }
    }

    private void begin(MapView<Boolean, RowData> state, RowData row) throws Exception {
        state.put(true, copyOf(row));
        collect(row, RowKind.INSERT);
    }

    /** Replaces the row of a known key if that is worse; returns whether there is one. */
    private boolean meetsKeptRow(Context context, MapView<Boolean, RowData> state, RowData row)
            throws Exception {
        countDuplicate();
        RowData kept = state.get(true);
        if (kept == null) {
            return false;
        }
        if (sequence.replaces(row, kept)) {
            if (updatesBefore(context)) {
                collect(kept, RowKind.UPDATE_BEFORE);
            }
            state.put(true, copyOf(row));
            collect(row, RowKind.UPDATE_AFTER);
        } else if (resetsTimeToLive) {
            state.put(true, kept);
        }
        return true;
    }

    private boolean updatesBefore(Context context) {
        if (!knowsMode) {
            knowsMode = true;
            updatesBefore = context.getChangelogMode().contains(RowKind.UPDATE_BEFORE);
        }
        return updatesBefore;
    }
}
