/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import io.sluice.kafka.ForwardingContext;
import io.sluice.kafka.pace.PartitionPace.Others;
import io.sluice.kafka.pace.PartitionPace.Report;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;

/**
 * Tells subtasks of a source how far the others are, so that their {@link PartitionPace} holds what
 * is too far ahead. A subtask that has not said yet how far it is, or that has been assigned
 * partitions of which it does not know yet, holds all others back. Only those are told that wait
 * for others, or that others wait for: Flink fails a job when an event does not reach its task, so
 * one that has just failed or ended would be blamed for that. Assigning splits is left to the
 * enumerator of the source.
 */
final class PaceEnumerator<S extends SourceSplit, C> implements SplitEnumerator<S, C> {

    /** Makes the enumerator of the source. */
    @FunctionalInterface
    interface Factory<S extends SourceSplit, C> {
        SplitEnumerator<S, C> create(SplitEnumeratorContext<S> context) throws Exception;
    }

    /** Least time between two rounds of telling all subtasks, for a few of them. */
    private static final long PAUSE_NANOS = 1_000_000L;

    private static final int SUBTASKS_TO_PAUSE = 8;

    /** What was not told at once is told after this long. */
    private static final long TICK_MILLIS = 20;

    private final SplitEnumeratorContext<S> context;
    private final SplitEnumerator<S, C> base;
    private final long driftMillis;

    /** What each subtask said last; null if it has said nothing since it started. */
    private final Report[] reports;

    /** What each subtask was told last; null if nothing. */
    private final Others[] told;

    private final int[] assigned;
    private final LongSupplier nanos;
    private final long pauseNanos;
    private long toldAt;
    private boolean isDue;

    private PaceEnumerator(
            SplitEnumeratorContext<S> context,
            Factory<S, C> factory,
            long driftMillis,
            LongSupplier nanos)
            throws Exception {
        this.context = context;
        this.driftMillis = driftMillis;
        this.nanos = nanos;
        int subtasks = context.currentParallelism();
        this.reports = new Report[subtasks];
        this.told = new Others[subtasks];
        this.assigned = new int[subtasks];
        this.pauseNanos = PAUSE_NANOS * Math.max(1, subtasks / SUBTASKS_TO_PAUSE);
        this.toldAt = nanos.getAsLong() - pauseNanos;
        this.base = factory.create(new CountingContext());
    }

    /**
     * Wraps the enumerator of {@code factory}.
     *
     * @param driftMillis as in {@link PartitionPace}
     * @param nanos a clock that only rises
     */
    static <S extends SourceSplit, C> PaceEnumerator<S, C> of(
            SplitEnumeratorContext<S> context,
            Factory<S, C> factory,
            long driftMillis,
            LongSupplier nanos)
            throws Exception {
        return new PaceEnumerator<>(context, factory, driftMillis, nanos);
    }

    @Override
    public void handleSourceEvent(int subtask, SourceEvent event) {
        if (event instanceof Report report) {
            boolean isLike = report.isLike(reports[subtask]);
            reports[subtask] = report;
            isDue = true;
            if (!isLike || nanos.getAsLong() - toldAt >= pauseNanos) {
                tellAll();
            }
        } else {
            base.handleSourceEvent(subtask, event);
        }
    }

    /** It has started anew, and knows nothing yet. */
    @Override
    public void addReader(int subtask) {
        forget(subtask);
        base.addReader(subtask);
    }

    @Override
    public void addSplitsBack(List<S> splits, int subtask) {
        forget(subtask);
        base.addSplitsBack(splits, subtask);
    }

    private void forget(int subtask) {
        reports[subtask] = null;
        told[subtask] = null;
        assigned[subtask] = 0;
    }

    private long earliest(int subtask) {
        Report report = reports[subtask];
        return report == null || report.splits() < assigned[subtask]
                ? PartitionPace.UNKNOWN
                : report.earliest();
    }

    private void tellAll() {
        isDue = false;
        toldAt = nanos.getAsLong();
        LeastBut earliest = new LeastBut();
        LeastBut latest = new LeastBut();
        int waiting = 0;
        for (int i = 0; i < reports.length; i++) {
            earliest.add(i, earliest(i));
            waiting += reports[i] != null && reports[i].waits() ? 1 : 0;
            // The greatest is the least of what is turned round, and so is the least long.
            latest.add(i, ~(reports[i] == null ? PartitionPace.UNKNOWN : reports[i].latest()));
        }
        Map<Integer, ReaderInfo> readers = context.registeredReaders();
        for (int i = 0; i < reports.length; i++) {
            Report report = reports[i];
            if (report == null || !readers.containsKey(i)) {
                continue;
            }
            boolean isWaitedFor =
                    report.earliest() != PartitionPace.NONE && waiting > (report.waits() ? 1 : 0);
            Others before = told[i];
            // It would go on for ever.
            boolean wasFree =
                    before != null
                            && before.earliest() == PartitionPace.NONE
                            && earliest.but(i) != PartitionPace.NONE;
            if (report.waits() || isWaitedFor || wasFree) {
                tell(i, new Others(earliest.but(i), enough(~latest.but(i), report.earliest())));
            }
        }
    }

    /**
     * Cuts {@code latest} to what makes no difference beyond: others wait for a subtask that is so
     * far behind, or that has read nothing yet while they have. So it is not told with each step of
     * theirs.
     */
    private long enough(long latest, long earliest) {
        return earliest == PartitionPace.UNKNOWN
                ? Math.min(latest, 0)
                : Math.min(latest, PartitionPace.plus(earliest, driftMillis));
    }

    private void tell(int subtask, Others news) {
        Others before = told[subtask];
        if (before == null
                || PartitionPace.isNews(news.earliest(), before.earliest(), driftMillis)
                || PartitionPace.isNews(news.latest(), before.latest(), driftMillis)) {
            told[subtask] = news;
            context.sendEventToSourceReader(subtask, news);
        }
    }

    /** The least of some numbers but one, whichever. */
    private static final class LeastBut {
        private int first = -1;
        private long least = Long.MAX_VALUE;
        private long second = Long.MAX_VALUE;

        void add(int index, long number) {
            if (number < least) {
                second = least;
                least = number;
                first = index;
            } else {
                second = Math.min(second, number);
            }
        }

        long but(int index) {
            return index == first ? second : least;
        }
    }

    @Override
    public void start() {
        base.start();
        context.callAsync(() -> true, (tick, failure) -> tellWhatIsDue(), TICK_MILLIS, TICK_MILLIS);
    }

    private void tellWhatIsDue() {
        if (isDue) {
            tellAll();
        }
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        base.handleSplitRequest(subtask, host);
    }

    @Override
    public C snapshotState(long checkpointId) throws Exception {
        return base.snapshotState(checkpointId);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        base.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        base.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void close() throws IOException {
        base.close();
    }

    @Override
    public String toString() {
        return "pace of " + Arrays.toString(reports);
    }

    /** Notes which subtasks are assigned splits. */
    private final class CountingContext extends ForwardingContext<S> {
        CountingContext() {
            super(context);
        }

        @Override
        protected SplitsAssignment<S> assigned(SplitsAssignment<S> assignment) {
            assignment
                    .assignment()
                    .forEach((subtask, splits) -> assigned[subtask] += splits.size());
            return assignment;
        }
    }
}
