/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ProcessTableFunction;
import org.apache.flink.table.runtime.typeutils.InternalSerializers;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.StateTypeStrategy;
import org.apache.flink.table.types.inference.TypeInference;
import org.apache.flink.table.types.inference.TypeStrategies;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.utils.DataTypeUtils;
import org.apache.flink.types.RowKind;

/**
 * A function for one call: works on Flink's internal rows, and has the state that this call needs.
 *
 * <p>Metrics are in the group {@code sluice}.
 */
abstract class SpecializedTableFunction extends ProcessTableFunction<RowData> {

    static final String METRICS = "sluice";
    static final String DUPLICATES = "duplicates";

    /** A time-to-live that never ends. A missing one would be the session's. */
    static final Duration FOR_EVER = Duration.ZERO;

    private static final RowData NO_COLUMNS = new GenericRowData(0);

    /** Only for the planner. */
    private final transient List<DataType> arguments;

    private final transient DataType output;
    private final transient LinkedHashMap<String, StateTypeStrategy> states = new LinkedHashMap<>();

    private final int[] positions;
    private final LogicalType[] types;
    private final int[] clocks;

    private transient ProjectedRowData projection;
    private transient JoinedRowData changed;
    private transient RowDataSerializer serializer;
    private transient Counter duplicates;

    SpecializedTableFunction(CallContext call, Input input) {
        this(call, input, input.row());
    }

    /**
     * @param output the columns that the function returns, besides the keys
     */
    SpecializedTableFunction(CallContext call, Input input, DataType output) {
        this.arguments =
                call.getArgumentDataTypes().stream()
                        .map(DataTypeUtils::toInternalDataType)
                        .toList();
        this.output = DataTypeUtils.toInternalDataType(output);
        this.positions = input.positions().stream().mapToInt(Integer::intValue).toArray();
        this.types = input.types().toArray(LogicalType[]::new);
        this.clocks = input.clocks().stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Declares a state; its order is that of the parameters of {@code eval}.
     *
     * @param timeToLive {@link #FOR_EVER}, unless Flink is to keep a time with each value and to
     *     compare it with the clock; a restore may change that
     */
    final void state(String name, DataType type, Duration timeToLive) {
        states.put(name, StateTypeStrategy.of(TypeStrategies.explicit(type), timeToLive));
    }

    /** Map state, because a value state could not be written again without a change. */
    static DataType rowsBy(DataType key, DataType row) {
        return MapView.newMapViewDataType(
                DataTypeUtils.toInternalDataType(key.notNull()),
                DataTypeUtils.toInternalDataType(row));
    }

    @Override
    @SuppressWarnings("deprecation") // static arguments would give tables as external rows
    public final TypeInference getTypeInference(DataTypeFactory factory) {
        return TypeInference.newBuilder()
                .typedArguments(arguments)
                .stateTypeStrategies(states)
                .outputTypeStrategy(TypeStrategies.explicit(output))
                .build();
    }

    @Override
    public void open(FunctionContext context) throws Exception {
        super.open(context);
        projection =
                clocks.length == 0
                        ? ProjectedRowData.from(positions)
                        : new ClockedRowData(positions, clocks);
        changed = new JoinedRowData();
        serializer = InternalSerializers.create(RowType.of(types));
        duplicates = context.getMetricGroup().addGroup(METRICS).counter(DUPLICATES);
    }

    /** Returns the columns of a row but the keys; valid until the next call. */
    final RowData columns(RowData row) {
        return projection.replaceRow(row);
    }

    /**
     * Emits columns as a change of some kind, whatever theirs is. They are not changed: the heap
     * may hold them as state.
     */
    final void collect(RowData columns, RowKind kind) {
        if (columns.getRowKind() == kind) {
            collect(columns);
        } else {
            changed.replace(NO_COLUMNS, columns);
            changed.setRowKind(kind);
            collect(changed);
        }
    }

    /** Returns the same, to be kept. */
    final RowData copyOf(RowData columns) {
        return serializer.copy(columns);
    }

    final LogicalType[] types() {
        return types;
    }

    final void countDuplicate() {
        duplicates.inc();
    }
}
