/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.flow.Attempt;
import javax.annotation.Nullable;

/**
 * What is known of a party in a pane: what travels from a {@link Combiner} to an {@link
 * AttackWatch}, and what the watch holds.
 */
final class Tally {

    private final Party party;
    private final long key;
    private final TallyCounts counts;
    private long firstMillis;
    private long lastMillis;

    /** Null where nobody asks for them. */
    @Nullable private final DistinctTargets targets;

    /** What of the counts an {@link Episode} has; null if nothing. */
    @Nullable private TallyCounts reported;

    /** Whether its pane was judged and nothing has come since. */
    private boolean isSettled;

    /** Where it is held, and its neighbours there: the {@link Room}'s. */
    final RoomLink link = new RoomLink(this);

    /**
     * Nothing of a party so far.
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

    /** The same, that nobody holds and nothing was reported of. */
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
     * @param oneSided whether {@link Attempt.Kind#CLAIMED} is as good as completed; if not, it says
     *     nothing
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

    /** What was added since this was last asked for. */
    TallyCounts takeUnreported() {
        TallyCounts more = counts.copy();
        if (reported != null) {
            more.subtract(reported);
        }
        reported = counts.copy();
        return more;
    }

    /** All of it is new to a new episode. */
    void forgetReported() {
        reported = null;
    }

    @Nullable
    TallyCounts reported() {
        return reported;
    }

    /** As it was written. */
    void restore(@Nullable TallyCounts wasReported, boolean wasSettled) {
        reported = wasReported;
        isSettled = wasSettled;
    }

    /** Adds one of a pane that is the same now. */
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

    /** How much is lost with it: targets as long as they are cheap to count, else attempts. */
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

    /** May be negative where answers come in a later pane than what they answer. */
    long unanswered() {
        return counts.attempts - counts.completed - counts.refused;
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
