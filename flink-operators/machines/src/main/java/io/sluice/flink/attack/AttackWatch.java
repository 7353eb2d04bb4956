/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * Looks for one kind of attack in the attempts of a key group. Tallies and episodes take space in
 * the {@link Room} that the key groups of a subtask share; those that have to go are counted.
 *
 * <p>The clock is the watermark. After a restore the first watermark sets it, even to an earlier
 * time, so the effect of a wild watermark does not last. Until then nothing is late. Panes that are
 * closed again do not repeat what they have reported.
 *
 * <p>O(1) for a tally, O(parties of two panes) when a pane is closed. Not thread-safe.
 */
final class AttackWatch {

    /** Sees tallies. */
    @FunctionalInterface
    interface TallyVisitor {
        void visit(long pane, Tally tally);
    }

    /** No pane has been closed yet. */
    static final long NONE = Long.MIN_VALUE;

    /** Attempts further ahead of the watermark than this are counted. */
    private static final long AHEAD_MILLIS = 3_600_000;

    private static final Comparator<Tally> WRITTEN_ORDER =
            Comparator.comparingLong(Tally::lastMillis).thenComparingLong(Tally::key);

    private final AttackSettings settings;
    private final Room room;
    private final long paneMillis;
    private final long aheadPanes;
    private final AttackCounts counts;

    /** Panes by number: the last closed one, and all after it. */
    private final TreeMap<Long, Map<Party, Tally>> panes = new TreeMap<>();

    private final Map<Party, Episode> episodes = new LinkedHashMap<>();
    private long closed = NONE;

    /** The last closed pane before a restore; {@link #NONE} once there is a clock. */
    private long restoredClosed = NONE;

    private long tallies;

    /** A new watch: nothing is late before the first watermark. */
    AttackWatch(AttackSettings settings, Room room, AttackCounts counts) {
        this.settings = requireNonNull(settings, "settings");
        this.room = requireNonNull(room, "room");
        this.paneMillis = settings.paneMillis();
        this.aheadPanes =
                Math.max(AHEAD_MILLIS, settings.quiet().toMillis()) / settings.paneMillis();
        this.counts = requireNonNull(counts, "counts");
    }

    /** A watch that begins while its neighbours already have a clock. */
    AttackWatch startedAt(long watermark) {
        closed = closedBy(watermark, paneMillis);
        return this;
    }

    /** A watch that was written with this last closed pane, or {@link #NONE}. */
    AttackWatch restoredAt(long lastClosed) {
        restoredClosed = lastClosed;
        return this;
    }

    /** The last pane that a watermark closes, or {@link #NONE}. */
    static long closedBy(long watermark, long paneMillis) {
        long last = Math.floorDiv(watermark + 1, paneMillis) - 1;
        boolean isAny = watermark != Long.MIN_VALUE && last >= firstPane(paneMillis);
        return isAny ? last : NONE;
    }

    /** The pane that time begins in. */
    static long firstPane(long paneMillis) {
        return Math.floorDiv(Long.MIN_VALUE, paneMillis);
    }

    /** The pane that time ends in. */
    static long lastPane(long paneMillis) {
        return Long.MAX_VALUE / paneMillis;
    }

    /**
     * The last millisecond of a pane.
     *
     * @param number of a pane that contains a time
     */
    static long lastMillis(long number, long paneMillis) {
        // INVARIANT: no product overflows; the last pane of all ends with time itself.
        return number >= lastPane(paneMillis) ? Long.MAX_VALUE : (number + 1) * paneMillis - 1;
    }

    /** Adds a tally of one pane. */
    void add(Tally tally) {
        long number = Math.floorDiv(tally.lastMillis(), paneMillis);
        if (number <= closed) {
            counts.late = TallyCounts.sum(counts.late, tally.counts().events());
            return;
        }
        if (closed != NONE && number - aheadPanes > closed) {
            counts.ahead = TallyCounts.sum(counts.ahead, tally.counts().events());
        }
        counts.attempts = TallyCounts.sum(counts.attempts, tally.attempts());
        Map<Party, Tally> pane = panes.get(number);
        Tally there = pane == null ? null : pane.get(tally.party());
        if (there != null) {
            there.add(tally);
            room.touch(there);
            return;
        }
        room.add(this, number, tally);
        hold(number, tally);
    }

