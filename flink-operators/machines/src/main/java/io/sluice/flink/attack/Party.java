/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.flow.Address;
import java.util.Comparator;

/**
 * A party that attempts are counted for. Who chooses addresses can give many parties one hash code;
 * their order is what maps then find them by.
 *
 * @param port {@link #NO_PORT} if all ports of the address are meant
 */
record Party(Address address, int port) implements Comparable<Party> {

    private static final Comparator<Party> ORDER =
            Comparator.comparingLong((Party party) -> party.address.high())
                    .thenComparingLong(party -> party.address.low())
                    .thenComparingInt(Party::port);

    static final int NO_PORT = -1;

    @Override
    public int compareTo(Party other) {
        return ORDER.compare(this, other);
    }

    /** Uniform over 64 bits; the key of the stream, so it never changes. */
    long hash() {
        return hash(address, port);
    }

    /** The {@link #hash} of the party with these. */
    static long hash(Address address, int port) {
        return Hashing.combine(Hashing.combine(address.high(), address.low()), port);
    }
}
