/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Room for the tallies of all key groups of a subtask, and for its episodes. A new tally always
 * finds room: the least one gives way, and of equals the one that was heard of longest ago,
 * whatever its key group and its pane. So neither panes that no watermark closes nor key groups
 * with many parties hold room that another needs.
 *
 * <p>Least is the size class, the logarithm of {@link Tally#weight}. A class gives way only beyond
 * its own part of the room: half of it for parties heard of once, a quarter for the next, and so
 * on. Without that, a new scan would never grow where all the room is taken by parties that are a
 * little larger. With it, whoever wants to hide a scan has to make up half as many attempts as
 * there is room for parties between two of its probes, whatever its size.
 *
 * <p>What was restored is kept, beyond the room if need be, until something new comes. O(classes)
 * for a tally that gives way, O(1) otherwise. Not thread-safe.
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

    /** Takes a tally in; others may give way. */
    void add(AttackWatch watch, long pane, Tally tally) {
        while (tallies >= most) {
            RoomLink least = least();
            AttackWatch holder = least.watch;
            remove(least.tally);
            holder.giveWay(least.pane, least.tally);
        }
        restore(watch, pane, tally);
    }

    /** Takes a tally in, beyond the room if need be. */
    void restore(AttackWatch watch, long pane, Tally tally) {
        RoomLink link = tally.link;
        link.watch = watch;
        link.pane = pane;
        link.sizeClass = sizeClass(tally);
        classes.get(link.sizeClass).append(link);
        tallies++;
    }

    /**
     * INVARIANT: the guaranteed parts add up to less than the room, so a full one has a surplus.
     */
    private RoomLink least() {
        for (SizeClass each : classes) {
            if (each.size > each.guaranteed) {
                return each.oldest;
            }
        }
        throw new AssertionError("no tallies, though " + tallies + " of " + most);
    }

    /** More was heard of a tally that is here. */
    void touch(Tally tally) {
        RoomLink link = tally.link;
        classes.get(link.sizeClass).unlink(link);
        link.sizeClass = sizeClass(tally);
        classes.get(link.sizeClass).append(link);
    }

    /** Lets a tally go. */
    void remove(Tally tally) {
        RoomLink link = tally.link;
        classes.get(link.sizeClass).unlink(link);
        link.watch = null;
        tallies--;
    }

    /**
     * Puts what was restored into the order in which it was heard of, as far as its times tell:
     * they came by key groups. O(n log n).
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

    /** Takes room for an episode, whether it is there or not. */
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
