/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import javax.annotation.Nullable;

/** An attack that was reported and is not over. */
final class Episode {

    /**
     * The pane with which its first window ended. Attempts that come after a drain may show that it
     * began earlier than was reported.
     */
    long firstPane;

    /** The last pane with which a window of the attack ended. */
    long lastPane;

    final TallyCounts counts;

    /** The most targets asked within one window. */
    long targets;

    long firstMillis;

    Episode(long firstPane, long lastPane, TallyCounts counts, long targets, long firstMillis) {
        this.firstPane = firstPane;
        this.lastPane = lastPane;
        this.counts = counts;
        this.targets = targets;
        this.firstMillis = firstMillis;
    }

    /** An episode that begins with a window; the tallies may be null. */
    static Episode of(long pane, Tally window, @Nullable Tally now, @Nullable Tally before) {
        Episode episode =
                new Episode(pane, pane, new TallyCounts(0, 0, 0), window.targets(), Long.MAX_VALUE);
        if (now != null) {
            now.forgetReported();
        }
        if (before != null) {
            before.forgetReported();
        }
        episode.extend(pane, window, now, before);
        return episode;
    }

    /** Continues with a window of the attack; the tallies may be null. */
    void extend(long pane, Tally window, @Nullable Tally now, @Nullable Tally before) {
        if (pane <= firstPane) {
            firstPane = pane;
            firstMillis = Math.min(firstMillis, window.firstMillis());
        }
        lastPane = Math.max(lastPane, pane);
        targets = Math.max(targets, window.targets());
        count(now);
        count(before);
    }

    /** Adds the part of a tally that was not added so far; the tally may be null. */
    void count(@Nullable Tally tally) {
        if (tally != null) {
            counts.add(tally.takeUnreported());
        }
    }

    AttackAlert alert(AttackKind kind, boolean raised, Party party, long millis) {
        return new AttackAlert(
                kind,
                raised,
                party.address(),
                party.port(),
                counts.attempts,
                counts.completed,
                counts.refused,
                targets,
                firstMillis,
                millis);
    }
}
