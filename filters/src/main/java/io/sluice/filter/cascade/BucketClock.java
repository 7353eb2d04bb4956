/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * What time it is for the owner, and when the time bucket ends that entries get now.
 *
 * <p>Used only by the owner.
 */
final class BucketClock {

    private final TimeBuckets buckets;
    private final Maintenance maintenance;

    private long time;

    /** What is over at this time is dropped. */
    private long reached = Long.MIN_VALUE;

    /** Whether a time was told since the opening. */
    private boolean hasBegun;

    private boolean wasReset;

    /** No bucket ends before this: a tombstone outlives what it hides. */
    private long earliestEnd;

    /**
     * @param earliestEnd the latest end among the buckets found at the opening; holds until the
     *     first time is told, see {@link #begin}
     */
    BucketClock(CascadeStore store, long earliestEnd) {
        this.buckets = store.options().timeBuckets();
        this.maintenance = store.maintenance();
        this.time = maintenance.time();
        this.earliestEnd = earliestEnd;
    }

    /** {@link Manifest#NO_TIME} if none was ever told. */
    long time() {
        return time;
    }

    /** Whether the clock has to move, or to begin, when this time is told. */
    boolean isBehind(long millis) {
        return !hasBegun || millis > time || time == Manifest.NO_TIME;
    }

    boolean hasBegun() {
        return hasBegun;
    }

    /** Forgets that the time is believed. */
    void reset() {
        hasBegun = false;
        wasReset = true;
    }

    boolean wasReset() {
        return wasReset;
    }

    void begin() {
        hasBegun = true;
        wasReset = false;
    }

    /** Whether entries cannot be added because it is not known when they will expire. */
    boolean lacksTime() {
        return !buckets.isEndless() && time == Manifest.NO_TIME;
    }

    void moveTo(long millis) {
        time = millis;
        maintenance.time(millis);
    }

    /** Returns the time by which entries expire, at most {@link #time}. */
    long reached() {
        return reached;
    }

    /** Moves the time by which entries expire; an earlier one is ignored. */
    void reach(long millis) {
        reached = Math.max(reached, millis);
    }

    /** From now on no bucket ends before this. */
    void earliestEnd(long end) {
        earliestEnd = end;
    }

    /** End of the bucket of entries that are added now. */
    long bucketEnd() {
        return bucketEndAt(time);
    }

    /** End of the bucket of entries that are added at this time. */
    long bucketEndAt(long millis) {
        return millis == Manifest.NO_TIME
                ? TimeBuckets.NEVER
                : Math.max(earliestEnd, buckets.endOf(millis));
    }
}
