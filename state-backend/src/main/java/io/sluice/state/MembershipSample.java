/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.MeasuredError;
import io.sluice.state.snapshot.StoredSample;
import java.util.SplittableRandom;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Measures the error of a membership state in production: for keys with a small remixed hash, a
 * fixed fraction of all keys, it knows exactly which have come before. The first lookup of such a
 * key counts, and the filter should have answered "not seen". The choice depends only on the hash,
 * so it stays the same across restores and rescaling.
 *
 * <p>A key counts only if it is certainly new: keys that were marked before a lookup, were cleared,
 * or were stored while they were not watched do not count. With a time-to-live a key is new again
 * when the filter has certainly forgotten it, one time bucket after its expiry; before that, the
 * filter may or may not hold it, and it does not count.
 *
 * <p>Memory is fixed: when there is no room for another key, expired keys go; if that is not
 * enough, half of the others go too, chosen by hash, with their counts. So at any time the
 * measurement is of an even choice among all new keys, early and late. The counts of expired keys
 * are kept.
 *
 * <p>Cost: a multiplication and a comparison for keys outside the sample, a table probe for the
 * others; nothing is allocated. Not thread-safe: owned by the task's thread.
 */
final class MembershipSample {

    /** Odd, from the golden ratio; filter and table use the hash differently. */
    private static final long SELECT = 0x9E3779B97F4A7C15L;

    /** The number of values of a remixed hash: 2^63 minus one. */
    private static final long ALL = Long.MAX_VALUE;

    /** The sample has counted from the first key of the state. */
    static final long ALWAYS = Long.MIN_VALUE;

    /** The filter may hold keys that the sample does not know, for an unknown time. */
    static final long NOT_KNOWN = Long.MAX_VALUE;

    private static final long NO_TIME = Long.MIN_VALUE;

    /** Null if there is no sample. */
    @Nullable private SampleTable table;

    private final Runnable giveBack;
    private final SplittableRandom random = new SplittableRandom(SELECT);

    /** Remixed hashes below this are in the sample; 0: none. */
    private long limit;

    private long timeToLive;
    private long bucket;

    /** From the last mark of a key until the filter has certainly forgotten it. */
    private long retention;

    private long clock = NO_TIME;
    private long countsFrom = ALWAYS;

    /** All keys in the table start their time-to-live when the next time is told. */
    private boolean beginsAnew;

    private long firsts;
    private long dropped;

    /** Counts of keys that are no longer in the table. */
    private long earlierFirsts;

    private long earlierDropped;

    /**
     * @param oneIn one in this many keys is watched, at least 1
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

    /** The absent sample, which chooses no keys. */
    static MembershipSample none() {
        return new MembershipSample();
    }

    /** Whether the key of a hash, in any key group, belongs to the sample. */
    boolean contains(long hash) {
        return (hash * SELECT) >>> 1 < limit;
    }

    /** A key of the sample was looked up, and the filter said whether it was seen. */
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

    /** A key of the sample was added to the filter, or removed. */
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
            // No clock shows this time, and entries have no room for it.
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
     * Changes the time-to-live. As in the filter, existing keys start theirs when the next time is
     * told, if not before.
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
        // Beyond any time that can be told, nothing expires.
        long never = 2 * SampleEntry.MAX_TIME + 1;
        retention = Math.min(timeToLive, never) + Math.min(bucket, never);
    }

    /** Unknown keys that have not expired now have another time to live. */
    private static long unlessItIsToCome(long countsFrom, long clock) {
        return countsFrom > clock ? NOT_KNOWN : countsFrom;
    }

    /** The filter may hold keys that the sample does not know. */
    void beginsLate() {
        countsFrom = NOT_KNOWN;
    }

    /**
     * Takes over what a checkpoint has for this subtask's key groups. Keys that only the checkpoint
     * watched are forgotten; if it watched fewer, this sample also watches fewer from now on.
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
        if (table == null || limit == 0) {
            return null;
        }
        long expired = Math.min(earlierFirsts, StoredSample.MAX_FIRSTS);
        return new StoredSample(
                limit,
                timeToLive,
                bucket,
                clock,
                countsFrom,
                expired,
                Math.min(earlierDropped, expired),
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

    /** Watches fewer keys from now on, and forgets the counts of the others. */
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

    /** Not always rounded in the same direction, or a single count would weigh more and more. */
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

    /** What was measured since the state began, or since watching began. */
    MeasuredError error() {
        return new MeasuredError(earlierFirsts + firsts, earlierDropped + dropped);
    }

    /** One in this many keys is watched; 0: none. */
    long oneIn() {
        return limit == 0 ? 0 : Math.round((double) ALL / limit);
    }

    /** Returns the memory. Idempotent. */
    void close() {
        if (table != null) {
            table.release();
            table = null;
            limit = 0;
            giveBack.run();
        }
    }
}
