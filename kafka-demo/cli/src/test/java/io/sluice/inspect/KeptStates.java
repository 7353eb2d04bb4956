/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;

/** A job's own state of each kind, of ten keys: what it holds is known from the ids. */
final class KeptStates extends RichMapFunction<Long, Long> {

    static final int KEYS = 10;

    private transient ValueState<Long> last;
    private transient ListState<Long> all;
    private transient MapState<String, Long> times;
    private transient ReducingState<Long> sum;

    @Override
    public void open(OpenContext context) {
        last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.LONG));
        all = getRuntimeContext().getListState(new ListStateDescriptor<>("all", Types.LONG));
        times =
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>("times", Types.STRING, Types.LONG));
        sum =
                getRuntimeContext()
                        .getReducingState(
                                new ReducingStateDescriptor<>("sum", Long::sum, Types.LONG));
    }

    @Override
    public Long map(Long id) throws Exception {
        last.update(id);
        all.add(id);
        String key = "id " + id;
        times.put(key, times.contains(key) ? times.get(key) + 1 : 1);
        sum.add(id);
        return id;
    }
}
