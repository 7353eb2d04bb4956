/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.Duplicates;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.LateRecords;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.OptionalSecondInput;
import io.sluice.flink.runtime.OwnClock;
import io.sluice.flink.runtime.StateIdentity;
import io.sluice.state.BatchMembershipState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Passes first occurrences by a flag per id in Flink's state, with a time to live or for ever: as
 * exact as the state backend. The second input has ids that were seen elsewhere. Its raw keyed
 * state has the layout, so that a change of engine is noticed, and in event time the watermark.
 *
 * <p>In event time the flags expire by a {@link StreamClock}, in a backend of the operator's own:
 * Flink's state has no such clock.
 *
 * <p>Flags in a filter of the cascade backend are asked for in {@linkplain RecordBatches batches},
 * unless contents are compared, each of which is a state of its own.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class StateDeduplicateOperator<T, K> extends KeyGroupedOperator<T, T, ReachedWatermark>
        implements OptionalSecondInput<T, K, T>, OwnClock {

    /** The cascade state backend keeps a state of this name in a filter, unless told otherwise. */
    static final String FOREVER = "sluice_seen";

    private static final String WITH_TIME_TO_LIVE = "seen";

    /** Names of the states that only say "seen". */
    static final List<String> FLAGS = List.of(FOREVER, WITH_TIME_TO_LIVE);

    private static final String CONTENT = "sluice_content";

    private static final String WITH_CONTENT = ", with contents";
    static final String LAYOUT = "engine=deduplicate in state";
    private static final String EVENT_TIME_LAYOUT = LAYOUT + ", timeDomain=EVENT";
    private static final String FOREVER_LAYOUT = "engine=deduplicate in state, for ever";

    private final WindowSettings settings;

    /** Null if no id is ever forgotten. */
    @Nullable private final Duration timeToLive;

    private final boolean eventTime;
    private final OnLate<T> onLate;

    private final Batching batching;
    private final boolean resetOnDuplicate;
    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;
    private final OnDuplicate<T> onDuplicate;
    @Nullable private final Conflicts<T> conflicts;
    private final NullIds<T> nullIds;

    /** Null but in event time. */
    @Nullable private transient StreamClock clock;

    private transient ValueState<Boolean> seen;

    /** The hash of the content of the record that passed; null unless contents are compared. */
    @Nullable private transient ValueState<Long> content;

    /** The same flags, if they are in a filter; else null. */
    @Nullable private transient BatchMembershipState<Object> marks;

    /** Null if each record is decided at once. */
    @Nullable private transient RecordBatches<T> batches;

    private transient boolean[] absent;

    private transient Counter records;
    private transient Counter duplicates;
    private transient SeenElsewhere elsewhere;

    /**
     * @param forever whether no id is ever forgotten; then nothing is late
     * @param conflicts null if contents are not compared
     */
    StateDeduplicateOperator(
            WindowSettings settings,
            boolean forever,
            Batching batching,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            @Nullable Conflicts<T> conflicts,
            OnLate<T> onLate,
            OnNullId<T> onNullId,
            PassRule rule) {
        this.settings = requireNonNull(settings, "settings");
        this.timeToLive = forever ? null : settings.window();
        this.eventTime = !forever && settings.timeDomain() == TimeDomain.EVENT;
        this.onLate = requireNonNull(onLate, "onLate");
        this.batching = requireNonNull(batching, "batching");
        this.resetOnDuplicate = rule.resetOnDuplicate();
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.conflicts = conflicts;
        this.nullIds = new NullIds<>(onNullId, hasher.role(), "onNullId");
    }

    /** Returns whether a layout is that of ids on disk in event time. */
    static boolean wrote(String layout) {
        return layout.startsWith(EVENT_TIME_LAYOUT);
    }

    @Override
    protected String layout() {
        return conflicts == null ? plainLayout() : plainLayout() + WITH_CONTENT;
    }

    private String plainLayout() {
        return timeToLive == null ? FOREVER_LAYOUT : eventTime ? EVENT_TIME_LAYOUT : LAYOUT;
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(plainLayout(), plainLayout() + WITH_CONTENT);
    }

    @Override
    protected StateIdentity identity() throws IOException {
        return IdsIdentity.ofExactWithContent(
                getUserCodeClassloader(), hasher, conflicts == null ? null : conflicts.hasher());
    }

    @Override
    protected KeyGroupedState.Handler<ReachedWatermark> createHandler() {
        return ReachedWatermark.handler(settings.windowMillis());
    }

    @Override
    @Nullable
    public TtlTimeProvider clock() {
        clock =
                eventTime
                        ? new StreamClock(settings, describe(), getProcessingTimeService())
                        : null;
        return clock;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        if (eventTime && clock == null) {
            // In a test without a backend of its own, where flags expire by another clock.
            TtlTimeProvider unused = clock();
        }
        if (clock != null) {
            clock.restore(groups());
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        if (clock != null) {
            groups().forAll(group -> group.set(clock.reached(), clock.elsewhere()));
        }
        super.snapshotState(context);
    }

    @Override
    public void open() throws Exception {
        super.open();
        seen = getPartitionedState(descriptor());
        MetricGroup group = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = group.counter(DeduplicateMetrics.RECORDS);
        duplicates = group.counter(DeduplicateMetrics.DUPLICATES);
        nullIds.open(describe(), group, DeduplicateMetrics.NULL_IDS, output);
        elsewhere = new SeenElsewhere(getMetricGroup(), DeduplicateMetrics.ALSO_SEEN);
        if (clock != null) {
            clock.open(group);
            callEvery(
                    SeenIds.timerMillis(settings.windowMillis()),
                    unused -> clock.check(records.getCount()));
        }
        if (conflicts != null) {
            conflicts.open(group);
            content = getPartitionedState(contentDescriptor());
        } else if (groups().wasRestoredFrom(plainLayout() + WITH_CONTENT)) {
            getKeyedStateBackend()
                    .applyToAllKeys(
                            VoidNamespace.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE,
                            contentDescriptor(),
                            (id, left) -> left.clear());
        }
        marks = marks();
        if (marks != null && conflicts == null) {
            absent = new boolean[batching.records()];
            batches = RecordBatches.of(this, batching, this::decide);
        }
    }

    @SuppressWarnings("unchecked") // the keys are those of this operator
    private BatchMembershipState<Object> marks() {
        return (BatchMembershipState<Object>)
                BatchMembershipState.find(getKeyedStateBackend(), descriptor().getName());
    }

    private ValueStateDescriptor<Boolean> descriptor() {
        return withTimeToLive(
                new ValueStateDescriptor<>(
                        timeToLive == null ? FOREVER : WITH_TIME_TO_LIVE,
                        BooleanSerializer.INSTANCE),
                timeToLive);
    }

    /** Flink's state knows one time, the greatest, and would forget a content before its flag. */
    private ValueStateDescriptor<Long> contentDescriptor() {
        return withTimeToLive(
                new ValueStateDescriptor<>(CONTENT, LongSerializer.INSTANCE),
                eventTime
                        ? timeToLive.multipliedBy(6).plusMillis(2 * settings.maxFutureMillis())
                        : timeToLive);
    }

    private <V> ValueStateDescriptor<V> withTimeToLive(
            ValueStateDescriptor<V> descriptor, @Nullable Duration time) {
        if (time == null) {
            return descriptor;
        }
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(time)
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
            // It must not overtake the records that wait.
            beforeControl();
            if (nullIds.pass(record)) {
                output.collect(record);
            }
            return;
        }
        Object key = hasher.key(id);
        int keyGroup = keyGroupOf(key.hashCode());
        if (clock != null && clock.take(record, groups().peek(keyGroup)) && !onLate.forwards()) {
            // It must not overtake the records that wait.
            beforeControl();
            setCurrentKey(key);
            if (seen.value() == null) {
                clock.countLate();
                boolean unused = LateRecords.pass(onLate, record, output);
                return;
            }
        }
        if (batches != null) {
            batches.add(record, marks.hash(key), keyGroup);
            return;
        }
        setCurrentKey(key);
        // The flag first: it is never younger than the content, so the content lives as long.
        if (seen.value() == null) {
            seen.update(true);
            if (conflicts != null) {
                content.update(conflicts.contentOf(record.getValue()));
            }
            pass(record, groups().peek(keyGroup));
        } else {
            if (conflicts != null) {
                conflicts.handle(compared(record.getValue()), record, output);
            }
            handleDuplicate(record);
        }
    }

    private void decide(RecordBatch<T> batch) throws Exception {
        marks.markAll(batch.keyGroups(), batch.hashes(), batch.size(), absent);
        for (int i = 0; i < batch.size(); i++) {
            if (absent[i]) {
                pass(batch.record(i), groups().peek(batch.keyGroup(i)));
            } else {
                handleDuplicate(batch.record(i));
            }
        }
    }

    private void pass(StreamRecord<T> record, @Nullable ReachedWatermark group) {
        if (clock != null) {
            clock.countPassed(record, group);
        }
        output.collect(record);
    }

    private void handleDuplicate(StreamRecord<T> record) throws Exception {
        duplicates.inc();
        Duplicates.handle(onDuplicate, record, output);
    }

    @Override
    protected void beforeControl() throws Exception {
        if (batches != null) {
            batches.flush();
        }
    }

    @Override
    protected void advance(Watermark mark) throws Exception {
        if (clock != null) {
            clock.onWatermark(mark.getTimestamp());
            if (marks != null) {
                marks.advance();
            }
        }
        super.advance(mark);
    }

    @Override
    public void processElement2(StreamRecord<K> record) throws Exception {
        // The records that wait came before it.
        beforeControl();
        K id = record.getValue();
        if (id == null) {
            nullIds.count();
            return;
        }
        Object key = hasher.key(id);
        if (clock != null
                && clock.takeElsewhere(record, groups().peek(keyGroupOf(key.hashCode())))) {
            clock.countLate();
            return;
        }
        setCurrentKey(key);
        if (seen.value() != null) {
            elsewhere.count(Verdict.DUPLICATE);
            return;
        }
        seen.update(true);
        if (content != null) {
            // That of a record whose flag has just expired.
            content.clear();
        }
        elsewhere.count(Verdict.FIRST);
    }

    private Verdict compared(T record) throws Exception {
        Long passed = content.value();
        if (passed == null) {
            return Verdict.UNCOMPARED;
        }
        return passed == conflicts.contentOf(record) ? Verdict.DUPLICATE : Verdict.CONFLICT;
    }
}
