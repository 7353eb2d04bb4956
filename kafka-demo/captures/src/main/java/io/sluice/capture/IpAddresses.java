/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/** Formats IP addresses that are held as two longs. */
public final class IpAddresses {
    private static final int GROUPS = 8;

    private IpAddresses() {}

    /**
     * The address in dotted (IPv4) or RFC 5952 form (IPv6: lower case, the longest run of two or
     * more zero groups as {@code ::}).
     *
     * @param version 4 or 6
     * @param high the high 64 bits, ignored for IPv4
     * @param low the low 64 bits; for IPv4 the low 32 of them are the address
     */
    public static String format(int version, long high, long low) {
        return version == 4 ? formatIpv4((int) low) : formatIpv6(high, low);
    }

    private static String formatIpv4(int address) {
        return (address >>> 24)
                + "."
                + ((address >>> 16) & 0xFF)
                + "."
                + ((address >>> 8) & 0xFF)
                + "."
                + (address & 0xFF);
    }

    private static String formatIpv6(long high, long low) {
        int bestStart = -1;
        int bestLength = 1;
        for (int start = 0; start < GROUPS; start++) {
            int end = start;
            while (end < GROUPS && group(high, low, end) == 0) {
                end++;
            }
            if (end - start > bestLength) {
                bestStart = start;
                bestLength = end - start;
            }
        }
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < GROUPS; i++) {
            if (i == bestStart) {
                text.append("::");
                i += bestLength - 1;
            } else {
                if (i > 0 && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(group(high, low, i)));
            }
        }
        return text.toString();
    }

    private static int group(long high, long low, int index) {
        long half = index < GROUPS / 2 ? high : low;
        return (int) (half >>> (48 - 16 * (index % (GROUPS / 2)))) & 0xFFFF;
    }
}
