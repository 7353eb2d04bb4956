/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Duplicates;
import io.sluice.flink.KeyGroupedOperator;
import io.sluice.flink.KeyGroupedState;
import io.sluice.flink.NoStructure;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.WindowSettings;
import java.util.Set;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Passes first occurrences by a flag per id in Flink's state, with a time to live: as exact as the
 * state backend. Its raw keyed state holds the layout only, so that a change of engine is noticed.
 *
 * @param <T> type of the records
 */
final class StateDeduplicateOperator<T> extends KeyGroupedOperator<T, T, NoStructure> {

    private static final String LAYOUT = "engine=deduplicate in state";

    private final WindowSettings settings;
    private final OnDuplicate<T> onDuplicate;

    private transient ValueState<Boolean> seen;
    private transient Counter records;
    private transient Counter duplicates;

    StateDeduplicateOperator(WindowSettings settings, OnDuplicate<T> onDuplicate) {
        this.settings = requireNonNull(settings, "settings");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
    }

    @Override
    protected String layout() {
        return LAYOUT;
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(LAYOUT);
    }

    @Override
    protected KeyGroupedState.Handler<NoStructure> createHandler() {
        return NoStructure.handler();
    }

    @Override
    public void open() throws Exception {
        super.open();
        ValueStateDescriptor<Boolean> descriptor =
                new ValueStateDescriptor<>("seen", BooleanSerializer.INSTANCE);
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(settings.window()).build());
        seen = getPartitionedState(descriptor);
        MetricGroup group = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = group.counter(DeduplicateMetrics.RECORDS);
        duplicates = group.counter(DeduplicateMetrics.DUPLICATES);
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        records.inc();
        setKeyContextElement1(record);
        if (seen.value() == null) {
            seen.update(true);
            output.collect(record);
        } else {
            duplicates.inc();
            Duplicates.handle(onDuplicate, record, output);
        }
    }
}
