/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;

/**
 * An IP address, in network order. An IPv4 address is held as the IPv6 address that maps it, {@code
 * ::ffff:a.b.c.d} (RFC 4291, section 2.5.5.2), so that both kinds are compared alike.
 *
 * @param high the first 64 bits
 * @param low the last 64 bits
 */
@Experimental
public record Address(long high, long low) {

    /** Bytes of each address. */
    public static final int BYTES = 2 * Long.BYTES;

    private static final long MAPPED = 0xffffL << 32;

    /** The IPv4 address with these 32 bits. */
    public static Address ofIpv4(int bits) {
        return new Address(0, MAPPED | (bits & 0xffff_ffffL));
    }

    /**
     * The address with this text, as {@link #toString} writes it. No name is looked up.
     *
     * @throws IllegalArgumentException if it is not an address
     */
    public static Address parse(String text) {
        try {
            if (text.indexOf(':') >= 0) {
                // Text with a colon is an IPv6 address or is refused; it is never taken for a name.
                byte[] bytes = InetAddress.getByName(text).getAddress();
                ByteBuffer buffer = ByteBuffer.wrap(bytes);
                return bytes.length == BYTES
                        ? new Address(buffer.getLong(), buffer.getLong())
                        : ofIpv4(buffer.getInt());
            }
            String[] parts = text.split("\\.", -1);
            if (parts.length == Integer.BYTES) {
                int bits = 0;
                for (String part : parts) {
                    int octet = Integer.parseInt(part);
                    if (octet < 0 || octet > 0xff) {
                        throw noAddress(text, null);
                    }
                    bits = bits << Byte.SIZE | octet;
                }
                return ofIpv4(bits);
            }
        } catch (NumberFormatException | UnknownHostException e) {
            throw noAddress(text, e);
        }
        throw noAddress(text, null);
    }

    private static IllegalArgumentException noAddress(String text, @Nullable Exception cause) {
        return new IllegalArgumentException("'" + text + "' is no IP address", cause);
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
            throw new AssertionError("an address has 16 bytes", e);
        }
    }
}
