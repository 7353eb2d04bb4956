/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

/** Gives every number its own address, scattered over the address space by a salt. */
final class SyntheticAddresses {
    private static final long IPV6_NETWORK = 0x2001_0DB8_0000_0000L;

    private final int salt;

    SyntheticAddresses(int salt) {
        this.salt = salt;
    }

    /** A bijection from numbers to usable IPv4 addresses: not 0/8, 10/8, 127/8 or multicast. */
    long addressOf(int number) {
        int address = number;
        do {
            address = scramble(address + salt) - salt;
        } while (!isUnicast(address >>> 24));
        return address & 0xFFFFFFFFL;
    }

    private static boolean isUnicast(int firstOctet) {
        return firstOctet > 0 && firstOctet < 224 && firstOctet != 10 && firstOctet != 127;
    }

    /** The high half of the IPv6 address of {@code number}; no two numbers share one. */
    long networkOf(int number) {
        return IPV6_NETWORK | (scramble(number + salt) & 0xFFFFFFFFL);
    }

    /** The low half of the IPv6 address of {@code number}. */
    long hostOf(int number) {
        return SplitMix64.mix(number + (long) salt);
    }

    /** Makes {@code client} and {@code server} the two ends of {@code flow}. */
    void assign(SyntheticFlow flow, boolean ipv6, int client, int server) {
        flow.ipVersion = ipv6 ? 6 : 4;
        flow.clientHigh = ipv6 ? networkOf(client) : 0;
        flow.clientLow = ipv6 ? hostOf(client) : addressOf(client);
        flow.serverHigh = ipv6 ? networkOf(server) : 0;
        flow.serverLow = ipv6 ? hostOf(server) : addressOf(server);
    }

    /** A bijection of 32 bits (Wellons: Prospecting for Hash Functions, 2018: lowbias32). */
    private static int scramble(int value) {
        int x = value;
        x = (x ^ (x >>> 16)) * 0x7FEB352D;
        x = (x ^ (x >>> 15)) * 0x846CA68B;
        return x ^ (x >>> 16);
    }
}
