/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Room for the tallies of all key groups of a subtask, and for its episodes. A new tally always
 * finds room: the smallest one gives way, or among equals the least recently updated, whatever its
 * key group and pane. So neither panes that no watermark closes nor key groups with many parties
 * hold room that another needs.
 *
 * <p>Size is measured in classes, by the logarithm of {@link Tally#weight}. A class gives way only
 * beyond its own part of the room: half of the room for parties seen once, a quarter for the next
 * class, and so on. Otherwise a new scan could never grow while all the room is taken by parties
 * that are a little larger. With this rule, hiding a scan of any size takes, between two of its
 * probes, fake attempts for half the number of parties that there is room for.
 *
 * <p>Restored tallies are kept, even beyond the room, until something new comes. O(classes) for a
 * tally that gives way, O(1) otherwise. Not thread-safe.
 */
final class Room {

    private static final int CLASSES = 21;

    private final long most;
    private final List<SizeClass> classes = new ArrayList<>(CLASSES);
    private long tallies;
    private long episodes;

    /** Oldest first. */
    private static final class SizeClass {
        private final long guaranteed;
        private RoomLink oldest;
        private RoomLink youngest;
        private long size;

        SizeClass(long guaranteed) {
            this.guaranteed = guaranteed;
        }

        void append(RoomLink link) {
            link.older = youngest;
            link.younger = null;
            if (youngest == null) {
                oldest = link;
            } else {
                youngest.younger = link;
            }
            youngest = link;
            size++;
        }

        void unlink(RoomLink link) {
            if (link.older == null) {
                oldest = link.younger;
            } else {
                link.older.younger = link.younger;
            }
            if (link.younger == null) {
                youngest = link.older;
            } else {
                link.younger.older = link.older;
            }
            link.older = null;
            link.younger = null;
            size--;
        }
    }

    /**
     * @param most tallies, and episodes, at least 1
     */
    Room(long most) {
        this.most = most;
        for (int i = 0; i < CLASSES; i++) {
            classes.add(new SizeClass(most >> (i + 1)));
        }
    }

    private static int sizeClass(Tally tally) {
        int log = Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, tally.weight()));
        return Math.min(log, CLASSES - 1);
    }

    /** Adds a tally; others may give way. */
    void add(AttackWatch watch, long pane, Tally tally) {
        while (tallies >= most) {
            RoomLink least = least();
            AttackWatch holder = least.watch;
            remove(least.tally);
            holder.giveWay(least.pane, least.tally);
        }
        restore(watch, pane, tally);
    }

    /** Adds a tally, beyond the room if necessary. */
    void restore(AttackWatch watch, long pane, Tally tally) {
        RoomLink link = tally.link;
        link.watch = watch;
        link.pane = pane;
        link.sizeClass = sizeClass(tally);
        classes.get(link.sizeClass).append(link);
        tallies++;
    }

    /**
     * INVARIANT: the guaranteed parts add up to less than the room, so a full room has a class with
     * a surplus.
     */
    private RoomLink least() {
        for (SizeClass each : classes) {
            if (each.size > each.guaranteed) {
                return each.oldest;
            }
        }
        throw new AssertionError("no tallies, though " + tallies + " of " + most);
    }

    /** A tally that is here was updated. */
    void touch(Tally tally) {
        RoomLink link = tally.link;
        classes.get(link.sizeClass).unlink(link);
        link.sizeClass = sizeClass(tally);
        classes.get(link.sizeClass).append(link);
    }

    /** Removes a tally. */
    void remove(Tally tally) {
        RoomLink link = tally.link;
        classes.get(link.sizeClass).unlink(link);
        link.watch = null;
        tallies--;
    }

    /**
     * Sorts restored tallies, which came by key groups, by the order of their updates as far as
     * their times show it. O(n log n).
     */
    void sort() {
        for (SizeClass each : classes) {
            List<RoomLink> links = new ArrayList<>();
            for (RoomLink link = each.oldest; link != null; link = link.younger) {
                links.add(link);
            }
            links.sort(Comparator.comparingLong(link -> link.tally.lastMillis()));
            each.oldest = null;
            each.youngest = null;
            each.size = 0;
            links.forEach(each::append);
        }
    }

    /** Whether there is room for one more episode; then it is taken. */
    boolean takeEpisode() {
        if (episodes >= most) {
            return false;
        }
        episodes++;
        return true;
    }

    /** Takes room for an episode, whether there is any left or not. */
    void restoreEpisode() {
        episodes++;
    }

    void giveEpisodeBack() {
        episodes--;
    }

    /** Tallies of all key groups. */
    long tallies() {
        return tallies;
    }
}
