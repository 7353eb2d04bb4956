/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import io.sluice.flink.OnDuplicate;
import org.apache.flink.annotation.Internal;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Handles a duplicate as {@link OnDuplicate} says. */
@Internal
public final class Duplicates {

    private Duplicates() {}

    /** For operators whose output has the type of their input, so duplicates may be tagged. */
    public static <T> void handle(
            OnDuplicate<T> policy, StreamRecord<T> record, Output<StreamRecord<T>> output)
            throws Exception {
        if (policy.marker() != null) {
            output.collect(record.replace(policy.marker().map(record.getValue())));
        } else {
            divert(policy, record, output);
        }
    }

    /**
     * Serves operators whose output has another type: duplicates go to a side output or are
     * dropped.
     */
    public static <T> void divert(OnDuplicate<T> policy, StreamRecord<T> record, Output<?> output) {
        if (policy.sideOutput() != null) {
            output.collect(policy.sideOutput(), record);
        }
    }
}
