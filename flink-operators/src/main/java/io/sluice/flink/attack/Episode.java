/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

/** An attack that was reported and is not over. */
final class Episode {

    /** The last pane with which a window of the attack ended. */
    long lastPane;

    long attempts;
    long completed;
    long refused;

    /** The most that were asked within one window. */
    long targets;

    final long firstMillis;

    Episode(long lastPane, long firstMillis) {
        this.lastPane = lastPane;
        this.firstMillis = firstMillis;
    }

    /** Adds all but the services asked. */
    void add(Tally more) {
        attempts += more.attempts();
        completed += more.completed();
        refused += more.refused();
    }

    AttackAlert alert(AttackKind kind, boolean raised, Party party, long millis) {
        return new AttackAlert(
                kind,
                raised,
                party.address(),
                party.port(),
                attempts,
                completed,
                refused,
                targets,
                firstMillis,
                millis);
    }
}
