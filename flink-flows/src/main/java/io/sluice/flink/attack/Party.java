/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.flow.Address;

/**
 * A party that attempts are counted for.
 *
 * @param port {@link #NO_PORT} if all ports of the address are meant
 */
record Party(Address address, int port) {

    static final int NO_PORT = -1;

    /** Uniform over 64 bits; the key of the stream, so it never changes. */
    long hash() {
        return hash(address, port);
    }

    /** The {@link #hash} of the party with these. */
    static long hash(Address address, int port) {
        return Hashing.combine(Hashing.combine(address.high(), address.low()), port);
    }
}
