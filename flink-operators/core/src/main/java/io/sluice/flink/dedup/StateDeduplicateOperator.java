/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.runtime.Duplicates;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.NoStructure;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.StateIdentity;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Passes first occurrences by a flag per id in Flink's state, with a time to live or for ever: as
 * exact as the state backend. Its raw keyed state holds only the layout, so that a change of engine
 * is noticed.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class StateDeduplicateOperator<T, K> extends KeyGroupedOperator<T, T, NoStructure> {

    /** The cascade state backend keeps a state of this name in a filter, unless told otherwise. */
    static final String FOREVER = "sluice_seen";

    private static final String LAYOUT = "engine=deduplicate in state";
    private static final String FOREVER_LAYOUT = "engine=deduplicate in state, for ever";

    /** Null if no id is ever forgotten. */
    @Nullable private final Duration timeToLive;

    private final boolean resetOnDuplicate;
    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;
    private final OnDuplicate<T> onDuplicate;
    private final NullIds<T> nullIds;

    private transient ValueState<Boolean> seen;
    private transient Counter records;
    private transient Counter duplicates;

    StateDeduplicateOperator(
            @Nullable Duration timeToLive,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            OnNullId<T> onNullId,
            PassRule rule) {
        this.timeToLive = timeToLive;
        this.resetOnDuplicate = rule.resetOnDuplicate();
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.nullIds = new NullIds<>(onNullId, hasher.role(), "onNullId");
    }

    @Override
    protected String layout() {
        return timeToLive == null ? FOREVER_LAYOUT : LAYOUT;
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(layout());
    }

    @Override
    protected StateIdentity identity() throws IOException {
        return IdsIdentity.ofExact(getUserCodeClassloader(), hasher);
    }

    @Override
    protected KeyGroupedState.Handler<NoStructure> createHandler() {
        return NoStructure.handler();
    }

    @Override
    public void open() throws Exception {
        super.open();
        seen = getPartitionedState(descriptor());
        MetricGroup group = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = group.counter(DeduplicateMetrics.RECORDS);
        duplicates = group.counter(DeduplicateMetrics.DUPLICATES);
        nullIds.open(describe(), group, DeduplicateMetrics.NULL_IDS, output);
    }

    private ValueStateDescriptor<Boolean> descriptor() {
        if (timeToLive == null) {
            return new ValueStateDescriptor<>(FOREVER, BooleanSerializer.INSTANCE);
        }
        ValueStateDescriptor<Boolean> descriptor =
                new ValueStateDescriptor<>("seen", BooleanSerializer.INSTANCE);
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(timeToLive)
                        .setUpdateType(
                                resetOnDuplicate
                                        ? StateTtlConfig.UpdateType.OnReadAndWrite
                                        : StateTtlConfig.UpdateType.OnCreateAndWrite)
                        .build());
        return descriptor;
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        records.inc();
        K id = idSelector.getKey(record.getValue());
        if (id == null) {
            if (nullIds.pass(record)) {
                output.collect(record);
            }
            return;
        }
        setCurrentKey(hasher.key(id));
        if (seen.value() == null) {
            seen.update(true);
            output.collect(record);
        } else {
            duplicates.inc();
            Duplicates.handle(onDuplicate, record, output);
        }
    }
}
