/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.annotation.Internal;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * Measures the error of a filter in production: of the ids whose remixed hash is small, a fraction
 * of all ids, it knows exactly which have come before and when. So it is known whether the filter
 * took a first occurrence for a duplicate, or forgot an id that it had to hold. The choice depends
 * only on the hash, so it stays the same across restores and rescaling.
 *
 * <p>An id counts only if it is certainly new: if none of its records is within a window of its
 * time, nor so little further away that the filter may or may not hold it. Ids that the sample did
 * not watch from their first occurrence on do not count: a sample that begins with a filter that
 * already holds ids, or that lost a record for lack of memory, counts nothing as long as the filter
 * may hold ids that the sample does not know.
 *
 * <p>"Exactly" means by 64-bit hash: two ids with the same hash look the same to the sample and to
 * the filter; each of n ids shares its hash with probability n / 2^64.
 *
 * <p>There are two kinds. {@link #ofEventTime} is for ids that have times of their own, in any
 * order; of an id it keeps up to {@value #MAX_TIMES} records. {@link #ofClock} is for ids that
 * expire by the filter's clock: then the last time of an id says it all, and ids may also be
 * changed without being looked up.
 *
 * <p>Memory is bounded: a full sample removes expired records; if that is not enough, it also
 * removes half of the ids, chosen by hash, with their counts. So at any time the measurement is of
 * an even choice among all new ids, early and late. The counts of expired records are kept.
 *
 * <p>Cost: a multiplication and a comparison for ids outside the sample; an amortised O(1) probe of
 * a hash table for the others. Not thread-safe.
 */
@Internal
public final class IdSample {

    /** Odd, from the golden ratio; filters and tables remix differently. */
    private static final long SELECT = 0x9E3779B97F4A7C15L;

    /** The number of values of a remixed hash: 2^63 minus one. */
    private static final long ALL = Long.MAX_VALUE;

    private static final int MIN_SLOTS = 8;

    /** The most records of one id that are kept. */
    static final int MAX_TIMES = 16;

    /** The sample has counted from the first id on. */
    private static final long ALWAYS = Long.MIN_VALUE;

    /** The filter may hold ids that the sample does not know, for an unknown time. */
    private static final long NOT_KNOWN = Long.MAX_VALUE;

    private static final long NO_TIME = Long.MIN_VALUE;
    private static final int KEY_GROUP_BITS = 15;

    /** Longer than any window of event time, three of which fit into a long. */
    private static final long MAX_WINDOW = Long.MAX_VALUE / 4;

    /** What {@link #look} finds: the id may have come before. */
    private static final int PERHAPS_KNOWN = 1;

    /** What {@link #look} finds: the filter holds a record within the window. */
    private static final int HELD = 2;

    private final SampleMemory memory;
    private final SampleRecord layout;
    private final boolean followsClock;
    private final int maxRecords;
    private final SplittableRandom random = new SplittableRandom(SELECT);
    private SampleTable table;

    /** Remixed hashes below this are in the sample; 0: none. */
    private long limit;

    private long window;
    private long slack;

    /** A record up to this far away may be held by the filter. */
    private long reach;

    /** Records that are this far behind the clock tell nothing any more. */
    private long retention;

    private long clock = NO_TIME;

    /** How far the filter is behind the clock when it drops what has expired. */
    private long behind;

    /** From this clock time on the sample knows all ids of its choice that the filter holds. */
    private long countsFrom = ALWAYS;

    /** All records begin their window when the next time is told. */
    private boolean beginsAnew;

    private long firsts;
    private long dropped;
    private long missed;

    private IdSample(
            SampleMemory memory,
            int groupBits,
            boolean followsClock,
            int maxRecords,
            long limit,
            Words words) {
        this.memory = memory;
        this.layout = new SampleRecord(groupBits);
        this.followsClock = followsClock;
        this.maxRecords = maxRecords;
        this.limit = limit;
        this.table = new SampleTable(layout, words);
    }

    private static Words noWords() {
        return Words.allocate(Storage.HEAP, 0);
    }

    /**
     * Makes an empty sample of ids with times of their own, which takes memory as it grows.
     *
     * @param maxIds the most ids that are kept; 0 for no sample
     * @param expectedIds ids expected in a window, for the first sampling rate
     * @param windowMillis the window in ms, at least 1; the filter may hold an id an eighth longer
     * @param memory without room in it the sample becomes coarser
     */
    public static IdSample ofEventTime(
            int maxIds, long expectedIds, long windowMillis, SampleMemory memory) {
        long limit = maxIds == 0 ? 0 : ALL;
        for (long expected = expectedIds; limit > 0 && expected > maxIds; expected /= 2) {
            limit /= 2;
        }
        IdSample sample = new IdSample(memory, 0, false, maxIds, limit, noWords());
        sample.setWindow(windowMillis, (windowMillis + 7) / 8);
        return sample;
    }

    /**
     * Makes an empty sample of ids that expire by the clock, in memory of a fixed size; or {@link
     * #none} if that memory is not to be had.
     *
     * @param slots of the table, a power of two, at least 8
     * @param oneIn one in this many ids is watched, at least 1
     * @param windowMillis time-to-live in ms; 0: ids do not expire
     * @param slackMillis how much longer than that the filter may hold an id, in ms
     */
    public static IdSample ofClock(
            SampleMemory memory, int slots, int oneIn, long windowMillis, long slackMillis) {
        Optional<Words> words = memory.allocate(2L * slots);
        if (words.isEmpty()) {
            return none();
        }
        IdSample sample =
                new IdSample(
                        memory, KEY_GROUP_BITS, true, slots - slots / 4, ALL / oneIn, words.get());
        sample.setWindow(windowMillis, slackMillis);
        return sample;
    }

    /** Returns a sample that chooses no ids. */
    public static IdSample none() {
        return new IdSample(null, 0, true, 0, 0, noWords());
    }

    /** Returns whether the id with this hash, in any group, belongs to the sample. */
    public boolean contains(long hash) {
        return isBelow(limit, hash);
    }

    /**
     * Returns whether the id with this hash belongs to a sample of one in so many ids, at least 1:
     * the choice of {@link #ofClock}, for samples that keep more than times.
     */
    public static boolean chooses(long oneIn, long hash) {
        return isBelow(ALL / oneIn, hash);
    }

    static boolean isBelow(long limit, long hash) {
        return (hash * SELECT) >>> 1 < limit;
    }

    /**
     * Records the answer of the filter to a lookup, at the clock, of an id of the sample.
     *
     * @param seen the filter reported it as seen
     */
    public void asked(int group, long hash, boolean seen) {
        if ((look(group, hash, now(), Long.MAX_VALUE) & PERHAPS_KNOWN) == 0) {
            insert(hash, layout.of(group, now(), counted(seen)));
        }
    }

    /** Records that an id of the sample was added to the filter at the clock, or removed. */
    public void changed(int group, long hash) {
        renew(group, hash, now());
    }

    /**
     * Records what the filter said about an id of the sample that was added to it and is not late.
     *
     * @param kept the time as which the filter keeps it
     * @param absent the filter reported it as certainly absent, and holds it now
     * @param coveredSince ids from this timestamp on must be held by the filter
     */
    public void added(long hash, long timestamp, long kept, boolean absent, long coveredSince) {
        int known = look(0, hash, timestamp, coveredSince);
        if (absent && (known & HELD) != 0) {
            missed++;
        }
        boolean first = (known & PERHAPS_KNOWN) == 0;
        if (absent || first) {
            long bound = absent && kept == timestamp ? 0 : SampleRecord.UNBOUND;
            insert(hash, layout.of(0, timestamp, bound | (first ? counted(!absent) : 0)));
        }
    }

    /** Records that an id of the sample passed that the filter need not hold for its window. */
    public void passed(long hash, long timestamp) {
        insert(hash, layout.of(0, timestamp, SampleRecord.UNBOUND));
    }

    /** Records that the filter holds an id that it reported as seen for this timestamp too. */
    public void renewed(long hash, long timestamp) {
        renew(0, hash, timestamp);
    }

    private void renew(int group, long hash, long time) {
        int latest = -1;
        long latestTime = Long.MIN_VALUE;
        long before = Long.MIN_VALUE;
        for (int slot = table.first(group, hash); slot >= 0; slot = table.next(group, hash, slot)) {
            long found = layout.time(table.record(slot));
            before = Math.max(before, Math.min(found, latestTime));
            latest = found > latestTime ? slot : latest;
            latestTime = Math.max(found, latestTime);
        }
        if (latest < 0) {
            insert(hash, layout.of(group, time, 0));
        } else if (latestTime < time) {
            // The one in between is within a window of whatever is within a window of it.
            boolean replaces =
                    followsClock || (before > Long.MIN_VALUE && distance(before, time) <= window);
            if (!replaces) {
                insert(hash, layout.of(group, time, 0));
            } else if (isExpired(table.record(latest))) {
                table.set(latest, layout.of(group, time, 0));
            } else {
                table.set(latest, layout.at(time, table.record(latest)));
            }
        }
    }

    /** Returns what the sample knows of an id around a time. */
    private int look(int group, long hash, long time, long coveredSince) {
        int known = 0;
        int times = 0;
        long oldest = Long.MAX_VALUE;
        for (int slot = table.first(group, hash); slot >= 0; slot = table.next(group, hash, slot)) {
            long record = table.record(slot);
            long at = layout.time(record);
            long distance = distance(at, layout.nearest(time));
            times++;
            oldest = Math.min(oldest, at);
            known |= beginsAnew || distance - behind <= reach ? PERHAPS_KNOWN : 0;
            boolean bound = !SampleRecord.has(SampleRecord.UNBOUND, record);
            known |= bound && at >= coveredSince && distance <= window ? HELD : 0;
        }
        // Records older than the oldest one may have been replaced.
        return times == MAX_TIMES && time <= oldest + reach ? known | PERHAPS_KNOWN : known;
    }

    /** The greatest long if the difference is greater. */
    private static long distance(long a, long b) {
        long distance = Math.max(a, b) - Math.min(a, b);
        return distance < 0 ? Long.MAX_VALUE : distance;
    }

    /** Returns the flags of a new id. */
    private long counted(boolean seen) {
        if (countsFrom > settled()) {
            return 0;
        }
        return SampleRecord.COUNTED | (seen ? SampleRecord.DROPPED : 0);
    }

    private long now() {
        return clock == NO_TIME ? 0 : clock;
    }

    private boolean isExpired(long record) {
        return window > 0 && !beginsAnew && settled() >= layout.time(record) + retention;
    }

    /** What has expired at this time, the filter does not hold any more. */
    private long settled() {
        return clock < Long.MIN_VALUE + behind ? Long.MIN_VALUE : clock - behind;
    }

    private void insert(long hash, long record) {
        int group = layout.group(record);
        int oldest = table.oldest(group, hash);
        if (oldest >= 0
                && (isExpired(table.record(oldest)) || table.times(group, hash) == MAX_TIMES)) {
            table.set(oldest, Math.max(table.record(oldest), record));
        } else if (hasRoom(hash)) {
            table.add(hash, record);
        } else {
            return;
        }
        count(record);
    }

    private void count(long record) {
        firsts += SampleRecord.has(SampleRecord.COUNTED, record) ? 1 : 0;
        dropped += SampleRecord.has(SampleRecord.DROPPED, record) ? 1 : 0;
    }

    /** Makes room for a record. Returns false if its id has left the sample. */
    private boolean hasRoom(long hash) {
        if (table.size() < Math.min(maxRecords, table.most())
                || (table.size() < maxRecords && grows())) {
            return true;
        }
        if (table.slots() == 0) {
            beginsLate();
            return false;
        }
        int most = Math.min(maxRecords, table.most());
        table.removeIf((other, record) -> isExpired(record));
        if (table.size() > most / 2) {
            // Half of the records may be a few more than half of the room: that is enough room.
            do {
                limitTo(limit / 2);
            } while (table.size() >= most);
        }
        return contains(hash);
    }

    private boolean grows() {
        Optional<Words> words = memory.allocate(2L * Math.max(MIN_SLOTS, 2 * table.slots()));
        if (words.isEmpty()) {
            return false;
        }
        SampleTable larger = new SampleTable(layout, words.get());
        long[] entries = table.entries();
        for (int i = 0; i < entries.length; i += 2) {
            larger.add(entries[i], entries[i + 1]);
        }
        releaseTable();
        table = larger;
        return true;
    }

    /** Watches fewer ids from now on, and forgets the counts of the others. */
    private void limitTo(long newLimit) {
        if (newLimit >= limit) {
            return;
        }
        double part = (double) newLimit / limit;
        MeasuredError earlier = scaled(earlier(), part);
        limit = newLimit;
        table.removeIf((hash, record) -> !contains(hash));
        firsts = earlier.firsts() + table.count(SampleRecord.COUNTED);
        dropped = earlier.dropped() + table.count(SampleRecord.DROPPED);
    }

    /** Returns the counts of ids whose records have left the table. */
    private MeasuredError earlier() {
        return new MeasuredError(
                firsts - table.count(SampleRecord.COUNTED),
                dropped - table.count(SampleRecord.DROPPED));
    }

    /** Returns part of the counts, as which of them belong to it is not known. */
    private MeasuredError scaled(MeasuredError counts, double part) {
        long right = part(counts.firsts() - counts.dropped(), part);
        long wrong = part(counts.dropped(), part);
        return new MeasuredError(right + wrong, wrong);
    }

    /** Not always rounded in the same direction, or a single count would weigh more and more. */
    private long part(long count, double part) {
        return part == 1 ? count : (long) Math.floor(count * part + random.nextDouble());
    }

    /**
     * Tells the filter's time.
     *
     * @param millis never earlier than before, except after {@link #clockReset}
     */
    public void advanceTo(long millis) {
        if (millis > clock || beginsAnew || countsFrom == NOT_KNOWN) {
            take(millis);
        }
    }

    /**
     * Tells the time of a filter that drops what has expired at an earlier one, see {@code
     * CascadeFilter#advanceTo}.
     *
     * @param reached at most {@code latest}
     */
    public void advanceTo(long latest, long reached) {
        advanceTo(latest);
        long difference = latest - reached;
        behind = difference < 0 ? MAX_WINDOW : Math.min(MAX_WINDOW, difference);
    }

    private void take(long millis) {
        if (millis == NO_TIME) {
            return;
        }
        if (millis < -layout.maxTime() || millis > layout.maxTime()) {
            // No clock shows this time, and records have no room for it.
            countsFrom = NOT_KNOWN;
            return;
        }
        clock = Math.max(clock, millis);
        if (beginsAnew) {
            beginsAnew = false;
            table.setTimes(clock);
        }
        if (countsFrom == NOT_KNOWN && window > 0) {
            countsFrom = clock + retention;
        }
    }

    /** Forgets the clock, which may go on from an earlier time. */
    public void clockReset() {
        clock = NO_TIME;
        if (countsFrom != ALWAYS) {
            beginsLate();
        }
    }

    /**
     * The filter goes on from an earlier time, and what it holds begins to live then. Nothing is
     * counted until all of that has expired.
     */
    public void beginAnew() {
        clock = NO_TIME;
        beginsLate();
        beginsAnew = window > 0;
    }

    /**
     * Changes the time-to-live. As in the filter, existing ids start theirs when the next time is
     * told, if not before.
     */
    public void setTimeToLive(long windowMillis, long slackMillis) {
        if (windowMillis != window || slackMillis != slack) {
            countsFrom = unlessItIsToCome(countsFrom, clock);
            setWindow(windowMillis, slackMillis);
            beginsAnew = window > 0;
        }
    }

    private void setWindow(long windowMillis, long slackMillis) {
        window = windowMillis;
        slack = slackMillis;
        if (!followsClock) {
            long bounded = Math.min(window, MAX_WINDOW);
            reach = bounded + slack;
            retention = 3 * bounded;
            return;
        }
        // Beyond any time that can be told, nothing expires.
        long never = 2 * layout.maxTime() + 1;
        retention = Math.min(window, never) + Math.min(slack, never);
        reach = window == 0 ? Long.MAX_VALUE : retention - 1;
    }

    /** Ids that are unknown and have not expired now have another time to live. */
    private static long unlessItIsToCome(long countsFrom, long clock) {
        return countsFrom > clock ? NOT_KNOWN : countsFrom;
    }

    /** Counts nothing as long as the filter may hold ids that the sample does not know. */
    public void beginsLate() {
        countsFrom = NOT_KNOWN;
    }

    /**
     * Takes over all of a stored sample. Ids that only it watched are forgotten; if it watched
     * fewer, this sample also watches fewer from now on.
     *
     * @throws IllegalArgumentException if it is of another kind, or an id is there too often: its
     *     records stay together however coarse the sample becomes
     */
    public void restore(StoredSample stored) {
        restore(stored, group -> true, true);
    }

    /**
     * Takes over part of a stored sample.
     *
     * @param groups the groups of ids to be taken over
     * @param takesEarlier whether to add the counts of ids that have left the table, whose groups
     *     are unknown; true for exactly one of those who take a part
     */
    public void restore(StoredSample stored, IntPredicate groups, boolean takesEarlier) {
        missed += takesEarlier ? stored.missed() : 0;
        if (stored.limit() == 0) {
            beginsLate();
            return;
        }
        if (limit == 0) {
            return;
        }
        if (stored.groupBits() != layout.groupBits()) {
            throw new IllegalArgumentException(
                    "a sample with groups of " + stored.groupBits() + " bits is of another kind");
        }
        limitTo(stored.limit());
        boolean livesOn =
                !followsClock || (stored.windowMillis() == window && stored.slackMillis() == slack);
        beginsAnew |= !livesOn && window > 0;
        long from =
                livesOn
                        ? stored.countsFrom()
                        : unlessItIsToCome(stored.countsFrom(), stored.clock());
        countsFrom = Math.max(countsFrom, from);
        clock = Math.max(clock, stored.clock());
        long[] entries = stored.entries();
        for (int i = 0; i < entries.length; i += 2) {
            if (contains(entries[i]) && groups.test(layout.group(entries[i + 1]))) {
                restore(entries[i], entries[i + 1]);
            }
        }
        if (takesEarlier) {
            MeasuredError earlier =
                    scaled(
                            new MeasuredError(stored.earlierFirsts(), stored.earlierDropped()),
                            (double) limit / stored.limit());
            firsts += earlier.firsts();
            dropped += earlier.dropped();
        }
    }

    private void restore(long hash, long record) {
        int times = table.times(layout.group(record), hash);
        if (times == MAX_TIMES) {
            throw new IllegalArgumentException(
                    "an id of the sample is there more than " + MAX_TIMES + " times");
        }
        if (times == 0 || !followsClock) {
            insert(hash, record);
        }
    }

    /** Returns all that it takes to go on from here. */
    public StoredSample stored() {
        MeasuredError earlier = earlier();
        long earlierFirsts = Math.min(earlier.firsts(), StoredSample.MAX_COUNT);
        return new StoredSample(
                limit,
                window,
                slack,
                clock,
                countsFrom,
                earlierFirsts,
                Math.min(earlier.dropped(), earlierFirsts),
                Math.min(missed, StoredSample.MAX_COUNT),
                layout.groupBits(),
                table.entries());
    }

    /** Returns what was measured since the filter began, or since watching began. */
    public MeasuredError error() {
        return new MeasuredError(firsts, dropped);
    }

    /** Returns duplicates inside the window that the filter let pass; anything but 0 is a bug. */
    public long missed() {
        return missed;
    }

    /** Returns that one in this many ids is watched; 0: none. */
    public long oneIn() {
        return oneIn(limit);
    }

    static long oneIn(long limit) {
        return limit == 0 ? 0 : Math.round((double) ALL / limit);
    }

    /** Returns the number of records. */
    int size() {
        return table.size();
    }

    /** Returns the bytes of the table. */
    public long sizeInBytes() {
        return table.words().length() * Long.BYTES;
    }

    /** Returns the memory, and watches nothing from now on. Idempotent. */
    public void close() {
        releaseTable();
        table = new SampleTable(layout, noWords());
        limit = 0;
    }

    private void releaseTable() {
        if (table.slots() > 0) {
            memory.release(table.words());
        }
    }
}
