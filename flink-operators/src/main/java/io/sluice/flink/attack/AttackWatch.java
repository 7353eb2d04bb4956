/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.flow.Attempt;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * Looks for one kind of attack in the attempts of a key group.
 *
 * <p>Memory: a pane holds so many parties at most, all panes together {@value #PANES} times as
 * many: the one that was closed last, the one that fills, and what a watermark that lags leaves
 * open. A party more takes the place of the one of its pane that was heard of longest ago. Under a
 * flood from made-up addresses those are the addresses, which are heard of once: a host that scans
 * stays, if fewer new parties come between two of its attempts than there is room for. Whoever has
 * to go is counted.
 *
 * <p>O(1) for an attempt, O(parties of two panes) when one is closed. Not thread-safe.
 */
final class AttackWatch {

    /** Sees tallies. */
    @FunctionalInterface
    interface TallyVisitor {
        void visit(long pane, Party party, Tally tally);
    }

    private static final int PANES = 4;

    private static final float LOAD = 0.75f;

    /** No pane was closed yet. */
    static final long NONE = Long.MIN_VALUE;

    private final AttackSettings settings;
    private final int partiesOfPane;
    private final long paneMillis;
    private final AttackCounts counts;

    /** By their numbers: the last closed one, and those after it. Longest not heard of first. */
    private final TreeMap<Long, LinkedHashMap<Party, Tally>> panes = new TreeMap<>();

    private final Map<Party, Episode> episodes = new LinkedHashMap<>();
    private long closed;
    private long tallies;

    /**
     * @param partiesOfPane at least 1
     * @param closed the last pane that is closed, or {@link #NONE}
     */
    AttackWatch(AttackSettings settings, int partiesOfPane, long closed, AttackCounts counts) {
        this.settings = requireNonNull(settings, "settings");
        this.partiesOfPane = partiesOfPane;
        this.paneMillis = settings.paneMillis();
        this.closed = closed;
        this.counts = requireNonNull(counts, "counts");
    }

    /** The last pane that a watermark closes, or {@link #NONE}: there is nothing more of it. */
    static long closedBy(long watermark, long paneMillis) {
        return watermark == Long.MIN_VALUE ? NONE : Math.floorDiv(watermark + 1, paneMillis) - 1;
    }

    /** Counts what became of an attempt. */
    void add(Attempt attempt) {
        long number = Math.floorDiv(attempt.millis(), paneMillis);
        if (number <= closed) {
            counts.late++;
            return;
        }
        counts.attempts += attempt.kind() == Attempt.Kind.STARTED ? 1 : 0;
        Tally tally = tally(number, settings.kind().partyOf(attempt));
        if (tally != null) {
            tally.add(attempt);
        }
    }

    /** The tally, a new one if need be; null if there is no room. */
    @Nullable
    private Tally tally(long number, Party party) {
        LinkedHashMap<Party, Tally> pane = panes.get(number);
        Tally tally = pane == null ? null : pane.get(party);
        if (tally != null) {
            return tally;
        }
        boolean isFull = tallies >= (long) PANES * partiesOfPane;
        if (isFull || (pane != null && pane.size() >= partiesOfPane)) {
            counts.forgotten++;
            if (pane == null) {
                return null;
            }
            forgetEldest(pane);
        }
        Tally begun = new Tally(settings.kind());
        put(number, party, begun);
        return begun;
    }

    private void forgetEldest(Map<Party, Tally> pane) {
        Iterator<Tally> eldest = pane.values().iterator();
        eldest.next();
        eldest.remove();
        tallies--;
    }

    /** Takes a tally over, or adds it to the one that is there. */
    void put(long number, Party party, Tally tally) {
        Tally there =
                panes.computeIfAbsent(number, unused -> new LinkedHashMap<>(2, LOAD, true))
                        .putIfAbsent(party, tally);
        if (there == null) {
            tallies++;
        } else {
            there.add(tally);
        }
    }

    /** Takes an episode over. */
    void put(Party party, Episode episode) {
        episodes.put(party, episode);
    }

    /** Closes every pane that is over at {@code watermark}, and says what that shows. */
    void advance(long watermark, Consumer<AttackAlert> alerts) {
        long last = closedBy(watermark, paneMillis);
        for (long next = nextToClose(); next <= last; next = nextToClose()) {
            close(next, alerts);
        }
        if (last > closed) {
            closed = last;
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
            next = Math.min(next, each.lastPane + settings.quietPanes());
        }
        return next;
    }

    private void close(long number, Consumer<AttackAlert> alerts) {
        Map<Party, Tally> now = panes.getOrDefault(number, new LinkedHashMap<>());
        LinkedHashMap<Party, Tally> before = panes.remove(number - 1);
        if (before == null) {
            now.forEach((party, tally) -> judge(number, party, tally, null, alerts));
        } else {
            now.forEach((party, tally) -> judge(number, party, tally, before.get(party), alerts));
            before.forEach(
                    (party, tally) -> {
                        if (!now.containsKey(party)) {
                            judge(number, party, new Tally(settings.kind()), tally, alerts);
                        }
                    });
            tallies -= before.size();
        }
        closed = number;
        clear(number, alerts);
    }

    private void judge(
            long number,
            Party party,
            Tally now,
            @Nullable Tally before,
            Consumer<AttackAlert> alerts) {
        Episode episode = episodes.get(party);
        // A pane is counted already if it was open when the input ended for a while.
        if (episode != null && number > episode.lastPane) {
            episode.add(now);
        }
        if (now.attempts() + (before == null ? 0 : before.attempts()) < settings.threshold()) {
            return;
        }
        Tally window = now;
        if (before != null) {
            window = new Tally(settings.kind());
            window.add(now);
            window.add(before);
        }
        if (!settings.isAttack(window)) {
            return;
        }
        if (episode == null) {
            raise(number, party, window, alerts);
        } else {
            episode.lastPane = Math.max(number, episode.lastPane);
            episode.targets = Math.max(episode.targets, window.targets());
        }
    }

    private void raise(long number, Party party, Tally window, Consumer<AttackAlert> alerts) {
        // With at least `threshold` attempts each they are few; no attack is reported that could
        // be reported twice.
        if (episodes.size() >= partiesOfPane) {
            counts.forgotten++;
            return;
        }
        Episode episode = new Episode(number, window.firstMillis());
        episode.add(window);
        episode.targets = window.targets();
        episodes.put(party, episode);
        counts.raised++;
        alerts.accept(episode.alert(settings.kind(), true, party, lastMillis(number)));
    }

    private void clear(long number, Consumer<AttackAlert> alerts) {
        Iterator<Map.Entry<Party, Episode>> each = episodes.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Party, Episode> entry = each.next();
            Episode episode = entry.getValue();
            if (number - episode.lastPane >= settings.quietPanes()) {
                each.remove();
                counts.cleared++;
                alerts.accept(
                        episode.alert(settings.kind(), false, entry.getKey(), lastMillis(number)));
            }
        }
    }

    /**
     * The input has ended, for good or for a while: raises what is an attack already though its
     * panes are not over. They stay open, and nothing is cleared.
     */
    void endInput(Consumer<AttackAlert> alerts) {
        panes.tailMap(closed, false)
                .forEach(
                        (number, now) -> {
                            Map<Party, Tally> before = panes.get(number - 1);
                            now.forEach(
                                    (party, tally) -> {
                                        if (!episodes.containsKey(party)) {
                                            judge(
                                                    number,
                                                    party,
                                                    tally,
                                                    before == null ? null : before.get(party),
                                                    alerts);
                                        }
                                    });
                        });
    }

    private long lastMillis(long number) {
        return (number + 1) * paneMillis - 1;
    }

    AttackSettings settings() {
        return settings;
    }

    AttackCounts counts() {
        return counts;
    }

    /** The last closed pane, or {@link #NONE}. */
    long closed() {
        return closed;
    }

    /** Parties of all panes. */
    long tallies() {
        return tallies;
    }

    /** By panes, longest not heard of first. */
    void forEachTally(TallyVisitor visitor) {
        panes.forEach(
                (number, pane) ->
                        pane.forEach((party, tally) -> visitor.visit(number, party, tally)));
    }

    /** Attacks that are not over. */
    Map<Party, Episode> episodes() {
        return episodes;
    }
}
