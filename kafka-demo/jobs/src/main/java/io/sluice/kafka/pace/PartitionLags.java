/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import io.sluice.filter.forgetful.ArrivalClock;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a subtask of a source knows about its partitions: how far each is read, and whether there
 * was more when it fell silent. A consumer hands out megabytes of one partition before it turns to
 * the next, so silence alone does not distinguish an exhausted partition from a waiting one.
 *
 * <p>Source, schema and watermarks of one source share one object, even after they were sent to the
 * subtask, since they are parts of one operator. Everything runs on the task's thread, except the
 * answers of the broker.
 */
public final class PartitionLags implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(PartitionLags.class);

    /** Time between two questions about one partition. */
    private static final long ASK_NANOS = 250_000_000L;

    /** After this long, a partition that has more but is not read is asked about again. */
    private static final long DOUBT_NANOS = 30_000_000_000L;

    /** Time between two questions about a partition that others wait for and that is being read. */
    private static final long PACE_NANOS = 2_000_000_000L;

    private static final long PACE_TICK_NANOS = 100_000_000L;

    /**
     * Others wait so long for a partition from which nothing comes and of which the broker does not
     * say whether there is more: its topic was deleted, or it has no leader.
     */
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    /** Beyond where it ended when the broker was last asked: it may have a backlog again. */
    private static final long RECORDS_TO_ASK = 8_000;

    /** The pace is decided anew after so many records at most, and at least at each tick. */
    private static final int RECORDS_TO_SETTLE = 32;

    /** Whether what was there has been read. */
    enum Backlog {
        UNKNOWN,
        SOME,
        NONE
    }

    /**
     * Asks whether there are records in {@code [from, upTo)}; {@code from} may be {@link
     * #BEGINNING}.
     */
    public record Question(TopicPartition partition, long from, long upTo, long epoch) {}

    /**
     * Everything that was there is before {@code mark}; if there was nothing, {@code mark} equals
     * {@code from}.
     */
    public record LagAnswer(Question question, long mark) {}

    /**
     * As {@link Question#from}: the first record that the partition still has, {@code
     * EARLIEST_OFFSET} of Flink's splits.
     */
    static final long BEGINNING = -2;

    /** As {@link Question#upTo}: everything that is there. */
    static final long END = Long.MAX_VALUE;

    /** Asks the broker. Used by one thread at a time, which may block. */
    public interface Probe {
        /** Answers; questions that cannot be answered now are left out. */
        List<LagAnswer> ask(List<Question> questions) throws Exception;
    }

    /** A partition of this subtask. */
    static final class Partition {
        private final TopicPartition name;
        private boolean claimed;
        private long next;

        /** Counts when it was not silent; earlier answers are then void. */
        private long epoch;

        private boolean hasMark;
        private long mark;
        private long askedAt;
        private long askedNext;
        private boolean asked;
        private boolean wanted;

        /**
         * The time of its last records, whatever a few of them say; {@link PartitionPace#UNKNOWN}
         * if none had one.
         */
        private long time = PartitionPace.UNKNOWN;

        private @Nullable ArrivalClock clock;

        /** At this time the pace looks around. */
        private long look = Long.MIN_VALUE;

        private boolean held;

        /** What was to be read when it was not ahead of the others last. */
        private long aheadFrom;

        /** Where it ended when the broker was last asked. */
        private long end;

        private boolean hasEnd;
        private long nextAtTick;
        private boolean paceAsked;
        private long paceAskedAt;

        /** Whether since {@link #openSince} neither a record came nor an answer. */
        private boolean open;

        private long openSince;
        private boolean givenUp;

        Partition(TopicPartition name, long next) {
            this.name = name;
            this.next = next;
            this.aheadFrom = next;
        }

        TopicPartition name() {
            return name;
        }

        long time() {
            return time;
        }

        /** A record has this time. */
        void reach(long newTime) {
            if (clock == null) {
                clock = new ArrivalClock();
                clock.startAt(newTime);
            }
            clock.vote(newTime);
        }

        /** Finds out {@link #time}. */
        void readClock() {
            if (clock != null) {
                time = clock.time();
            }
        }

        /** All that was there was before this offset. */
        void endedAt(long offset) {
            hasEnd = true;
            end = offset;
            isHeardOf();
        }

        /** What is before this offset is not read. */
        void goOnAt(long offset) {
            next = offset;
            aheadFrom = offset;
        }

        /** The record at this offset was read. */
        void read(long offset) {
            if (aheadFrom < 0) {
                // Until now it was only known that it begins somewhere.
                aheadFrom = offset;
            }
            next = offset + 1;
            isHeardOf();
        }

        private void isHeardOf() {
            open = false;
            givenUp = false;
        }

        boolean isHeld() {
            return held;
        }

        /** Returns how many offsets it was read since it was not ahead; 0 if it is not. */
        long recordsAhead(boolean isAhead) {
            if (!isAhead) {
                aheadFrom = next;
            }
            return next - aheadFrom;
        }

        /** Sets whether it is held, and the time at which to look again. */
        void hold(boolean isHeld, long lookAt) {
            held = isHeld;
            look = lookAt;
        }

        /**
         * Returns whether all was read that was there when the broker was last asked, and not much
         * since; or nobody knows and nothing comes.
         */
        boolean isReadToItsEnd() {
            return givenUp || (hasEnd && next >= end && next - end < RECORDS_TO_ASK);
        }

        private boolean isRead() {
            return hasMark && next >= mark;
        }
    }

    private transient @Nullable Map<TopicPartition, Partition> partitions;

    /** Those that are not read for now. */
    private transient Map<TopicPartition, Partition> parked;

    private transient @Nullable Partition current;
    private transient List<Question> wanted;
    private transient ConcurrentLinkedQueue<LagAnswer> answers;
    private transient AtomicBoolean asking;
    private transient Probe probe;
    private transient Executor executor;
    private transient @Nullable PartitionPace pace;
    private transient boolean paceIsDue;
    private transient int unsettled;
    private transient boolean ticked;
    private transient long paceTickAt;

    /**
     * Starts in a subtask.
     *
     * @param newExecutor runs the probe, one question at a time
     */
    public void open(Probe newProbe, Executor newExecutor) {
        partitions = new HashMap<>();
        parked = new HashMap<>();
        wanted = new ArrayList<>();
        answers = new ConcurrentLinkedQueue<>();
        asking = new AtomicBoolean();
        probe = newProbe;
        executor = newExecutor;
    }

    /** Whether {@link #open} was called on this object, so that it is the source's own. */
    boolean isOpen() {
        return partitions != null;
    }

    /** Lets {@code newPace} hold partitions back from now on. Call it after {@link #open}. */
    void hold(PartitionPace newPace) {
        pace = newPace;
        paceIsDue = true;
    }

    /** A partition will be read from {@code next} on. */
    void add(TopicPartition name, long next) {
        Partition partition = parked.remove(name);
        if (partition == null) {
            partition = new Partition(name, next);
        } else {
            partition.goOnAt(next);
        }
        partitions.put(name, partition);
        paceIsDue = true;
    }

    /**
     * A partition is not read for now, and will be from {@code next} on: no other is held for it,
     * but event time waits for what is left in it.
     */
    void park(TopicPartition name, long next) {
        Partition partition = partitions.get(name);
        if (partition == null) {
            partition = new Partition(name, next);
        } else {
            remove(name);
            partition.goOnAt(next);
        }
        parked.put(name, partition);
    }

    /** Nothing more will come from a partition. */
    void remove(TopicPartition name) {
        partitions.remove(name);
        paceIsDue = true;
        if (current != null && current.name.equals(name)) {
            current = null;
        }
    }

    /** {@code record} is about to be emitted. */
    void begin(ConsumerRecord<?, ?> record) {
        Partition last = current;
        if (last == null
                || last.name.partition() != record.partition()
                || !last.name.topic().equals(record.topic())) {
            current = partitions.get(new TopicPartition(record.topic(), record.partition()));
        }
    }

    /** {@code record} was emitted. */
    void end(ConsumerRecord<?, ?> record) {
        Partition of = current;
        if (of != null) {
            boolean wasRead = of.isReadToItsEnd();
            of.read(record.offset());
            // Others need not wait any more.
            paceIsDue |= !wasRead && of.isReadToItsEnd();
        }
    }

    /** The partition of the record being emitted; the caller then claims it as its own. */
    @Nullable
    Partition claim() {
        Partition claimed = current;
        if (claimed != null) {
            claimed.claimed = true;
        }
        return claimed;
    }

    /** A record of a partition has this time. */
    void reached(@Nullable Partition partition, long time) {
        if (partition == null || pace == null) {
            return;
        }
        partition.reach(time);
        unsettled++;
        if (unsettled >= RECORDS_TO_SETTLE
                && (time >= partition.look || (partition.held && pace.mayGoOn(time)))) {
            paceIsDue = true;
        }
    }

    /** Decides which partitions are held if something has changed. Cheap enough for each record. */
    void settle() {
        if (paceIsDue && pace != null) {
            settle(pace);
        }
    }

    private void settle(PartitionPace of) {
        paceIsDue = false;
        unsettled = 0;
        partitions.values().forEach(Partition::readClock);
        of.settle(partitions.values());
    }

    /** How far the other subtasks are. */
    void told(PartitionPace.Others others) {
        if (pace != null) {
            pace.told(others);
            settle(pace);
        }
    }

    /** The partition has given something that advances event time: earlier knowledge is void. */
    void wasActive(@Nullable Partition partition) {
        if (partition == null) {
            unclaimed().forEach(PartitionLags::forget);
        } else {
            forget(partition);
        }
    }

    private static void forget(Partition partition) {
        partition.epoch++;
        partition.hasMark = false;
        partition.asked = false;
    }

    private List<Partition> unclaimed() {
        List<Partition> all = new ArrayList<>();
        addUnclaimed(partitions, all);
        addUnclaimed(parked, all);
        return all;
    }

    private static void addUnclaimed(Map<TopicPartition, Partition> of, List<Partition> to) {
        for (Partition partition : of.values()) {
            if (!partition.claimed) {
                to.add(partition);
            }
        }
    }

    @Nullable
    private Partition find(TopicPartition name) {
        Partition partition = partitions.get(name);
        return partition == null ? parked.get(name) : partition;
    }

    /**
     * Whether a silent partition has been read up to where it ended after it fell silent. Asks the
     * broker if necessary, and then gives the answer in a later call.
     *
     * @param partition null for a caller that does not know its partition yet: all unclaimed
     *     partitions
     */
    Backlog backlog(@Nullable Partition partition, long nowNanos) {
        Collection<Partition> all = partition == null ? unclaimed() : List.of(partition);
        Backlog backlog = Backlog.NONE;
        for (Partition each : all) {
            askAgain(each, nowNanos);
            Backlog its =
                    !each.hasMark ? Backlog.UNKNOWN : each.isRead() ? Backlog.NONE : Backlog.SOME;
            if (its == Backlog.SOME || backlog == Backlog.NONE) {
                backlog = its;
            }
        }
        return backlog;
    }

    private void askAgain(Partition partition, long nowNanos) {
        boolean waits = partition.hasMark && !partition.isRead();
        // A record that waits untouched keeps waiting, and needs no second question; but it may be
        // deleted.
        long pause = waits && partition.next == partition.askedNext ? DOUBT_NANOS : ASK_NANOS;
        if (partition.wanted || (partition.asked && nowNanos - partition.askedAt < pause)) {
            return;
        }
        if (!partition.open) {
            partition.open = true;
            partition.openSince = nowNanos;
        }
        partition.wanted = true;
        partition.asked = true;
        partition.askedAt = nowNanos;
        partition.askedNext = partition.next;
        wanted.add(
                new Question(
                        partition.name,
                        partition.next,
                        waits ? partition.mark : END,
                        partition.epoch));
    }

    /** Sends collected questions, and takes answers; to be called periodically. */
    void exchange(long nowNanos) {
        for (LagAnswer answer = answers.poll(); answer != null; answer = answers.poll()) {
            Partition partition = find(answer.question().partition());
            if (partition != null) {
                partition.endedAt(answer.mark());
            }
            if (partition != null && partition.epoch == answer.question().epoch()) {
                partition.hasMark = true;
                partition.mark = answer.mark();
            }
        }
        // Every partition calls this, one after the other.
        if (pace != null && (!ticked || nowNanos - paceTickAt >= PACE_TICK_NANOS)) {
            ticked = true;
            paceTickAt = nowNanos;
            askForPace(pace, nowNanos);
            settle(pace);
        }
        if (!wanted.isEmpty() && asking.compareAndSet(false, true)) {
            List<Question> questions = List.copyOf(wanted);
            wanted.clear();
            questions.forEach(
                    each -> {
                        Partition partition = find(each.partition());
                        if (partition != null) {
                            partition.wanted = false;
                        }
                    });
            executor.execute(() -> ask(questions));
        }
    }

    /** A partition that nothing has come from is asked about at once, any other one rarely. */
    private void askForPace(PartitionPace of, long nowNanos) {
        for (Partition partition : partitions.values()) {
            if (!of.mayHoldOthers(partition)) {
                continue;
            }
            boolean isSilent = partition.next == partition.nextAtTick;
            partition.nextAtTick = partition.next;
            if (isSilent
                    || !partition.paceAsked
                    || nowNanos - partition.paceAskedAt >= PACE_NANOS) {
                partition.paceAsked = true;
                partition.paceAskedAt = nowNanos;
                askAgain(partition, nowNanos);
            }
            if (partition.open
                    && !partition.givenUp
                    && nowNanos - partition.openSince >= PATIENCE_NANOS) {
                partition.givenUp = true;
                LOG.warn(
                        "Nothing comes from partition {}, and the broker does not say where it"
                                + " ends: other partitions do not wait for it any more",
                        partition.name);
            }
        }
    }

    private void ask(List<Question> questions) {
        try {
            answers.addAll(probe.ask(questions));
        } catch (Exception e) {
            // Without an answer no partition is idle. The source itself reports if the broker is
            // away.
            LOG.info("The broker did not say where partitions end; they are not idle meanwhile", e);
        } finally {
            asking.set(false);
        }
    }
}
