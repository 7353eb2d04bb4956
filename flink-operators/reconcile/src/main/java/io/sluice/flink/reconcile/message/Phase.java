/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.message;

import org.apache.flink.annotation.Internal;

/**
 * Where the exchange about one window of one key group stands, from one replica's view. Phases only
 * go forward. Persisted and sent by {@link #code}.
 */
@Internal
public enum Phase {

    /** The window takes records. */
    OPEN(0),

    /** The window is closed, and not yet known to be equal on both sides. */
    EXCHANGING(1),

    /** The peer's multiset is known to equal this one; both are final. */
    AGREED(2),

    /** Like {@link #AGREED}, and the peer is known to know it: nothing is left to say. */
    SETTLED(3),

    /**
     * It took too long, too many rounds or too much room, or the peer gave up: this side's elements
     * stay as they are. A message with this phase is a farewell.
     */
    GAVE_UP(4),

    /** Nothing about it needs to be remembered any more. */
    FORGOTTEN(5);

    private static final Phase[] ALL = values();

    private final int code;

    Phase(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** Null if no phase has the code. */
    public static Phase ofCode(int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : null;
    }

    /** Whether both multisets are known to be equal. */
    public boolean isAgreed() {
        return this == AGREED || this == SETTLED;
    }

    /** Whether nothing is left to do, so that the owner may drop the exchange. */
    public boolean isOver() {
        return this == GAVE_UP || this == FORGOTTEN;
    }
}
