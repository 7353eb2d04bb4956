/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.checkpoint.SubTaskInitializationMetricsBuilder;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializerImpl;
import org.apache.flink.streaming.runtime.tasks.StreamTaskCancellationContext;
import org.apache.flink.util.clock.SystemClock;

/** An operator whose state expires by a clock of its own, where it has {@link OwnBackend}. */
@Internal
public interface OwnClock {

    /** Returns the clock, null for the machine's; called once, when the operator was set up. */
    @Nullable
    TtlTimeProvider clock();

    /**
     * Makes the state of one operator.
     *
     * @param operator set up; it need not be of this kind
     */
    static StreamTaskStateInitializer initializer(
            Object operator, Environment environment, StateBackend backend) {
        TtlTimeProvider own = operator instanceof OwnClock other ? other.clock() : null;
        return new StreamTaskStateInitializerImpl(
                environment,
                backend,
                new SubTaskInitializationMetricsBuilder(
                        SystemClock.getInstance().absoluteTimeMillis()),
                own == null ? TtlTimeProvider.DEFAULT : own,
                InternalTimeServiceManagerImpl::create,
                StreamTaskCancellationContext.alwaysRunning());
    }
}
