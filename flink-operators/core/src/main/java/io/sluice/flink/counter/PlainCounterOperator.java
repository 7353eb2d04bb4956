/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.TimeDomain;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.runtime.EventTime;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.NoStructure;
import io.sluice.flink.runtime.StateIdentity;
import java.io.IOException;
import java.util.Set;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Applies every operation to its counter, retries too. Its raw keyed state holds only the layout,
 * so that a restore into counters with a filter is noticed.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 */
class PlainCounterOperator<T, K> extends CountingOperator<T, K, NoStructure, CounterValue<K>> {

    static final String ENGINE = "counters without filter";

    private final String engine;
    private final TimeDomain timeDomain;

    private transient String description;
    private transient Counter records;

    PlainCounterOperator(Counting<T, K> counting, TimeDomain timeDomain) {
        this(ENGINE, counting, timeDomain);
    }

    PlainCounterOperator(String engine, Counting<T, K> counting, TimeDomain timeDomain) {
        super(counting, CounterStore.emission());
        this.engine = requireNonNull(engine, "engine");
        this.timeDomain = requireNonNull(timeDomain, "timeDomain");
    }

    @Override
    protected String layout() {
        return "engine=" + engine + ", timeDomain=" + timeDomain;
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(layout());
    }

    @Override
    protected StateIdentity identity() throws IOException {
        return IdsIdentity.ofExact(getUserCodeClassloader(), counting().hasher());
    }

    @Override
    protected KeyGroupedState.Handler<NoStructure> createHandler() {
        return NoStructure.handler();
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        startCounting(
                context, steadyWallClock(counting().expiry().settings().forgetDuringDowntime()));
    }

    @Override
    public void open() throws Exception {
        super.open();
        description = describe();
        MetricGroup metrics = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = metrics.counter(metricOfRecords());
        if (counting().expiry().isOn()) {
            metrics.gauge(
                    DeduplicateMetrics.WALL_CLOCK_AHEAD_MILLIS,
                    (Gauge<Long>) this::wallClockAheadMillis);
        }
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        records.inc();
        K counter = counting().selector().getKey(record.getValue());
        if (counter == null) {
            withoutCounter(record);
            return;
        }
        count(counter, record);
        counting().acknowledge(record, output);
    }

    /** Returns the name of the metric that counts records. */
    String metricOfRecords() {
        return DeduplicateMetrics.RECORDS;
    }

    /** Counts what {@code counter} has of a record. */
    void count(K counter, StreamRecord<T> record) throws Exception {
        add(counter, counting().delta().of(record.getValue()), 0, timestampOf(record));
    }

    private long timestampOf(StreamRecord<T> record) {
        return timeDomain == TimeDomain.EVENT
                ? EventTime.of(record, description)
                : getProcessingTimeService().getCurrentProcessingTime();
    }
}
