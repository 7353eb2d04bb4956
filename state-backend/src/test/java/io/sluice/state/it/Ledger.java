/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * Everything that a stream ever brought, as state: in a checkpoint it holds exactly what the
 * preceding operators emitted for the records before the barrier, each once.
 *
 * @param <T> the type of the entries
 */
final class Ledger<T> extends RichFlatMapFunction<T, Void> implements CheckpointedFunction {
    private final String run;
    private final String name;
    private final TypeInformation<T> type;
    private transient List<T> entries;
    private transient ListState<T> state;

    private Ledger(String run, String name, TypeInformation<T> type) {
        this.run = run;
        this.name = name;
        this.type = type;
    }

    /** Ends {@code stream} in a ledger. */
    static <T> void keep(String run, String name, DataStream<T> stream) {
        stream.flatMap(new Ledger<>(run, name, stream.getType()))
                .returns(Types.VOID)
                .name(name)
                .uid(name)
                .setParallelism(1)
                .disableChaining()
                .sinkTo(new DiscardingSink<>())
                .setParallelism(1);
    }

    @Override
    public void flatMap(T entry, Collector<Void> out) {
        entries.add(entry);
        Run.of(run).countEntry();
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        state =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("entries", type));
        entries = new ArrayList<>();
        state.get().forEach(entries::add);
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        state.update(entries);
        Run.of(run).page(name, List.copyOf(entries));
    }
}
