/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import javax.annotation.Nullable;

/** A tally's place in a {@link Room}: a node of the list of its size class. */
final class RoomLink {

    final Tally tally;

    /** Null if nobody holds the tally. */
    @Nullable AttackWatch watch;

    long pane;
    int sizeClass;

    /** The one updated before this one. */
    @Nullable RoomLink older;

    /** The one updated after this one. */
    @Nullable RoomLink younger;

    RoomLink(Tally tally) {
        this.tally = tally;
    }
}
