/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.flow.Attempt;
import javax.annotation.Nullable;

/** What is known of a party in a pane, or in two. */
final class Tally {

    private long attempts;
    private long completed;
    private long refused;
    private long firstMillis = Long.MAX_VALUE;
    private long lastMillis = Long.MIN_VALUE;

    /** Null where nobody asks for them. */
    @Nullable private final DistinctTargets targets;

    Tally(AttackKind kind) {
        targets = kind == AttackKind.SCAN ? new DistinctTargets() : null;
    }

    Tally(
            long attempts,
            long completed,
            long refused,
            long firstMillis,
            long lastMillis,
            @Nullable DistinctTargets targets) {
        this.attempts = attempts;
        this.completed = completed;
        this.refused = refused;
        this.firstMillis = firstMillis;
        this.lastMillis = lastMillis;
        this.targets = targets;
    }

    void add(Attempt attempt) {
        firstMillis = Math.min(firstMillis, attempt.millis());
        lastMillis = Math.max(lastMillis, attempt.millis());
        switch (attempt.kind()) {
            case STARTED -> {
                attempts++;
                if (targets != null) {
                    targets.add(new Party(attempt.target(), attempt.port()).hash());
                }
            }
            case COMPLETED -> completed++;
            case REFUSED -> refused++;
        }
    }

    void add(Tally other) {
        attempts += other.attempts;
        completed += other.completed;
        refused += other.refused;
        firstMillis = Math.min(firstMillis, other.firstMillis);
        lastMillis = Math.max(lastMillis, other.lastMillis);
        if (targets != null && other.targets != null) {
            targets.add(other.targets);
        }
    }

    long attempts() {
        return attempts;
    }

    long completed() {
        return completed;
    }

    long refused() {
        return refused;
    }

    /** May be negative where answers come in a later pane than what they answer. */
    long unanswered() {
        return attempts - completed - refused;
    }

    /** Different services asked, an estimate; 0 where nobody asks for it. */
    long targets() {
        return targets == null ? 0 : targets.estimate();
    }

    @Nullable
    DistinctTargets distinctTargets() {
        return targets;
    }

    long firstMillis() {
        return firstMillis;
    }

    long lastMillis() {
        return lastMillis;
    }
}
