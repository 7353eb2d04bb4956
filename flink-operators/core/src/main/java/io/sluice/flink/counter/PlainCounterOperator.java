/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.TimeDomain;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.runtime.EventTime;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.NoStructure;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.StateIdentity;
import java.io.IOException;
import java.util.Set;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Applies every operation to its counter, retries too. Its raw keyed state holds only the layout,
 * so that a restore into counters with a filter is noticed.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 */
final class PlainCounterOperator<T, K> extends KeyGroupedOperator<T, CounterValue<K>, NoStructure> {

    private static final String ENGINE = "counters without filter";

    private final Counting<T, K> counting;
    private final TimeDomain timeDomain;
    private final NullIds<T> nullCounters;

    private transient String description;
    private transient CounterStore<K> store;
    private transient ExpiringCounters expiring;
    private transient Counter records;

    PlainCounterOperator(Counting<T, K> counting, TimeDomain timeDomain) {
        this.counting = requireNonNull(counting, "counting");
        this.timeDomain = requireNonNull(timeDomain, "timeDomain");
        this.nullCounters = counting.nullCounters();
    }

    @Override
    protected String layout() {
        return "engine=" + ENGINE + ", timeDomain=" + timeDomain;
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(layout());
    }

    @Override
    protected StateIdentity identity() throws IOException {
        return IdsIdentity.ofExact(getUserCodeClassloader(), counting.hasher());
    }

    @Override
    protected KeyGroupedState.Handler<NoStructure> createHandler() {
        return NoStructure.handler();
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        expiring =
                new ExpiringCounters(
                        counting.expiry(),
                        context,
                        getProcessingTimeService(),
                        steadyWallClock(counting.expiry().settings().forgetDuringDowntime()));
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        expiring.snapshot();
        super.snapshotState(context);
    }

    @Override
    protected boolean usesKeyedTimers() {
        return counting.expiry().isOn();
    }

    @Override
    public void open() throws Exception {
        super.open();
        description = describe();
        MetricGroup metrics = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = metrics.counter(DeduplicateMetrics.RECORDS);
        if (expiring.isOn()) {
            metrics.gauge(
                    DeduplicateMetrics.WALL_CLOCK_AHEAD_MILLIS,
                    (Gauge<Long>) expiring::wallClockAheadMillis);
        }
        nullCounters.open(description, metrics, DeduplicateMetrics.NULL_COUNTERS, output);
        ValueState<CounterTotal> totals = getPartitionedState(CounterStore.totals());
        store =
                new CounterStore<>(
                        this,
                        totals,
                        counting.serializer(),
                        counting.hasher(),
                        counting.emitsEveryUpdate(),
                        output,
                        expiring);
        expiring.open(this, totals, getMetricGroup(), store::waits);
        if (!counting.emitsEveryUpdate()) {
            callEvery(counting.emitMillis(), now -> store.flush());
        }
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        records.inc();
        T operation = record.getValue();
        K counter = counting.selector().getKey(operation);
        if (counter == null) {
            boolean unused = nullCounters.pass(record);
            return;
        }
        store.apply(counter, counting.delta().of(operation), 0, timestampOf(record));
    }

    private long timestampOf(StreamRecord<T> record) {
        return timeDomain == TimeDomain.EVENT
                ? EventTime.of(record, description)
                : getProcessingTimeService().getCurrentProcessingTime();
    }

    @Override
    protected void advance(Watermark mark) throws Exception {
        store.beforeWatermark(mark.getTimestamp());
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            // The input has ended, but no time has passed: timers would forget what a restore
            // needs.
            output.emitWatermark(mark);
            return;
        }
        expiring.onWatermark(mark.getTimestamp());
        super.advance(mark);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        store.flush();
    }

    @Override
    public void finish() throws Exception {
        store.flush();
        super.finish();
    }
}