    /** Takes a tally that was read back. */
    void restore(long number, Tally tally) {
        room.restore(this, number, tally);
        hold(number, tally);
    }

    /** The tally of a pane, or null. */
    @Nullable
    Tally find(long number, Party party) {
        Map<Party, Tally> pane = panes.get(number);
        return pane == null ? null : pane.get(party);
    }

    private void hold(long number, Tally tally) {
        panes.computeIfAbsent(number, unused -> new LinkedHashMap<>(2)).put(tally.party(), tally);
        tallies++;
    }

    /** The room has dropped a tally to make place for another. */
    void giveWay(long number, Tally tally) {
        counts.forgotten++;
        Map<Party, Tally> pane = panes.get(number);
        pane.remove(tally.party());
        if (pane.isEmpty()) {
            panes.remove(number);
        }
        tallies--;
    }

    private void release(Map<Party, Tally> pane) {
        pane.values().forEach(room::remove);
        tallies -= pane.size();
    }

    /** Takes an episode that was read back. */
    void restore(Party party, Episode episode) {
        room.restoreEpisode();
        episodes.put(party, episode);
    }

    /** Closes every pane that is over at {@code watermark}, and reports what that shows. */
    void advance(long watermark, Consumer<AttackAlert> alerts) {
        long last = closedBy(watermark, paneMillis);
        if (restoredClosed != NONE) {
            closed = Math.min(restoredClosed, last);
            restoredClosed = NONE;
            leaveOutLate();
        }
        for (long next = nextToClose(); next <= last; next = nextToClose()) {
            close(next, alerts);
        }
        closed = Math.max(closed, last);
    }

    /**
     * Counts as late, and drops, what came between a restore and the first watermark for panes
     * before the clock.
     */
    private void leaveOutLate() {
        while (!panes.isEmpty() && panes.firstKey() < closed) {
            Map<Party, Tally> pane = panes.pollFirstEntry().getValue();
            release(pane);
            pane.values()
                    .forEach(
                            tally ->
                                    counts.late =
                                            TallyCounts.sum(counts.late, tally.counts().events()));
        }
    }

    /** The first pane after the closed ones whose end can show anything. */
    private long nextToClose() {
        long next = Long.MAX_VALUE;
        if (!panes.isEmpty()) {
            long first = panes.firstKey();
            next = first == closed ? closed + 1 : first;
        }
        for (Episode each : episodes.values()) {
            next = Math.min(next, Math.max(closed + 1, quietEnd(each)));
        }
        return next;
    }

    /** The pane with which an episode is over if no attack comes before. */
    private long quietEnd(Episode episode) {
        long end = episode.lastPane + settings.quietPanes();
        return end < episode.lastPane ? Long.MAX_VALUE : end;
    }

    private void close(long number, Consumer<AttackAlert> alerts) {
        Map<Party, Tally> now = panes.getOrDefault(number, Map.of());
        Map<Party, Tally> before = panes.getOrDefault(number - 1, Map.of());
        now.forEach((party, tally) -> judge(number, party, tally, before.get(party), alerts));
        before.forEach(
                (party, tally) -> {
                    if (!now.containsKey(party)) {
                        judge(number, party, null, tally, alerts);
                    }
                });
        if (!before.isEmpty()) {
            panes.remove(number - 1);
            release(before);
        }
        now.values().forEach(Tally::settle);
        closed = number;
        clear(number, alerts);
    }

