/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.state.MembershipStateDescriptor;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;

/** Passes each id once: a flag that only says "seen", and a number that is exact on any backend. */
final class FirstOnly extends RichFilterFunction<Long> {

    private final double falsePositiveProbability;
    private transient ValueState<Boolean> seen;
    private transient ValueState<Long> count;

    FirstOnly(double falsePositiveProbability) {
        this.falsePositiveProbability = falsePositiveProbability;
    }

    @Override
    public void open(OpenContext context) {
        seen =
                getRuntimeContext()
                        .getState(new MembershipStateDescriptor("flags", falsePositiveProbability));
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
    }

    @Override
    public boolean filter(Long id) throws Exception {
        count.update(count.value() == null ? 1 : count.value() + 1);
        if (Boolean.TRUE.equals(seen.value())) {
            return false;
        }
        seen.update(true);
        return true;
    }
}
