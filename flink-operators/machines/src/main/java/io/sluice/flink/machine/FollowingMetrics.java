/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.filter.MeasuredError;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.runtime.EventTimeWatch;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.annotation.Internal;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

/**
 * The metrics that every operator with a store has, in the group {@value #GROUP} of the operator's
 * metric group. Counters begin at 0 when the subtask starts.
 */
@Experimental
public class FollowingMetrics {

    public static final String GROUP = "sluice";

    /** Records that are not events. */
    public static final String SKIPPED = "skipped";

    /** Events behind the watermark. */
    public static final String LATE = "late";

    /** Events too far ahead of the watermark. */
    public static final String FUTURE = "future";

    /** How often a store needed more memory than was available. */
    public static final String FULL = "full";

    /** What was dropped for lack of room, as if it had timed out. */
    public static final String EVICTED = "evicted";

    /** How long the watermark has stood still in spite of records, in ms; else 0. */
    public static final String WATERMARK_STALLED = "watermarkStalledMillis";

    /** How far the watermark is ahead of the wall clock, in ms; 0 if it is not too far. */
    public static final String WATERMARK_AHEAD = "watermarkAheadMillis";

    /**
     * Share of events that an approximate store answers with a wrong state, or not at all, at most,
     * by what it holds.
     */
    public static final String PREDICTED_ERROR = "predictedError";

    /** The same as an exact sample of the keys measures it; NaN while nothing was watched. */
    public static final String MEASURED_ERROR = "measuredError";

    /** Lower end of its interval of 95 %. */
    public static final String MEASURED_ERROR_LOWER = "measuredErrorLower";

    /** Upper end of its interval of 95 %. */
    public static final String MEASURED_ERROR_UPPER = "measuredErrorUpper";

    /** Events of the sample, since the subtask started. */
    public static final String WATCHED_EVENTS = "watchedEvents";

    /** Events of the sample that were answered with a wrong state, or not at all. */
    public static final String WATCHED_WRONG = "watchedWrong";

    private final MetricGroup group;
    private final Counter skipped = new SimpleCounter();
    private final Counter late = new SimpleCounter();
    private final Counter future = new SimpleCounter();
    private volatile long stalledMillis;
    private volatile long aheadMillis;
    private volatile double predictedError;
    private volatile MeasuredError measuredError = MeasuredError.NONE;
    private volatile long sampleBytes;

    @Internal
    protected FollowingMetrics(MetricGroup operator, StoreMemory memory) {
        group = operator.addGroup(GROUP);
        group.counter(SKIPPED, skipped);
        group.counter(LATE, late);
        group.counter(FUTURE, future);
        group.gauge(FULL, (Gauge<Long>) memory::refusals);
        group.gauge(EVICTED, (Gauge<Long>) memory::evicted);
        group.gauge(WATERMARK_STALLED, (Gauge<Long>) () -> stalledMillis);
        group.gauge(WATERMARK_AHEAD, (Gauge<Long>) () -> aheadMillis);
    }

    /** Returns the group of these metrics. */
    @Internal
    protected final MetricGroup group() {
        return group;
    }

    /** Adds the metrics of the error of an approximate store. */
    final void showError() {
        group.gauge(PREDICTED_ERROR, (Gauge<Double>) () -> predictedError);
        group.gauge(MEASURED_ERROR, (Gauge<Double>) () -> measuredError.rate());
        group.gauge(
                MEASURED_ERROR_LOWER,
                (Gauge<Double>) () -> measuredError.lower(MeasuredError.Z_95));
        group.gauge(
                MEASURED_ERROR_UPPER,
                (Gauge<Double>) () -> measuredError.upper(MeasuredError.Z_95));
        group.gauge(WATCHED_EVENTS, (Gauge<Long>) () -> measuredError.firsts());
        group.gauge(WATCHED_WRONG, (Gauge<Long>) () -> measuredError.dropped());
    }

    /** Shows the error of what is held, and the one that the sample has measured. */
    final void errorIs(double predicted, MachineShadow sample) {
        predictedError = predicted;
        measuredError = sample.error();
        sampleBytes = sample.sizeInBytes();
    }

    /** Returns the bytes of the exact sample. */
    @Internal
    protected final long sampleBytes() {
        return sampleBytes;
    }

    /** Counts a record that is not an event. */
    @Internal
    public final void countSkipped() {
        skipped.inc();
    }

    /** Counts an event behind the watermark. */
    @Internal
    public final void countLate() {
        late.inc();
    }

    /** Counts an event too far ahead of the watermark. */
    @Internal
    public final void countFuture() {
        future.inc();
    }

    /** Shows what the watch has found. */
    @Internal
    public final void eventTimeIs(EventTimeWatch watch) {
        stalledMillis = watch.stalledMillis();
        aheadMillis = watch.aheadMillis();
    }
}
