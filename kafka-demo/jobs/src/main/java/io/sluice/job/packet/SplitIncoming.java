/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.job.KafkaEnds;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Passes on what the job keeps of packets; rejected bytes go to a side output and into the metric
 * {@code rejected}.
 *
 * <p>All packets leave in one reused instance, as object reuse in Flink allows: it is serialized or
 * consumed before the next record comes.
 *
 * @param <T> type of what is kept of a packet
 */
public final class SplitIncoming<T> extends ProcessFunction<Incoming, T> {
    public static final OutputTag<Incoming> REJECTED = new OutputTag<>("rejected", Incoming.TYPE);

    private final Reduction<T> reduction;

    private transient T reduced;
    private transient Counter rejected;

    SplitIncoming(Reduction<T> reduction) {
        this.reduction = reduction;
    }

    @Override
    public void open(OpenContext context) {
        reduced = reduction.newResult();
        rejected = getRuntimeContext().getMetricGroup().counter(KafkaEnds.REJECTED);
    }

    @Override
    public void processElement(Incoming incoming, Context context, Collector<T> out) {
        if (incoming.rejected() == null) {
            reduction.reduce(incoming.packet(), reduced);
            out.collect(reduced);
        } else {
            rejected.inc();
            context.output(REJECTED, incoming);
        }
    }
}
