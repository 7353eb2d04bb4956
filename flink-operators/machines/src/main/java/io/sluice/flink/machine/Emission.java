/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Emits reports, none of them behind the forwarded watermark: one whose own time is behind gets the
 * time just after the watermark. Not thread-safe.
 *
 * @param <OUT> type of the main output
 */
@Internal
public final class Emission<OUT> {

    private final Output<StreamRecord<OUT>> output;
    private final StreamRecord<OUT> main = new StreamRecord<>(null);
    private long earliest = Long.MIN_VALUE;

    public Emission(Output<StreamRecord<OUT>> output) {
        this.output = requireNonNull(output, "output");
    }

    /** A watermark, not the last one, is forwarded after this call. */
    public void forwarding(long watermark) {
        earliest = Math.max(earliest, watermark + 1);
    }

    /** Emits to the main output. */
    public void collect(OUT report, long millis) {
        output.collect(main.replace(report, Math.max(millis, earliest)));
    }

    /** Emits to a side output, if there is one. */
    public <X> void collect(@Nullable OutputTag<X> tag, X report, long millis) {
        if (tag != null) {
            output.collect(tag, new StreamRecord<>(report, Math.max(millis, earliest)));
        }
    }
}
