/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * What follows from a time that the owner is told: the active buffer gives way when its time bucket
 * has ended, and what has expired is dropped.
 *
 * <p>Used only by the owner.
 */
final class Expiry {

    /** How far clocks of two machines may be apart, as far as clocks are right. */
    private static final long MOST_AHEAD_MILLIS = 60_000;

    private final TimeBuckets buckets;
    private final Catalog catalog;
    private final CurrentVersion current;
    private final BucketClock clock;
    private final Backpressure backpressure;
    private final ActiveBuffer active;

    private long expiredFiles;

    Expiry(
            CascadeStore store,
            CurrentVersion current,
            BucketClock clock,
            Backpressure backpressure,
            ActiveBuffer active) {
        this.buckets = store.options().timeBuckets();
        this.catalog = store.catalog();
        this.current = current;
        this.clock = clock;
        this.backpressure = backpressure;
        this.active = active;
    }

    /**
     * Takes over a time and does what follows from it. If the time of before the opening is more
     * than a minute ahead of the first one since, the clock was wrong then, and is not believed:
     * new entries would live for as much longer, and old ones too. Clocks of different machines may
     * differ by less, and then entries must not live for less than their time.
     */
    void advanceTo(long millis) {
        if (!clock.hasBegun()) {
            begin(isWrong(clock.time(), millis) ? millis : Math.max(clock.time(), millis));
        }
        if (clock.isBehind(millis)) {
            moveTo(millis);
        }
        clock.reach(clock.time());
        expireIfDue();
    }

    /** The same where times are out of order, see {@link CascadeFilter#advanceTo(long, long)}. */
    void advanceTo(long latest, long reached) {
        if (!clock.hasBegun()) {
            begin(clock.wasReset() ? latest : Math.max(latest, lastTime()));
        }
        if (clock.isBehind(latest)) {
            moveTo(latest);
        }
        clock.reach(Math.min(reached, clock.time()));
        expireIfDue();
    }

    /**
     * Returns the latest time of before the opening: of several filters the clock has the earliest.
     */
    private long lastTime() {
        long lastEnd = current.version().lastBucketEnd();
        return Math.max(clock.time(), lastEnd == Long.MIN_VALUE ? lastEnd : lastEnd - 1);
    }

    private void moveTo(long millis) {
        active.addLaterOnes();
        current.attend();
        boolean bucketEnds = clock.bucketEndAt(millis) != clock.bucketEnd();
        if (bucketEnds && active.buffer().size() > 0) {
            // What fails here has changed nothing.
            backpressure.awaitSmallBuffer(current::refresh);
        }
        clock.moveTo(millis);
        if (bucketEnds) {
            active.freeze(false);
            active.startMerges();
        }
    }

    /**
     * The first time since the opening. No bucket should end later than the current one: any that
     * does was made with other options, without a time to live or with longer buckets. Its entries
     * were added before now, so their time may start now. Then later buckets end no earlier, and
     * new entries need not live longer because of old ones.
     */
    private void begin(long time) {
        active.addLaterOnes();
        current.attend();
        clock.begin();
        if (buckets.isEndless()) {
            return;
        }
        clock.moveTo(time);
        long end = buckets.endOf(clock.time());
        if (active.buffer().size() > 0) {
            active.freeze(false);
        }
        catalog.endBuckets(end + 1, end);
        clock.earliestEnd(catalog.lastFrozenBucketEnd());
        current.refresh();
        active.freeze(false);
        active.startMerges();
    }

    private static boolean isWrong(long before, long now) {
        // No time of before is the least long, and the difference may overflow.
        return before > now && (before - now > MOST_AHEAD_MILLIS || before - now < 0);
    }

    private void expireIfDue() {
        if (clock.reached() >= current.nextExpiry()) {
            expiredFiles += catalog.expire(buckets, clock.reached());
            current.refresh();
            active.startMerges();
        }
    }

    /** Files that were dropped because all in them had expired. */
    long expiredFiles() {
        return expiredFiles;
    }
}
