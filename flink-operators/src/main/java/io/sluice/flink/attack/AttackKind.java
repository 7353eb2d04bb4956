/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.flow.Attempt;
import io.sluice.flink.flow.Codes;

/** What is looked for. */
public enum AttackKind {
    /**
     * A service, an address and a port, that is asked for many connections which are neither
     * completed nor refused. By port, because all ports of a host together look flooded when one
     * host scans them. A service that has died without a word looks the same.
     */
    SYN_FLOOD(0) {
        @Override
        Party partyOf(Attempt attempt) {
            return new Party(attempt.target(), attempt.port());
        }
    },

    /**
     * A host that asks many services, of one host or of many, and completes few of the connections.
     */
    SCAN(1) {
        @Override
        Party partyOf(Attempt attempt) {
            return new Party(attempt.source(), Party.NO_PORT);
        }
    };

    private static final AttackKind[] ALL = values();

    private final int code;

    AttackKind(int code) {
        this.code = code;
    }

    /** Whom attempts are counted for. */
    abstract Party partyOf(Attempt attempt);

    /** Persistent number; never changes its meaning. */
    public int code() {
        return code;
    }

    /**
     * The kind with this {@link #code}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static AttackKind ofCode(int code) {
        return Codes.find(ALL, code);
    }
}
