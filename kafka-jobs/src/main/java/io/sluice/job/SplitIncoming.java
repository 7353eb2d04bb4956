/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Passes operations; rejected bytes go to a side output and into the metric {@code rejected}. */
final class SplitIncoming extends ProcessFunction<Incoming, Incoming> {
    static final OutputTag<Incoming> REJECTED =
            new OutputTag<>("rejected", IncomingTypeInfoFactory.TYPE);

    /** Counts rejected records. */
    static final String METRIC = "rejected";

    private transient Counter rejected;

    @Override
    public void open(OpenContext context) {
        rejected = getRuntimeContext().getMetricGroup().counter(METRIC);
    }

    @Override
    public void processElement(Incoming incoming, Context context, Collector<Incoming> out) {
        if (incoming.rejected() == null) {
            out.collect(incoming);
        } else {
            rejected.inc();
            context.output(REJECTED, incoming);
        }
    }
}
