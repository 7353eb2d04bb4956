/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.element.GroupKeys;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.runtime.MinuteLog;
import java.util.EnumMap;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.Collector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes on messages of the peer, each with the key of its key group; counts everything else, and
 * logs one of each sort a minute, since most often it shows a mistake in the configuration.
 */
final class ReadMessages extends RichFlatMapFunction<byte[], Tuple2<Integer, byte[]>> {

    private static final Logger LOG = LoggerFactory.getLogger(ReadMessages.class);

    private final Gate gate;
    private final int groups;

    private transient Integer[] keys;
    private transient Map<Refusal, Counter> refused;
    private transient Map<Refusal, MinuteLog> logs;

    ReadMessages(ReconcileSettings settings) {
        gate = new Gate(settings);
        groups = settings.setup().groups();
    }

    @Override
    public void open(OpenContext context) {
        keys = GroupKeys.of(groups);
        logs = new EnumMap<>(Refusal.class);
        refused = counters(getRuntimeContext().getMetricGroup());
    }

    /** Registers the counters of what is refused here, before the operator. */
    static Map<Refusal, Counter> counters(MetricGroup operator) {
        MetricGroup group = operator.addGroup(ReconcileMetrics.GROUP);
        Map<Refusal, Counter> counters = new EnumMap<>(Refusal.class);
        for (Refusal why : Gate.REASONS) {
            counters.put(why, group.counter(why.metric()));
        }
        return counters;
    }

    @Override
    public void flatMap(byte[] bytes, Collector<Tuple2<Integer, byte[]>> out) {
        Message message = gate.admit(bytes, this::refuse);
        if (message != null) {
            out.collect(Tuple2.of(keys[message.head().group()], bytes));
        }
    }

    private void refuse(Refusal why, String description) {
        refused.get(why).inc();
        logs.computeIfAbsent(why, unused -> new MinuteLog(LOG::warn))
                .write(
                        System.currentTimeMillis(),
                        () -> "A message is refused (" + why + "): " + description);
    }
}
