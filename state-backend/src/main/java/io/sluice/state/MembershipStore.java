/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeSnapshot;
import io.sluice.filter.cascade.CascadeStatistics;
import io.sluice.filter.sample.IdSample;
import io.sluice.state.snapshot.MembershipInfo;
import io.sluice.state.snapshot.PinnedState;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filter of one membership state, with its metrics. Owned by the task's thread; other threads
 * only read {@link #published}, and checkpoints release what they pinned.
 *
 * <p>Leaves its {@link FilterHome} when it is closed and nothing of it is pinned. When it is
 * {@linkplain #retire retired}, it stays open for the checkpoints that have pinned it.
 */
final class MembershipStore implements Closeable {

    /** Numbers for metrics are refreshed after this many lookups, and with every checkpoint. */
    private static final int LOOKUPS_PER_PUBLICATION = 1 << 16;

    private static final Logger LOG = LoggerFactory.getLogger(MembershipStore.class);

    private static final long LOG_INTERVAL_NANOS = 60_000_000_000L;

    private final CascadeFilter filter;
    private final MembershipInfo info;
    private final Path directory;
    private final FilterHome.Tenancy tenancy;
    private IdSample sample;

    /** Checkpoints that have pinned it. Guarded by this. */
    private int pins;

    /** Guarded by this. */
    private boolean retired;

    /** A thread closes it, or has closed it. Guarded by this. */
    private boolean closes;

    /** Guarded by this. */
    private boolean closed;

    private long lookups;
    private long seen;

    private long loggedForgotten;
    private long loggedAt = System.nanoTime() - LOG_INTERVAL_NANOS;

    @Nullable private volatile Numbers published;

    /**
     * What metrics show.
     *
     * @param lookups keys that were looked up
     * @param seen keys that the filter reported as seen
     * @param error among the watched keys
     * @param watchedOneIn one in this many keys is watched; 0: none
     */
    record Numbers(
            CascadeStatistics filter,
            long lookups,
            long seen,
            MeasuredError error,
            long watchedOneIn) {}

    /**
     * @param directory where the filter's files are
     * @param sample closed by this, unless it is handed over
     * @param tenancy ended by this
     */
    MembershipStore(
            CascadeFilter filter,
            MembershipInfo info,
            Path directory,
            IdSample sample,
            FilterHome.Tenancy tenancy) {
        this.filter = filter;
        this.sample = sample;
        this.info = info;
        this.directory = directory;
        this.tenancy = tenancy;
        publish();
    }

    String name() {
        return info.name();
    }

    /** Refuses what needs the keys, see {@link MembershipStates#noKeys}. */
    UnsupportedOperationException noKeys(String what) {
        return MembershipStates.noKeys(info, what);
    }

    MembershipInfo info() {
        return info;
    }

    CascadeFilter filter() {
        return filter;
    }

    Path directory() {
        return directory;
    }

    /** A key was looked up, and the filter said whether it is marked. */
    void asked(int keyGroup, long hash, boolean marked) {
        if (sample.contains(hash)) {
            sample.asked(keyGroup, hash, marked);
        }
        seen += marked ? 1 : 0;
        if (++lookups % LOOKUPS_PER_PUBLICATION == 0) {
            publish();
        }
    }

    /** A key was added to the filter, or removed. */
    void changed(int keyGroup, long hash) {
        if (sample.contains(hash)) {
            sample.changed(keyGroup, hash);
        }
    }

    /** Tells the time, see {@link CascadeFilter#advanceTo}. */
    void advanceTo(long millis) {
        long before = filter.time();
        filter.advanceTo(millis);
        if (filter.time() < before) {
            sample.beginAnew();
        }
        sample.advanceTo(filter.time());
    }

    /** Tells the times of an {@link EventClock}. */
    void advanceTo(long latest, long reached, long bound) throws IOException {
        filter.advanceTo(latest, reached);
        if (filter.time() > bound) {
            filter.resetClock();
            sample.beginAnew();
            filter.advanceTo(bound, reached);
        }
        sample.advanceTo(filter.time(), Math.min(reached, filter.time()));
    }

    /** Hands over the sample, which belongs to the caller from now on. */
    IdSample giveSample() {
        IdSample given = sample;
        sample = IdSample.none();
        return given;
    }

    PinnedState pin() {
        publish();
        CascadeSnapshot snapshot = filter.snapshot();
        synchronized (this) {
            pins++;
        }
        return new PinnedState(
                info,
                snapshot,
                sample.oneIn() == 0 ? null : sample.stored(),
                directory,
                this::unpin);
    }

    private void unpin() throws IOException {
        boolean ends;
        synchronized (this) {
            pins--;
            ends = retired && pins == 0;
        }
        if (ends) {
            close();
        }
        // The task may have closed it before.
        leaveIfDone();
    }

    /** Marks it as unused; it stays open until the checkpoints that have pinned it are written. */
    void retire() throws IOException {
        boolean ends;
        synchronized (this) {
            retired = true;
            ends = pins == 0;
        }
        if (ends) {
            close();
        }
    }

    private void leaveIfDone() {
        boolean done;
        synchronized (this) {
            done = closed && pins == 0;
        }
        if (done) {
            tenancy.close();
        }
    }

    private void publish() {
        CascadeStatistics now = filter.statistics();
        published = new Numbers(now, lookups, seen, sample.error(), sample.oneIn());
        boolean isWorse = now.forgottenEntries() > loggedForgotten;
        if (isWorse && System.nanoTime() - loggedAt >= LOG_INTERVAL_NANOS) {
            loggedForgotten = now.forgottenEntries();
            loggedAt = System.nanoTime();
            LOG.warn(
                    "State '{}' has outgrown its fingerprints: {} of its oldest keys were forgotten"
                            + " since the start, and their duplicates pass. Give it a time-to-live"
                            + " or a larger probability, or set {} to 'raise-probability'.",
                    name(),
                    loggedForgotten,
                    CascadeBackendOptions.OVERFLOW_POLICY.key());
        }
    }

    /** The latest numbers, for any thread. */
    Numbers published() {
        return requireNonNull(published, "published");
    }

    /**
     * Idempotent: does nothing if another thread closes it. A checkpoint that is being written
     * fails, unless it needs only files.
     */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (closes) {
                return;
            }
            closes = true;
        }
        sample.close();
        try {
            filter.close();
        } finally {
            synchronized (this) {
                closed = true;
            }
            leaveIfDone();
        }
    }
}
