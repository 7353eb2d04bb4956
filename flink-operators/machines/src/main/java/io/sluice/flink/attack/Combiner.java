/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Attempt;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Adds up attempts by party and pane, in bounded memory, before they are sent on. Sums, times and
 * targets of tallies add up to the same in any grouping, so the receiver finds exactly what it
 * would find in the attempts.
 *
 * <p>An open-addressing table with linear probing from the party's hash; it is emptied when it is
 * full, or has a long chain. O(1) for an attempt, which allocates nothing if its party is known in
 * its pane; O(table) to empty. Not thread-safe.
 */
final class Combiner {

    /** Tallies held, of 250 to 600 bytes each. */
    static final int MOST = 1 << 14;

    /** INVARIANT: a power of two, and at most half full: every chain ends. */
    private static final int SLOTS = 2 * MOST;

    /** A longer chain is of parties that chose their addresses: chance makes none that long. */
    private static final int LONGEST_CHAIN = 256;

    private final AttackSettings settings;
    private final long paneMillis;
    private final Consumer<Tally> out;
    private final Tally[] slots = new Tally[SLOTS];
    private int size;
    private long oldestPane = Long.MAX_VALUE;

    /**
     * @param out receives the tallies
     */
    Combiner(AttackSettings settings, Consumer<Tally> out) {
        this.settings = requireNonNull(settings, "settings");
        this.paneMillis = settings.paneMillis();
        this.out = requireNonNull(out, "out");
    }

    /** Adds an attempt; this may emit what is held. */
    void add(Attempt attempt) {
        if (attempt.kind() == Attempt.Kind.CLAIMED && !settings.oneSided()) {
            return;
        }
        Address address = settings.kind().addressOf(attempt);
        int port = settings.kind().portOf(attempt);
        long key = Party.hash(address, port);
        long pane = Math.floorDiv(attempt.millis(), paneMillis);
        int begin = slot(key, pane);
        int slot = begin;
        while (slots[slot] != null) {
            Tally tally = slots[slot];
            if (tally.key() == key && paneOf(tally) == pane && isOf(tally, address, port)) {
                tally.add(attempt, settings.oneSided());
                return;
            }
            slot = slot + 1 & SLOTS - 1;
        }
        if (size == MOST || (slot - begin & SLOTS - 1) > LONGEST_CHAIN) {
            flush();
            slot = begin;
        }
        Tally begun = new Tally(settings.kind(), new Party(address, port), key);
        begun.add(attempt, settings.oneSided());
        slots[slot] = begun;
        size++;
        oldestPane = Math.min(oldestPane, pane);
    }

    /** A party's panes lie near each other, and begin at different slots. */
    private static int slot(long key, long pane) {
        return (int) (key + 7 * pane) & SLOTS - 1;
    }

    private static boolean isOf(Tally tally, Address address, int port) {
        return tally.party().port() == port && tally.party().address().equals(address);
    }

    private long paneOf(Tally tally) {
        return Math.floorDiv(tally.lastMillis(), paneMillis);
    }

    /** Emits what belongs to panes that {@code watermark} closes. */
    void flushClosed(long watermark) {
        long closed = AttackWatch.closedBy(watermark, paneMillis);
        if (oldestPane > closed) {
            return;
        }
        Tally[] all = slots.clone();
        clear();
        // From a free slot on, so that no chain is cut in two and no tally ends further from its
        // slot than before.
        int free = 0;
        while (all[free] != null) {
            free++;
        }
        for (int i = 1; i < SLOTS; i++) {
            Tally tally = all[free + i & SLOTS - 1];
            if (tally != null) {
                long pane = paneOf(tally);
                if (pane <= closed) {
                    out.accept(tally);
                } else {
                    put(tally, pane);
                }
            }
        }
    }

    private void put(Tally tally, long pane) {
        int slot = slot(tally.key(), pane);
        while (slots[slot] != null) {
            slot = slot + 1 & SLOTS - 1;
        }
        slots[slot] = tally;
        size++;
        oldestPane = Math.min(oldestPane, pane);
    }

    /** Emits everything that is held. */
    void flush() {
        if (size == 0) {
            return;
        }
        for (Tally tally : slots) {
            if (tally != null) {
                out.accept(tally);
            }
        }
        clear();
    }

    private void clear() {
        Arrays.fill(slots, null);
        size = 0;
        oldestPane = Long.MAX_VALUE;
    }
}
