/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.LevelFile;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Looks for entries that may be held: in the active buffer and in everything {@link OlderEntries}.
 *
 * <p>What the overview does not deny is mostly held, and in one place. So the place where more was
 * found lately is asked first: the buffer, if streams repeat themselves soon; otherwise the largest
 * files. Without an overview most entries are nowhere, so all places have to be asked, with
 * overlapping memory accesses.
 *
 * <p>Used only by the owner.
 */
final class Lookups {

    /** After this many finds in one place, all earlier ones count half. */
    private static final int MANY_FOUND = 1 << 10;

    private final ActiveBuffer active;
    private final OlderEntries older;
    private final Overviews overviews;

    /** How often, lately, an entry was found in the buffer and in one of the favourite files. */
    private int foundInBuffer;

    private int foundInFavourites;

    /** The entry that is looked for. */
    private final OlderLookup lookup = new OlderLookup();

    Lookups(ActiveBuffer active, OlderEntries older, Overviews overviews) {
        this.active = active;
        this.older = older;
        this.overviews = overviews;
    }

    /** Adds an entry that the overview, if there is one, did not deny; true if it was absent. */
    boolean addUnlessHeld(long entry) {
        if (overviews.isReady()) {
            return !isHeld(entry) && active.add(entry, active.buffer().position(entry));
        }
        EntryBuffer buffer = active.buffer();
        long position = buffer.position(entry);
        lookup.begin(entry);
        return (!older.findCandidates(lookup) || !isHeld(buffer.find(position)))
                && active.add(entry, position);
    }

    /** Whether an entry is held that the overview, if there is one, did not deny. */
    boolean isHeld(long entry) {
        lookup.begin(entry);
        if (!overviews.isReady()) {
            older.findCandidates(lookup);
            return isHeld(findInBuffer(entry));
        }
        boolean bufferFirst = foundInBuffer >= foundInFavourites;
        if (bufferFirst) {
            int there = findInBuffer(entry);
            if (there != LevelFile.ABSENT) {
                return there == LevelFile.PRESENT;
            }
        }
        // A tombstone in the buffer would have to be seen before.
        if ((bufferFirst || !active.hasTombstones()) && isInFavourites()) {
            return true;
        }
        older.findCandidates(lookup);
        return isHeld(bufferFirst ? LevelFile.ABSENT : findInBuffer(entry));
    }

    private int findInBuffer(long entry) {
        int there = active.find(entry);
        if (there == LevelFile.PRESENT) {
            foundInBuffer++;
            forgetIfMany();
        }
        return there;
    }

    private boolean isInFavourites() {
        boolean found;
        try {
            found = older.isInFavourites(lookup);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (found) {
            foundInFavourites++;
            forgetIfMany();
        }
        return found;
    }

    private void forgetIfMany() {
        if (Math.max(foundInBuffer, foundInFavourites) >= MANY_FOUND) {
            foundInBuffer >>= 1;
            foundInFavourites >>= 1;
        }
    }

    /**
     * Whether the entry of the lookup is held, once its candidates are known.
     *
     * @param inBuffer what the buffer says about the entry
     */
    private boolean isHeld(int inBuffer) {
        return inBuffer == LevelFile.ABSENT ? isHeldByOlder() : inBuffer == LevelFile.PRESENT;
    }

    private boolean isHeldByOlder() {
        try {
            return older.holds(lookup);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Removes an entry that the overview, if there is one, did not deny; returns whether it was
     * held.
     */
    boolean remove(long entry) {
        EntryBuffer buffer = active.buffer();
        long position = buffer.position(entry);
        int there = buffer.find(position);
        if (there == LevelFile.TOMBSTONE) {
            return false;
        }
        lookup.begin(entry);
        if (older.findCandidates(lookup) && isHeldByOlder()) {
            active.addTombstone(entry, position);
            return true;
        }
        if (there == LevelFile.PRESENT) {
            buffer.erase(position);
            return true;
        }
        return false;
    }
}
