/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.MeasuredError;
import io.sluice.state.snapshot.StoredSample;
import java.util.SplittableRandom;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Measures the error of a membership state in production: of the keys whose remixed hash is small,
 * one in so many, it is known exactly which have come before. The first time that the filter is
 * asked for such a key counts, and its answer then should have been "not seen". Which keys these
 * are depends on their hash alone, so a restore or a rescale chooses the same.
 *
 * <p>A key counts only if it is sure that it is new: keys that were marked before they were asked
 * for, cleared, or stored while nobody watched do not. With a time-to-live a key is new again when
 * the filter has forgotten it for sure, a time bucket after its time; before, the filter may or may
 * not hold it, and it does not count.
 *
 * <p>Memory is fixed: when there is no room for another key, those that have expired go, and if
 * that is too little every second of the others, by hash, with what they counted. So what is
 * measured is at any time of an even choice among all new keys, early and late. What expired keys
 * counted is kept.
 *
 * <p>Cost: a multiplication and a comparison for keys outside of the sample, a probe of a table for
 * the others; nothing is allocated. Not thread-safe: owned by the task's thread.
 */
final class MembershipSample {

    /** Odd, from the golden ratio; filter and table use the hash in other ways. */
    private static final long SELECT = 0x9E3779B97F4A7C15L;

    /** There are so many values of a remixed hash: 2^63, less one. */
    private static final long ALL = Long.MAX_VALUE;

    /** It counts from the first key of the state on. */
    static final long ALWAYS = Long.MIN_VALUE;

    /** The filter may hold keys that the sample does not know, nobody knows for how long. */
    static final long NOT_KNOWN = Long.MAX_VALUE;

    private static final long NO_TIME = Long.MIN_VALUE;

    /** Null: there is no sample. */
    @Nullable private SampleTable table;

    private final Runnable giveBack;
    private final SplittableRandom random = new SplittableRandom(SELECT);

    /** Remixed hashes below it are in the sample; 0: none are. */
    private long limit;

    private long timeToLive;
    private long bucket;

    /** Between the last mark of a key and the time when the filter has forgotten it for sure. */
    private long retention;

    private long clock = NO_TIME;
    private long countsFrom = ALWAYS;

    /** All keys of the table begin to live when the next time is told. */
    private boolean beginsAnew;

    private long firsts;
    private long dropped;

    /** Of keys that are not in the table any more. */
    private long earlierFirsts;

    private long earlierDropped;

    /**
     * @param oneIn of so many keys one is watched, at least 1
     * @param timeToLive in milliseconds; 0: keys do not expire
     * @param bucket length of a time bucket in milliseconds
     * @param giveBack called when the table is released
     */
    MembershipSample(
            SampleTable table, int oneIn, long timeToLive, long bucket, Runnable giveBack) {
        this.table = table;
        this.giveBack = giveBack;
        this.limit = ALL / oneIn;
        useTimeToLive(timeToLive, bucket);
    }

    private MembershipSample() {
        this.giveBack = () -> {};
    }

    /** No sample, which chooses no keys. */
    static MembershipSample none() {
        return new MembershipSample();
    }

    /** Whether the key of a hash, in any key group, belongs to the sample. */
    boolean contains(long hash) {
        return (hash * SELECT) >>> 1 < limit;
    }

    /** The filter was asked for a key of the sample, and said whether it was seen. */
    void asked(int keyGroup, long hash, boolean seen) {
        int slot = table.find(hash, keyGroup);
        if (slot >= 0) {
            if (isExpired(table.entry(slot))) {
                keepCounts(table.entry(slot));
                table.set(slot, first(keyGroup, seen));
            }
        } else if (hasRoom(hash)) {
            table.add(hash, first(keyGroup, seen));
        }
    }

    private long first(int keyGroup, boolean seen) {
        if (countsFrom > clock) {
            return SampleEntry.known(keyGroup, now());
        }
        firsts++;
        dropped += seen ? 1 : 0;
        return SampleEntry.counted(keyGroup, now(), seen);
    }

    /** A key of the sample was put into the filter, or taken out of it. */
    void changed(int keyGroup, long hash) {
        int slot = table.find(hash, keyGroup);
        if (slot < 0) {
            if (hasRoom(hash)) {
                table.add(hash, SampleEntry.known(keyGroup, now()));
            }
        } else if (timeToLive > 0) {
            long entry = table.entry(slot);
            if (isExpired(entry)) {
                keepCounts(entry);
                entry = SampleEntry.known(keyGroup, 0);
            }
            table.set(slot, SampleEntry.at(now(), entry));
        }
    }

    private long now() {
        return clock == NO_TIME ? 0 : clock;
    }

    private boolean isExpired(long entry) {
        return timeToLive > 0 && !beginsAnew && clock >= SampleEntry.time(entry) + retention;
    }

    /**
     * Tells the filter's time.
     *
     * @param millis never earlier than before
     */
    void advanceTo(long millis) {
        if (millis > clock || beginsAnew) {
            take(millis);
        }
    }

    private void take(long millis) {
        if (table == null) {
            return;
        }
        if (millis < SampleEntry.MIN_TIME || millis > SampleEntry.MAX_TIME) {
            // No clock says that, and entries have no room for it.
            countsFrom = NOT_KNOWN;
            return;
        }
        clock = millis;
        if (beginsAnew) {
            beginsAnew = false;
            table.setTimes(clock);
        }
        if (countsFrom == NOT_KNOWN && timeToLive > 0) {
            countsFrom = clock + retention;
        }
    }