    private void judge(
            long number,
            Party party,
            @Nullable Tally now,
            @Nullable Tally before,
            Consumer<AttackAlert> alerts) {
        Episode episode = episodes.get(party);
        if (episode != null && number >= episode.firstPane - 1) {
            episode.count(now);
        }
        if (now != null && now.isSettled()) {
            // Judged before the clock was set back, when more was known of the preceding pane.
            return;
        }
        long attempts =
                (now == null ? 0 : now.attempts()) + (before == null ? 0 : before.attempts());
        if (attempts < settings.threshold()) {
            return;
        }
        Tally window = now == null ? before : now;
        if (now != null && before != null) {
            window = now.copy();
            window.add(before);
        }
        if (!settings.isAttack(window)) {
            return;
        }
        if (episode == null) {
            raise(number, window, now, before, alerts);
        } else {
            episode.extend(number, window, now, before);
        }
    }

    private void raise(
            long number,
            Tally window,
            @Nullable Tally now,
            @Nullable Tally before,
            Consumer<AttackAlert> alerts) {
        // An attack that could be reported twice is not reported.
        if (!room.takeEpisode()) {
            counts.forgotten++;
            return;
        }
        Episode episode = Episode.of(number, window, now, before);
        episodes.put(window.party(), episode);
        counts.raised++;
        alerts.accept(
                episode.alert(
                        settings.kind(), true, window.party(), lastMillis(number, paneMillis)));
    }

    private void clear(long number, Consumer<AttackAlert> alerts) {
        Iterator<Map.Entry<Party, Episode>> each = episodes.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Party, Episode> entry = each.next();
            Episode episode = entry.getValue();
            if (episode.lastPane - settings.quietPanes() > number) {
                // Raised by wild timestamps when the input ended; it is over soon after all.
                episode.lastPane = number;
                episode.firstPane = Math.min(episode.firstPane, number);
            }
            if (quietEnd(episode) <= number) {
                each.remove();
                room.giveEpisodeBack();
                counts.cleared++;
                alerts.accept(
                        episode.alert(
                                settings.kind(),
                                false,
                                entry.getKey(),
                                lastMillis(number, paneMillis)));
            }
        }
    }

    /**
     * The input has ended, for good or for a while: raises what is already an attack although its
     * panes are not over. They stay open, and nothing is cleared.
     */
    void endInput(Consumer<AttackAlert> alerts) {
        panes.tailMap(closed, false)
                .forEach(
                        (number, now) -> {
                            Map<Party, Tally> before = panes.getOrDefault(number - 1, Map.of());
                            now.forEach(
                                    (party, tally) -> {
                                        if (!episodes.containsKey(party)) {
                                            judge(number, party, tally, before.get(party), alerts);
                                        }
                                    });
                        });
    }

    /** Nothing more will come, and no job continues from here: every attack is over. */
    void end(Consumer<AttackAlert> alerts) {
        advance(Long.MAX_VALUE - 1, alerts);
        // The rest is so near the end of time that no watermark closes its pane.
        endInput(alerts);
        panes.values().forEach(this::release);
        panes.clear();
        episodes.forEach(
                (party, episode) -> {
                    room.giveEpisodeBack();
                    counts.cleared++;
                    alerts.accept(episode.alert(settings.kind(), false, party, Long.MAX_VALUE));
                });
        episodes.clear();
    }

    AttackSettings settings() {
        return settings;
    }

    AttackCounts counts() {
        return counts;
    }

    /** The last closed pane, or {@link #NONE}. */
    long closed() {
        return closed == NONE ? restoredClosed : closed;
    }

    /** Parties of all panes. */
    long tallies() {
        return tallies;
    }

    /** By panes, least recently updated first. */
    void forEachTally(TallyVisitor visitor) {
        panes.forEach(
                (number, pane) -> {
                    List<Tally> sorted = new ArrayList<>(pane.values());
                    sorted.sort(WRITTEN_ORDER);
                    sorted.forEach(tally -> visitor.visit(number, tally));
                });
    }

    /** The attacks that are not over. */
    Map<Party, Episode> episodes() {
        return episodes;
    }
}
