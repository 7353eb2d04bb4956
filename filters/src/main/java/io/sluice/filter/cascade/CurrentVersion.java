/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * The version that the owner works with, and what follows from it: where older entries are looked
 * for, what expires next, how far the background is behind, and how much of the false-positive
 * probability is used. Takes over what the background has done, and throws what failed there.
 *
 * <p>Used only by the owner.
 */
final class CurrentVersion {

    private final CascadeStore store;
    private final Catalog catalog;
    private final Reports reports;
    private final Maintenance maintenance;
    private final OlderEntries older;
    private final Overviews overviews;
    private final Backpressure backpressure;
    private final ProbabilityBudget budget;

    private Version version;

    /** Is charged to the budget too; null before the first one. */
    private EntryBuffer active;

    private long nextExpiry;

    CurrentVersion(
            CascadeStore store,
            OlderEntries older,
            Overviews overviews,
            Backpressure backpressure) {
        this.store = store;
        this.catalog = store.catalog();
        this.reports = catalog.reports();
        this.maintenance = store.maintenance();
        this.older = older;
        this.overviews = overviews;
        this.backpressure = backpressure;
        this.version = catalog.pinCurrent();
        this.budget = new ProbabilityBudget(store.options(), version, maintenance.bound());
        if (store.options().timeBuckets().isEndless()) {
            catalog.endBuckets(Long.MIN_VALUE, TimeBuckets.NEVER);
            version = catalog.refresh(version);
        }
        look();
    }

    Version version() {
        return version;
    }

    /** The earliest time at which something expires. */
    long nextExpiry() {
        return nextExpiry;
    }

    /** Charges the entries of another active buffer from now on. */
    void use(EntryBuffer next) {
        active = next;
    }

    /** Takes over what the background has done, and throws what failed there. */
    void attend() {
        if (store.isClosed()) {
            throw new IllegalStateException("the filter is closed");
        }
        Throwable failure = reports.takeFailure();
        if (failure instanceof IOException io) {
            throw new UncheckedIOException("background work of the filter failed", io);
        }
        if (failure != null) {
            throw new IllegalStateException("background work of the filter failed", failure);
        }
        refreshIfNeeded();
    }

    /** Takes over what the background has done, if it has done anything. */
    void refreshIfNeeded() {
        if (reports.needsAttention()) {
            refresh();
        }
    }

    /** Takes over the latest version, and what the background has made for the owner. */
    void refresh() {
        version = catalog.refresh(version);
        reports.takeOffered().forEach((stored, summary) -> stored.file().installSummary(summary));
        reports.takeOverviewEnd().ifPresent(overviews::take);
        look();
        if (catalog.hasReleased()) {
            maintenance.startSweep();
        }
    }

    private void look() {
        older.use(version);
        nextExpiry = version.nextExpiry(store.options().timeBuckets());
        backpressure.look(version);
        budget.look(version, active);
        maintenance.bound(budget.bound());
    }

    /**
     * Which era takes more entries, and how many.
     *
     * @param least fewer entries than this are not worthwhile
     */
    EraRoom room(long least) {
        return budget.room(version, active, least);
    }

    /** Raises the bound of the false-positive probability, so that there is some room again. */
    void raiseBound() {
        budget.raise(version, active);
        maintenance.bound(budget.bound());
    }

    /** Upper bound of the probability that an absent hash is reported. */
    double falsePositiveBound() {
        return budget.bound();
    }

    /** Lets go of the version. */
    void close() {
        catalog.unpin(version);
        version = new Version(List.of(), List.of());
        older.use(version);
    }
}
