/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.MeasuredError;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.EventTimeWatch;
import io.sluice.flink.runtime.KeyGroupedState;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

/**
 * The metrics of one subtask, in the group {@value #GROUP} of the operator's metric group; the
 * package description lists them. Counters start with the subtask, like Flink's own. Gauges show
 * what the task's thread last found ({@link #refresh}): reporters read them from other threads, and
 * filters are not thread-safe.
 */
@PublicEvolving
public final class DeduplicateMetrics {

    public static final String GROUP = "sluice";
    public static final String RECORDS = "records";
    public static final String DUPLICATES = "duplicates";
    public static final String CONFLICTS = "conflicts";
    public static final String UNCOMPARED = "uncompared";
    public static final String LATE = "late";
    public static final String FUTURE = "future";
    public static final String UNDECIDED = "undecided";
    public static final String NULL_IDS = "nullIds";
    public static final String NULL_COUNTERS = "nullCounters";
    public static final String RESCUED = "rescued";
    public static final String ALSO_SEEN = "alsoSeen";
    public static final String CORRECTED = "corrected";
    public static final String ALREADY_SEEN = "alreadySeen";
    public static final String OVERFLOWS = "overflows";
    public static final String COVERED_MILLIS = "coveredMillis";
    public static final String WANTED_BYTES = "wantedBytes";
    public static final String GENERATIONS = "generations";
    public static final String IDS_HELD = "idsHeld";
    public static final String BYTES = "bytes";
    public static final String PREDICTED_FPP = "predictedFpp";
    public static final String MEASURED_FPP = "measuredFpp";
    public static final String MEASURED_FPP_LOWER = "measuredFppLower";
    public static final String MEASURED_FPP_UPPER = "measuredFppUpper";
    public static final String SNAPSHOT_MILLIS = "snapshotMillis";
    public static final String CHECKPOINT_COPIED_BYTES = "checkpointCopiedBytes";
    public static final String WATERMARK_STALLED_MILLIS = "watermarkStalledMillis";
    public static final String WATERMARK_AHEAD_MILLIS = "watermarkAheadMillis";
    public static final String WALL_CLOCK_AHEAD_MILLIS = "wallClockAheadMillis";
    public static final String WATCHED_FIRSTS = "watchedFirsts";
    public static final String WATCHED_DROPPED = "watchedDropped";
    public static final String WATCHED_MISSED = "watchedMissed";

    /** What was asked for, to compare the others with: constant while the job runs. */
    public static final String REQUESTED_FPP = "requestedFpp";

    public static final String WINDOW_MILLIS = "windowMillis";
    public static final String MEMORY_BYTES = "memoryBytes";

    /** What the gauges show; immutable, so that a reporter sees values of one moment. */
    private record Values(
            long overflows,
            long coveredMillis,
            long wantedBytes,
            long mostWanted,
            int generations,
            long idsHeld,
            long bytes,
            double predictedFpp,
            MeasuredError error,
            long missed,
            long copiedBytes) {}

    private final Counter records = new SimpleCounter();
    private final Counter duplicates = new SimpleCounter();
    private final Counter late = new SimpleCounter();
    private final Counter future = new SimpleCounter();
    private final Counter undecided = new SimpleCounter();
    private final Counter rescued = new SimpleCounter();
    private volatile double snapshotMillis = Double.NaN;
    private volatile long watermarkStalledMillis;
    private volatile long watermarkAheadMillis;
    private volatile long wallClockAheadMillis;
    private volatile Values values = new Values(0, 0, 0, 0, 0, 0, 0, 0, MeasuredError.NONE, 0, 0);

    DeduplicateMetrics(MetricGroup operator) {
        MetricGroup group = operator.addGroup(GROUP);
        group.counter(RECORDS, records);
        group.counter(DUPLICATES, duplicates);
        group.counter(LATE, late);
        group.counter(FUTURE, future);
        group.counter(UNDECIDED, undecided);
        group.counter(RESCUED, rescued);
        group.gauge(OVERFLOWS, (Gauge<Long>) () -> values.overflows());
        group.gauge(COVERED_MILLIS, (Gauge<Long>) () -> values.coveredMillis());
        group.gauge(WANTED_BYTES, (Gauge<Long>) () -> values.wantedBytes());
        group.gauge(GENERATIONS, (Gauge<Integer>) () -> values.generations());
        group.gauge(IDS_HELD, (Gauge<Long>) () -> values.idsHeld());
        group.gauge(BYTES, (Gauge<Long>) () -> values.bytes());
        group.gauge(PREDICTED_FPP, (Gauge<Double>) () -> values.predictedFpp());
        group.gauge(MEASURED_FPP, (Gauge<Double>) () -> values.error().rate());
        group.gauge(
                MEASURED_FPP_LOWER, (Gauge<Double>) () -> values.error().lower(MeasuredError.Z_95));
        group.gauge(
                MEASURED_FPP_UPPER, (Gauge<Double>) () -> values.error().upper(MeasuredError.Z_95));
        group.gauge(SNAPSHOT_MILLIS, (Gauge<Double>) () -> snapshotMillis);
        group.gauge(CHECKPOINT_COPIED_BYTES, (Gauge<Long>) () -> values.copiedBytes());
        group.gauge(WATERMARK_STALLED_MILLIS, (Gauge<Long>) () -> watermarkStalledMillis);
        group.gauge(WATERMARK_AHEAD_MILLIS, (Gauge<Long>) () -> watermarkAheadMillis);
        group.gauge(WALL_CLOCK_AHEAD_MILLIS, (Gauge<Long>) () -> wallClockAheadMillis);
        group.gauge(WATCHED_FIRSTS, (Gauge<Long>) () -> values.error().firsts());
        group.gauge(WATCHED_DROPPED, (Gauge<Long>) () -> values.error().dropped());
        group.gauge(WATCHED_MISSED, (Gauge<Long>) () -> values.missed());
    }