    /**
     * Keys have another time-to-live from now on. As in the filter, those that are there begin to
     * live when the next time is told, at the latest.
     */
    void setTimeToLive(long newTimeToLive, long newBucket) {
        if (newTimeToLive != timeToLive || newBucket != bucket) {
            countsFrom = unlessItIsToCome(countsFrom, clock);
            useTimeToLive(newTimeToLive, newBucket);
            beginsAnew = timeToLive > 0;
        }
    }

    private void useTimeToLive(long newTimeToLive, long newBucket) {
        timeToLive = newTimeToLive;
        bucket = newBucket;
        // Further away than any time that can be told, nothing expires.
        long never = 2 * SampleEntry.MAX_TIME + 1;
        retention = Math.min(timeToLive, never) + Math.min(bucket, never);
    }

    /** Unknown keys that have not expired live for another time now. */
    private static long unlessItIsToCome(long countsFrom, long clock) {
        return countsFrom > clock ? NOT_KNOWN : countsFrom;
    }

    /** The filter may hold keys that the sample does not know. */
    void beginsLate() {
        countsFrom = NOT_KNOWN;
    }

    /**
     * Takes over what a checkpoint has of this subtask's key groups. Keys that it watched and this
     * does not are forgotten; if it watched fewer, so does this from now on.
     *
     * @param firstKeyGroup of the subtask that stored it: what earlier keys counted goes to one
     *     subtask only, the one that has this key group
     * @param range key groups of this subtask
     */
    void restore(StoredSample stored, int firstKeyGroup, KeyGroupRange range) {
        limitTo(stored.limit());
        boolean livesOn =
                stored.timeToLiveMillis() == timeToLive && stored.bucketMillis() == bucket;
        if (!livesOn) {
            beginsAnew = timeToLive > 0;
        }
        long from =
                livesOn
                        ? stored.countsFrom()
                        : unlessItIsToCome(stored.countsFrom(), stored.clock());
        countsFrom = Math.max(countsFrom, from);
        clock = Math.max(clock, stored.clock());
        long[] entries = stored.entries();
        for (int i = 0; i < entries.length; i += 2) {
            if (range.contains(SampleEntry.keyGroup(entries[i + 1]))) {
                restore(entries[i], entries[i + 1]);
            }
        }
        if (range.contains(firstKeyGroup)) {
            double part = (double) limit / stored.limit();
            long right = part(stored.earlierFirsts() - stored.earlierDropped(), part);
            long wrong = part(stored.earlierDropped(), part);
            earlierFirsts += right + wrong;
            earlierDropped += wrong;
        }
    }

    private void restore(long hash, long entry) {
        boolean isNew =
                contains(hash)
                        && SampleEntry.isValid(entry)
                        && table.find(hash, SampleEntry.keyGroup(entry)) < 0;
        if (isNew && hasRoom(hash)) {
            table.add(hash, entry);
            firsts += SampleEntry.isCounted(entry) ? 1 : 0;
            dropped += SampleEntry.isDropped(entry) ? 1 : 0;
        }
    }

    /** For a checkpoint; null if there is no sample. */
    @Nullable
    StoredSample stored() {
        return table == null || limit == 0
                ? null
                : new StoredSample(
                        limit,
                        timeToLive,
                        bucket,
                        clock,
                        countsFrom,
                        earlierFirsts,
                        earlierDropped,
                        table.entries());
    }

    private boolean hasRoom(long hash) {
        if (table.size() < table.most()) {
            return true;
        }
        makeRoom();
        return contains(hash);
    }

    private void makeRoom() {
        table.removeIf(this::goesForItsAge);
        while (table.size() > table.most() / 2) {
            limitTo(limit / 2);
        }
    }

    private boolean goesForItsAge(long hash, long entry) {
        if (isExpired(entry)) {
            keepCounts(entry);
            return true;
        }
        return false;
    }

    private void keepCounts(long entry) {
        if (SampleEntry.isCounted(entry)) {
            earlierFirsts++;
            firsts--;
        }
        if (SampleEntry.isDropped(entry)) {
            earlierDropped++;
            dropped--;
        }
    }

    /** Watches fewer keys from now on, and forgets what the others counted. */
    private void limitTo(long newLimit) {
        if (newLimit >= limit) {
            return;
        }
        double part = (double) newLimit / limit;
        long right = part(earlierFirsts - earlierDropped, part);
        earlierDropped = part(earlierDropped, part);
        earlierFirsts = right + earlierDropped;
        limit = newLimit;
        table.removeIf(this::isOutside);
    }

    /** Not always rounded alike, or a single count would be worth ever more. */
    private long part(long count, double part) {
        return part == 1 ? count : (long) Math.floor(count * part + random.nextDouble());
    }

    private boolean isOutside(long hash, long entry) {
        if (contains(hash)) {
            return false;
        }
        firsts -= SampleEntry.isCounted(entry) ? 1 : 0;
        dropped -= SampleEntry.isDropped(entry) ? 1 : 0;
        return true;
    }

    /** What was measured since the state began, or since it was watched. */
    MeasuredError error() {
        return new MeasuredError(earlierFirsts + firsts, earlierDropped + dropped);
    }

    /** Of so many keys one is watched; 0: none is. */
    long oneIn() {
        return limit == 0 ? 0 : Math.round((double) ALL / limit);
    }

    /** Gives the memory back. Idempotent. */
    void close() {
        if (table != null) {
            table.release();
            table = null;
            limit = 0;
            giveBack.run();
        }
    }
}
