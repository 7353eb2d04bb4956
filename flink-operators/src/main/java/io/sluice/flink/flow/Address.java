/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * An IP address, in network order. One of IPv4 is held as the IPv6 address that maps it, {@code
 * ::ffff:a.b.c.d} (RFC 4291, section 2.5.5.2), so that both kinds are compared alike.
 *
 * @param high the first 64 bits
 * @param low the last 64 bits
 */
public record Address(long high, long low) {

    /** Bytes of each. */
    public static final int BYTES = 2 * Long.BYTES;

    private static final long MAPPED = 0xffffL << 32;

    /** The IPv4 address with these 32 bits. */
    public static Address ofIpv4(int bits) {
        return new Address(0, MAPPED | (bits & 0xffff_ffffL));
    }

    /** Whether it is an IPv4 address. */
    public boolean isIpv4() {
        return high == 0 && low >>> 32 == MAPPED >>> 32;
    }

    /** In text; no name is looked up. */
    @Override
    public String toString() {
        byte[] bytes = ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
        try {
            return InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are an address", e);
        }
    }
}
