/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Attempt;
import io.sluice.flink.flow.Codes;
import org.apache.flink.annotation.Experimental;

/** A kind of attack to look for. */
@Experimental
public enum AttackKind {
    /**
     * A service, an address and a port, that is asked for many connections which are neither
     * completed nor refused. By port, because all ports of a host together look flooded when one
     * host scans them. A service that has silently died looks the same.
     */
    SYN_FLOOD(0) {
        @Override
        Address addressOf(Attempt attempt) {
            return attempt.target();
        }

        @Override
        int portOf(Attempt attempt) {
            return attempt.port();
        }
    },

    /**
     * A host that asks many services, of one host or of many, and completes few of the connections.
     */
    SCAN(1) {
        @Override
        Address addressOf(Attempt attempt) {
            return attempt.source();
        }

        @Override
        int portOf(Attempt attempt) {
            return Party.NO_PORT;
        }
    };

    private static final AttackKind[] ALL = values();

    private final int code;

    AttackKind(int code) {
        this.code = code;
    }

    /** The address of the party that attempts are counted for. */
    abstract Address addressOf(Attempt attempt);

    /** The port of the party, or {@link Party#NO_PORT}. */
    abstract int portOf(Attempt attempt);

    /** The party that attempts are counted for. */
    Party partyOf(Attempt attempt) {
        return new Party(addressOf(attempt), portOf(attempt));
    }

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
