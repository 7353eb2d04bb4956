/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.annotation.Internal;

/**
 * When something is an attack. All but the kind may change between a savepoint and its restore.
 *
 * @param kind what is looked for
 * @param window that is looked at, from 2 ms to {@link #MAX_WINDOW}. It moves by halves
 * @param threshold of a window, at least 1: unanswered attempts of a {@link AttackKind#SYN_FLOOD},
 *     services asked of a {@link AttackKind#SCAN}
 * @param completedShare share of the attempts in a window, from 0 to 1: with a larger share it is
 *     no attack
 * @param quiet how long a party must be quiet before its attack is over and the next one is
 *     another; at least one window
 * @param parties how many parties of the whole stream are told apart in a pane, at least 1; beyond
 *     that the smallest are forgotten
 * @param oneSided whether an attempt counts as completed if only the source's packets show it
 */
@Internal
public record AttackSettings(
        AttackKind kind,
        Duration window,
        int threshold,
        double completedShare,
        Duration quiet,
        int parties,
        boolean oneSided)
        implements Serializable {

    /** The longest window. */
    public static final Duration MAX_WINDOW = Duration.ofDays(1);

    private static final int MAX_PARTIES = 1 << 28;

    /** The pane that was closed last, the one being filled, and two for a watermark that lags. */
    private static final int PANES = 4;

    /** Parties are not spread evenly: with few parties, a proportional share would be too small. */
    private static final long MIN_ROOM = 256;

    public AttackSettings {
        requireNonNull(kind, "kind");
        if (window.toMillis() < 2 || window.compareTo(MAX_WINDOW) > 0) {
            throw new IllegalArgumentException(
                    "window must be at least 2 ms and at most "
                            + MAX_WINDOW.toHours()
                            + " h, but is "
                            + window.toMillis()
                            + " ms: seconds to minutes are usual.");
        }
        if (threshold < 1) {
            throw new IllegalArgumentException(
                    "threshold must be at least 1, but is " + threshold + ": raise it.");
        }
        if (!(completedShare >= 0 && completedShare <= 1)) {
            throw new IllegalArgumentException(
                    "completedShare must be between 0 and 1, but is "
                            + completedShare
                            + ": give the share of completed handshakes that is not an attack any"
                            + " more.");
        }
        if (quiet.compareTo(window) < 0 || quiet.compareTo(MAX_WINDOW) > 0) {
            throw new IllegalArgumentException(
                    "quiet must be at least the window of "
                            + window.toMillis()
                            + " ms and at most "
                            + MAX_WINDOW.toHours()
                            + " h, but is "
                            + quiet.toMillis()
                            + " ms: an attack with a pause would be two.");
        }
        if (parties < 1 || parties > MAX_PARTIES) {
            throw new IllegalArgumentException(
                    "parties must be between 1 and "
                            + MAX_PARTIES
                            + ", but is "
                            + parties
                            + ": each takes some 200 to 600 bytes.");
        }
    }

    /** Half a window, in milliseconds. */
    long paneMillis() {
        return window.toMillis() / 2;
    }

    /** Panes that {@link #quiet} takes, at least two. */
    long quietPanes() {
        return -Math.floorDiv(-quiet.toMillis(), paneMillis());
    }

    /** How many tallies a subtask has room for if it owns this many of all key groups. */
    long room(int ownKeyGroups, int keyGroups) {
        long all = (long) PANES * parties;
        return Math.max(MIN_ROOM, -Math.floorDiv(-all * ownKeyGroups, keyGroups));
    }

    /** Whether a window with these numbers belongs to an attack. */
    boolean isAttack(Tally window) {
        return window.completed() <= completedShare * window.attempts()
                && (kind == AttackKind.SCAN
                        // Estimating is expensive, and there cannot be more targets than attempts.
                        ? window.attempts() >= threshold && window.targets() >= threshold
                        : window.unanswered() >= threshold);
    }
}
