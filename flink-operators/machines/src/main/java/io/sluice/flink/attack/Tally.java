/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.flow.Attempt;
import javax.annotation.Nullable;

/**
 * What is known of a party in a pane. Travels from a {@link Combiner} to an {@link AttackWatch},
 * which holds it.
 */
final class Tally {

    private final Party party;
    private final long key;
    private final TallyCounts counts;
    private long firstMillis;
    private long lastMillis;

    /** Null where targets are not counted. */
    @Nullable private final DistinctTargets targets;

    /** The part of the counts that an {@link Episode} already has; null if nothing. */
    @Nullable private TallyCounts reported;

    /** Whether its pane was judged and nothing has been added since. */
    private boolean isSettled;

    /** Its place among its neighbours; managed by the {@link Room}. */
    final RoomLink link = new RoomLink(this);

    /**
     * An empty tally of a party.
     *
     * @param key the party's {@link Party#hash}
     */
    Tally(AttackKind kind, Party party, long key) {
        this(
                party,
                key,
                new TallyCounts(0, 0, 0),
                Long.MAX_VALUE,
                Long.MIN_VALUE,
                kind == AttackKind.SCAN ? new DistinctTargets() : null);
    }

    Tally(
            Party party,
            long key,
            TallyCounts counts,
            long firstMillis,
            long lastMillis,
            @Nullable DistinctTargets targets) {
        this.party = requireNonNull(party, "party");
        this.key = key;
        this.counts = requireNonNull(counts, "counts");
        this.firstMillis = firstMillis;
        this.lastMillis = lastMillis;
        this.targets = targets;
    }

    /** A copy that no room holds and that was not reported. */
    Tally copy() {
        return new Tally(
                party,
                key,
                counts.copy(),
                firstMillis,
                lastMillis,
                targets == null ? null : targets.copy());
    }

    /**
     * Adds an attempt of this party.
     *
     * @param oneSided whether {@link Attempt.Kind#CLAIMED} counts as completed; if not, it is
     *     ignored
     */
    void add(Attempt attempt, boolean oneSided) {
        switch (attempt.kind()) {
            case STARTED -> {
                counts.attempts++;
                if (targets != null) {
                    targets.add(Party.hash(attempt.target(), attempt.port()));
                }
            }
            case COMPLETED -> counts.completed++;
            case REFUSED -> counts.refused++;
            case CLAIMED -> counts.completed += oneSided ? 1 : 0;
        }
        firstMillis = Math.min(firstMillis, attempt.millis());
        lastMillis = Math.max(lastMillis, attempt.millis());
    }

    void add(Tally other) {
        counts.add(other.counts);
        firstMillis = Math.min(firstMillis, other.firstMillis);
        lastMillis = Math.max(lastMillis, other.lastMillis);
        if (targets != null && other.targets != null) {
            targets.add(other.targets);
        }
        isSettled = false;
    }

    /** What was added since the last call. */
    TallyCounts takeUnreported() {
        TallyCounts more = counts.copy();
        if (reported != null) {
            more.subtract(reported);
        }
        reported = counts.copy();
        return more;
    }

    /** Everything in it is new to a new episode. */
    void forgetReported() {
        reported = null;
    }

    @Nullable
    TallyCounts reported() {
        return reported;
    }

    /** A tally as it was written. */
    void restore(@Nullable TallyCounts wasReported, boolean wasSettled) {
        reported = wasReported;
        isSettled = wasSettled;
    }

    /** Adds a tally of what is now the same pane. */
    void addRestored(Tally other) {
        TallyCounts both = reported == null ? new TallyCounts(0, 0, 0) : reported;
        if (other.reported != null) {
            both.add(other.reported);
        }
        boolean settled = isSettled && other.isSettled;
        add(other);
        reported = both;
        isSettled = settled;
    }

    boolean isSettled() {
        return isSettled;
    }

    void settle() {
        isSettled = true;
    }

    /** How much is lost with it: targets while they are cheap to count, else attempts. */
    long weight() {
        return targets == null || targets.isSketch() ? counts.attempts : targets.estimate();
    }

    Party party() {
        return party;
    }

    /** The {@link Party#hash} of the party. */
    long key() {
        return key;
    }

    TallyCounts counts() {
        return counts;
    }

    long attempts() {
        return counts.attempts;
    }

    long completed() {
        return counts.completed;
    }

    long refused() {
        return counts.refused;
    }

    /** May be negative if answers come in a later pane than the attempts that they answer. */
    long unanswered() {
        return counts.attempts - counts.completed - counts.refused;
    }

    /** Estimated number of different services asked; 0 where targets are not counted. */
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