    /** Shows what the user asked for in the same group. */
    static void showRequest(MetricGroup operator, WindowSettings settings) {
        MetricGroup group = operator.addGroup(GROUP);
        double requested = settings.fpp();
        long window = settings.windowMillis();
        long memory = settings.memory().getBytes();
        group.gauge(REQUESTED_FPP, (Gauge<Double>) () -> requested);
        group.gauge(WINDOW_MILLIS, (Gauge<Long>) () -> window);
        group.gauge(MEMORY_BYTES, (Gauge<Long>) () -> memory);
    }

    /** A record came. */
    public void countRecord() {
        records.inc();
    }

    long records() {
        return records.getCount();
    }

    /** A record was reported as seen. */
    public void countDuplicate() {
        duplicates.inc();
    }

    void countLate() {
        late.inc();
    }

    /** A record's timestamp was too far in the future. */
    void countFuture() {
        future.inc();
    }

    /**
     * A record behind the watermark passed, although ids that it may be a duplicate of had left the
     * window.
     */
    void countUndecided() {
        undecided.inc();
    }

    /** The filter took a first occurrence for a duplicate, but the exact state did not. */
    void countRescued() {
        rescued.inc();
    }

    /** Sets how long the task could not process records while its filters were pinned. */
    void snapshotTook(long nanos) {
        snapshotMillis = nanos / 1e6;
    }

    /** Sets what was last found about event time. */
    void eventTimeIs(EventTimeWatch watch) {
        watermarkStalledMillis = watch.stalledMillis();
        watermarkAheadMillis = watch.aheadMillis();
    }

    /** Sets by how much the wall clock has run away, and is not believed. */
    void wallClockIsAheadBy(long millis) {
        wallClockAheadMillis = millis;
    }

    /** As last refreshed; so are the following values. */
    long overflows() {
        return values.overflows();
    }

    long coveredMillis() {
        return values.coveredMillis();
    }

    long wantedBytes() {
        return values.wantedBytes();
    }

    /** Returns the share of {@link #wantedBytes} that is wanted for one key group, the largest. */
    double largestShare() {
        return values.wantedBytes() == 0 ? 0 : (double) values.mostWanted() / values.wantedBytes();
    }

    /** Reads all filters. Only the task's thread may call it. O(key groups). */
    void refresh(KeyGroupedState<Deduplicator> groups, long windowMillis) {
        Sum sum = new Sum(windowMillis);
        groups.forEach(sum::add);
        values = sum.values(groups.pinnedBytes());
    }

    /** The error is the mean over the key groups: new ids come to all of them alike. */
    private static final class Sum {
        private long overflows;
        private long coveredMillis;
        private long wantedBytes;
        private long mostWanted;
        private int generations;
        private long idsHeld;
        private long bytes;
        private int groups;
        private double sumOfFpp;
        private MeasuredError error = MeasuredError.NONE;
        private long missed;

        Sum(long windowMillis) {
            coveredMillis = windowMillis;
        }

        void add(Deduplicator group) {
            overflows += group.overflows();
            coveredMillis = Math.min(coveredMillis, group.coveredMillis());
            wantedBytes += group.wantedBytes();
            mostWanted = Math.max(mostWanted, group.wantedBytes());
            generations = Math.max(generations, group.generations());
            idsHeld += group.idsHeld();
            bytes += group.sizeInBytes();
            groups++;
            sumOfFpp += group.predictedFpp();
            error = error.plus(group.measuredError());
            missed += group.missedDuplicates();
        }

        Values values(long copiedBytes) {
            double fpp = groups == 0 ? 0 : sumOfFpp / groups;
            return new Values(
                    overflows,
                    coveredMillis,
                    wantedBytes,
                    mostWanted,
                    generations,
                    idsHeld,
                    bytes,
                    fpp,
                    error,
                    missed,
                    copiedBytes);
        }
    }
}
