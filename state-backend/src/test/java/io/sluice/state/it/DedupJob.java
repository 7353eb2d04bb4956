/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The usual job: a flag for each id, emitting the records whose flag was not set. */
final class DedupJob {
    static final String PASSED = "passed";

    private DedupJob() {}

    static void build(StreamExecutionEnvironment env, String run) {
        Ledger.keep(
                run,
                PASSED,
                ids(env, run)
                        .keyBy(id -> id, Types.LONG)
                        .filter(new FirstOnly())
                        .uid("first-only"));
    }

    /** The ids of the gated records, in order. */
    static SingleOutputStreamOperator<Long> ids(StreamExecutionEnvironment env, String run) {
        return env.fromSource(new GatedSource(run), WatermarkStrategy.noWatermarks(), "records")
                .setParallelism(1)
                .uid("records")
                .map(Ids::at)
                .returns(Types.LONG)
                .setParallelism(1)
                .uid("ids");
    }

    static final class FirstOnly extends RichFilterFunction<Long> {
        private transient ValueState<Boolean> seen;

        @Override
        public void open(OpenContext context) {
            seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Types.BOOLEAN));
        }

        @Override
        public boolean filter(Long id) throws Exception {
            if (Boolean.TRUE.equals(seen.value())) {
                return false;
            }
            seen.update(true);
            return true;
        }
    }
}
