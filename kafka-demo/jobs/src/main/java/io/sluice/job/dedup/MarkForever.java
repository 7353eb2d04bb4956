/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.message.KafkaMessage;
import io.sluice.state.MembershipStateDescriptor;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Passes the first message of each id, and marks the id in Flink's state for ever. */
final class MarkForever extends KeyedProcessFunction<String, KafkaMessage, KafkaMessage> {
    private final double fpp;
    private final OnDuplicate<KafkaMessage> onDuplicate;

    private transient ValueState<Boolean> seen;
    private transient Counter records;
    private transient Counter duplicates;

    /**
     * @param fpp probability of taking a new id for one that was seen
     */
    MarkForever(double fpp, OnDuplicate<KafkaMessage> onDuplicate) {
        this.fpp = fpp;
        this.onDuplicate = onDuplicate;
    }

    @Override
    public void open(OpenContext context) {
        seen = getRuntimeContext().getState(new MembershipStateDescriptor("seen", fpp));
        MetricGroup group = getRuntimeContext().getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = group.counter(DeduplicateMetrics.RECORDS);
        duplicates = group.counter(DeduplicateMetrics.DUPLICATES);
    }

    @Override
    public void processElement(KafkaMessage message, Context context, Collector<KafkaMessage> out)
            throws Exception {
        records.inc();
        if (seen.value() == null) {
            seen.update(true);
            out.collect(message);
            return;
        }
        duplicates.inc();
        if (onDuplicate.marker() != null) {
            out.collect(onDuplicate.marker().map(message));
        } else if (onDuplicate.sideOutput() != null) {
            context.output(onDuplicate.sideOutput(), message);
        }
    }
}
