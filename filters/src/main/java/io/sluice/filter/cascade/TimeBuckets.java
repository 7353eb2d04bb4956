/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * When entries expire. Time is divided into buckets of {@code timeToLive / buckets}; all entries of
 * a bucket expire together, one time to live after the bucket's end. So each lives at least the
 * time to live, and at most (1 + 1 / buckets) times that. Pure functions, in milliseconds.
 *
 * <p>A bucket is known by its end, which is kept with each file: the number and length of buckets
 * may be changed later.
 *
 * @param timeToLiveMillis at least 1
 * @param bucketMillis from 1 to {@code timeToLiveMillis}
 */
record TimeBuckets(long timeToLiveMillis, long bucketMillis) {

    /** End of the bucket of entries that never expire. */
    static final long NEVER = Long.MAX_VALUE;

    /** No time to live: everything is in one bucket, which never ends. */
    static final TimeBuckets ENDLESS = new TimeBuckets(NEVER, NEVER);

    static TimeBuckets of(long timeToLiveMillis, int buckets) {
        return new TimeBuckets(timeToLiveMillis, Math.max(1, timeToLiveMillis / buckets));
    }

    boolean isEndless() {
        return bucketMillis == NEVER;
    }

    /** End (exclusive) of the bucket that a time is in. */
    long endOf(long millis) {
        // From the time to the end: the beginning of the first bucket of all is less than any long.
        return isEndless()
                ? NEVER
                : sum(millis, bucketMillis - Math.floorMod(millis, bucketMillis));
    }

    /** From this time on a bucket's entries have expired. */
    long expiryOf(long bucketEnd) {
        return isEndless() || bucketEnd == NEVER ? NEVER : sum(bucketEnd, timeToLiveMillis);
    }

    /**
     * Saturates: a time to live may be as long as a {@code long} allows, and what ends beyond that
     * never ends.
     */
    private static long sum(long time, long millis) {
        return time > NEVER - millis ? NEVER : time + millis;
    }
}
