/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import io.sluice.kafka.pace.PartitionLags.Partition;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.kafka.common.TopicPartition;

/**
 * Holds those partitions of a subtask back whose records are further ahead than a bound of the
 * partition that is furthest behind, in this subtask or another one. Otherwise one partition of a
 * backlog may be read hours before another, and what those hours bring has to be remembered.
 *
 * <p>A partition that has been read to its end holds no other back, and neither does one that is
 * finished. So none waits for records that may never come, and nothing is held in a job that has
 * caught up. The partition that is furthest behind is never held, so there is always one that goes
 * on.
 *
 * <p>The bound is exceeded by some thousand records: so many do not take much memory, but stopping
 * for each few of them would take most of the time. What was fetched already is emitted, too.
 *
 * <p>Flink's own alignment announces how far sources may go at an interval of the wall clock: what
 * is read before the first announcement is not aligned at all, and afterwards no more than the
 * bound is read in an interval, which for a backlog is far too little. Here a subtask tells when it
 * has got further. Runs on the task's thread.
 */
final class PartitionPace {
    /** The earliest time where nothing is left to wait for. */
    static final long NONE = Long.MAX_VALUE;

    /** The earliest or latest time where a record has yet to come. */
    static final long UNKNOWN = Long.MIN_VALUE;

    /** Parts of the bound after which a partition looks around. */
    private static final int LOOKS = 8;

    /** Parts of the bound after which others are told. */
    private static final int TELLS = 4;

    /**
     * Least time between two reports, unless one is urgent: with a bound of seconds, a backlog goes
     * through it with every few records.
     */
    private static final long TELL_NANOS = 10_000_000L;

    /**
     * What a subtask tells.
     *
     * @param splits that it was assigned since it started
     * @param waits whether it needs to know how far the others are, to go on
     * @param earliest time of its partitions that are not read to their ends
     * @param latest time of its partitions
     */
    record Report(int splits, boolean waits, long earliest, long latest) implements SourceEvent {
        private static final long serialVersionUID = 1L;

        /** Returns whether this says what {@code before} did, but for how far partitions are. */
        boolean isLike(@Nullable Report before) {
            return before != null
                    && splits == before.splits
                    && waits == before.waits
                    && areAlike(earliest, before.earliest)
                    && areAlike(latest, before.latest);
        }

        private static boolean areAlike(long one, long other) {
            return one == other || (!isNoTime(one) && !isNoTime(other));
        }
    }

    /**
     * What a subtask is told.
     *
     * @param earliest of all other subtasks
     * @param latest of them, as far as this one has to know
     */
    record Others(long earliest, long latest) implements SourceEvent {
        private static final long serialVersionUID = 1L;

        /** What a subtask knows that is the only one. */
        static final Others NOBODY = new Others(NONE, UNKNOWN);
    }

    private final long driftMillis;
    private final long slack;
    private final @Nullable Consumer<Report> tell;
    private final Consumer<Set<TopicPartition>> hold;
    private final LongSupplier nanos;

    private int splits;
    private Others others;
    private @Nullable Report told;
    private long toldAt;
    private Set<TopicPartition> held = Set.of();
    private long limit = UNKNOWN;
    private long latest = UNKNOWN;

    /**
     * @param driftMillis how far ahead a partition may be; at least 1
     * @param slack how many records a partition may be read beyond that
     * @param tell tells the other subtasks; null if there is none
     * @param hold takes all partitions that are not to be read for now, whenever they change
     * @param nanos a clock that only rises
     */
    PartitionPace(
            long driftMillis,
            long slack,
            @Nullable Consumer<Report> tell,
            Consumer<Set<TopicPartition>> hold,
            LongSupplier nanos) {
        this.driftMillis = driftMillis;
        this.slack = slack;
        this.tell = tell;
        this.hold = hold;
        this.nanos = nanos;
        this.others = tell == null ? Others.NOBODY : new Others(UNKNOWN, UNKNOWN);
    }

    /** Notes that this subtask was assigned more partitions. */
    void assigned(int more) {
        splits += more;
    }

    /** Notes how far the others are. */
    void told(Others news) {
        others = news;
    }

    /** Returns whether a partition that is held may go on, now that its last time is this. */
    boolean mayGoOn(long time) {
        return time <= limit;
    }

    /**
     * Returns whether others may have to wait for {@code partition}, so that it is worth to know
     * whether it has been read to its end.
     */
    boolean mayHoldOthers(Partition partition) {
        long furthest = Math.max(latest, others.latest());
        return furthest != UNKNOWN
                && (partition.time() == UNKNOWN
                        || plus(partition.time(), driftMillis / 2) < furthest);
    }

    /** Decides anew which partitions are held, and tells the others if there is news for them. */
    void settle(Collection<Partition> partitions) {
        long earliest = NONE;
        latest = UNKNOWN;
        for (Partition partition : partitions) {
            latest = Math.max(latest, partition.time());
            if (!partition.isReadToItsEnd()) {
                earliest = Math.min(earliest, partition.time());
            }
        }
        limit = plus(Math.min(earliest, others.earliest()), driftMillis);
        Set<TopicPartition> now = null;
        int count = 0;
        boolean waits = false;
        for (Partition partition : partitions) {
            long time = partition.time();
            boolean isAhead = time > limit;
            long records = partition.recordsAhead(isAhead);
            boolean isHeld = isAhead && records >= slack;
            waits |= isAhead && records >= slack / 2;
            long look = plus(time, Math.max(1, driftMillis / LOOKS));
            if (!isAhead) {
                look = limit == NONE ? look : Math.min(look, limit + 1);
            } else if (!isHeld) {
                look = UNKNOWN;
            }
            partition.hold(isHeld, look);
            if (isHeld) {
                count++;
                // It has more, whatever the broker said before; and it has to hear when to go on.
                earliest = Math.min(earliest, time);
                if (!held.contains(partition.name())) {
                    now = now == null ? new HashSet<>() : now;
                }
            }
        }
        boolean changed = now != null || count != held.size();
        if (changed) {
            now = new HashSet<>();
            for (Partition partition : partitions) {
                if (partition.isHeld()) {
                    now.add(partition.name());
                }
            }
            held = Set.copyOf(now);
            hold.accept(held);
        }
        if (tell != null) {
            report(tell, new Report(splits, waits, earliest, latest), changed);
        }
    }

    /** Tells the news, if there is some. Later, if it is not urgent: each call is an occasion. */
    private void report(Consumer<Report> to, Report news, boolean urgent) {
        boolean isLike = news.isLike(told);
        if (isLike
                && !isNews(news.earliest(), told.earliest(), driftMillis)
                && !isNews(news.latest(), told.latest(), driftMillis)) {
            return;
        }
        long now = nanos.getAsLong();
        if (isLike && !urgent && now - toldAt < TELL_NANOS) {
            return;
        }
        told = news;
        toldAt = now;
        to.accept(news);
    }

    /** Returns whether a time differs enough from the one that was told to tell it. */
    static boolean isNews(long time, long told, long driftMillis) {
        if (time == told) {
            return false;
        }
        return isNoTime(time)
                || isNoTime(told)
                || Math.abs(time - told) >= Math.max(1, driftMillis / TELLS);
    }

    private static boolean isNoTime(long time) {
        return time == NONE || time == UNKNOWN;
    }

    /** Adds to a time. {@link #NONE} and {@link #UNKNOWN} stay as they are. */
    static long plus(long time, long millis) {
        return isNoTime(time) ? time : time > NONE - 1 - millis ? NONE - 1 : time + millis;
    }
}
