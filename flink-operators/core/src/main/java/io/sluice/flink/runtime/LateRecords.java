/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import io.sluice.flink.OnLate;
import org.apache.flink.annotation.Internal;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Does with late records what the policy says. */
@Internal
public final class LateRecords {

    private LateRecords() {}

    /** Returns whether the record passes; if not, it is dealt with. */
    public static <T> boolean pass(OnLate<T> policy, StreamRecord<T> record, Output<?> output) {
        if (policy.sideOutput() != null) {
            output.collect(policy.sideOutput(), record);
        }
        return policy.forwards();
    }
}
