/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;

/** Deduplication by a flag for each key: what users write today. */
public final class FirstOnly<T> extends RichFilterFunction<T> {
    /** The flag's name. */
    public static final String STATE = "seen";

    private static final long serialVersionUID = 1L;

    private final Duration timeToLive;
    private transient ValueState<Boolean> seen;

    /**
     * @param timeToLive of a flag; zero means for ever
     */
    public FirstOnly(Duration timeToLive) {
        this.timeToLive = timeToLive;
    }

    @Override
    public void open(OpenContext context) {
        ValueStateDescriptor<Boolean> descriptor = new ValueStateDescriptor<>(STATE, Types.BOOLEAN);
        if (!timeToLive.isZero()) {
            descriptor.enableTimeToLive(StateTtlConfig.newBuilder(timeToLive).build());
        }
        seen = getRuntimeContext().getState(descriptor);
    }

    @Override
    public boolean filter(T value) throws IOException {
        if (seen.value() != null) {
            return false;
        }
        seen.update(Boolean.TRUE);
        return true;
    }
}
