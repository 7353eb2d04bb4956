/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import io.sluice.flink.OnLate;
import org.apache.flink.annotation.Internal;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Applies the policy for late records. */
@Internal
public final class LateRecords {

    private LateRecords() {}

    /** Applies the policy to a late record. Returns whether the record passes. */
    public static <T> boolean pass(OnLate<T> policy, StreamRecord<T> record, Output<?> output) {
        if (policy.sideOutput() != null) {
            output.collect(policy.sideOutput(), record);
        }
        return policy.forwards();
    }
}
