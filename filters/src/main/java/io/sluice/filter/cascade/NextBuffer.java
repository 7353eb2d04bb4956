/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.FilterFullException;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Which buffer follows the active one: one of the era that has room. If the set has outgrown its
 * bits, makes room as the {@link CapacityPolicy} says.
 *
 * <p>Used only by the owner.
 */
final class NextBuffer {

    /**
     * A new buffer in an ending era is worthwhile only if it takes a full buffer's entries divided
     * by this.
     */
    private static final int MIN_PART = 8;

    private final CascadeStore store;
    private final CascadeOptions options;
    private final Catalog catalog;
    private final Maintenance maintenance;
    private final CurrentVersion current;
    private final Backpressure backpressure;

    /** Whether a key group crowded a buffer; the spread of keys is not expected to change. */
    private boolean isUneven;

    /** Entries that were forgotten because the filter has outgrown its bits. */
    private long forgottenEntries;

    NextBuffer(CascadeStore store, CurrentVersion current, Backpressure backpressure) {
        this.store = store;
        this.options = store.options();
        this.catalog = store.catalog();
        this.maintenance = store.maintenance();
        this.current = current;
        this.backpressure = backpressure;
    }

    /**
     * An empty buffer; {@code last} itself if it is empty and still fits.
     *
     * @param last the active one; null at the opening
     * @param full whether a full-sized one with room is needed and worth waiting for; otherwise it
     *     may be a small one, or one that takes nothing
     * @param bucketEnd of its entries
     * @throws FilterFullException if there is no room and the policy is {@link CapacityPolicy#FAIL}
     */
    EntryBuffer after(EntryBuffer last, boolean full, long bucketEnd) {
        long least = store.schedule().bufferEntries() / MIN_PART;
        EraRoom era = full ? makeRoom(least) : current.room(least);
        EntryBuffer next = last;
        if (next == null || next.size() > 0 || next.hashBits() != era.hashBits()) {
            next =
                    full
                            ? backpressure.awaitBuffer(era.hashBits(), current::refresh)
                            : store.buffers().takeAny(era.hashBits());
        }
        isUneven |= last != null && last.isUneven();
        next.begin(era, bucketEnd, isUneven);
        return next;
    }

    /** The era that has room. If none has, room is made. */
    private EraRoom makeRoom(long least) {
        EraRoom era = current.room(least);
        while (era.entries() == 0) {
            if (options.capacityPolicy() == CapacityPolicy.FAIL) {
                throw new FilterFullException(
                        "the set has outgrown its capacity of "
                                + options.capacity()
                                + " entries so far that falsePositiveProbability "
                                + options.falsePositiveProbability()
                                + " cannot be kept with the bits of a hash that there are: open it"
                                + " with a greater probability, let entries expire, or choose"
                                + " another capacityPolicy");
            }
            if (options.capacityPolicy() == CapacityPolicy.FORGET_OLDEST && hasFile()) {
                forgottenEntries += catalog.forgetOldest();
                current.refresh();
            } else {
                current.raiseBound();
            }
            era = current.room(least);
        }
        return era;
    }

    /** Whether there is something to forget; writes what is only in memory first. */
    private boolean hasFile() {
        try {
            while (isOnlyInMemory(current.version())) {
                FrozenBuffer oldest = catalog.claimOldest();
                if (oldest != null) {
                    maintenance.write(oldest);
                } else {
                    catalog.awaitWriting();
                }
                current.refresh();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return !current.version().files().isEmpty();
    }

    private static boolean isOnlyInMemory(Version version) {
        return version.files().isEmpty() && !version.frozen().isEmpty();
    }

    long forgottenEntries() {
        return forgottenEntries;
    }
}
