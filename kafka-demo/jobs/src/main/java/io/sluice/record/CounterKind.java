/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import io.sluice.capture.IpAddresses;
import java.util.Locale;

/**
 * What an operation is counted under. A counter's key is one long, the cheapest key that Flink has;
 * {@link #format} turns it into text.
 */
public enum CounterKind {
    /**
     * One counter per sender: an IPv4 address, or the /64 network of an IPv6 address, which is what
     * one subscriber or one LAN gets, and within which a host changes its address at will. Keys are
     * distinct, except that pairs of networks of the reserved block {@code ::/31} share a key.
     */
    SOURCE {
        @Override
        public long keyOf(PacketRecord record) {
            if (record.ipVersion == 4) {
                return record.sourceLow;
            }
            // Keys below 2^32 are IPv4 addresses.
            return record.sourceHigh >>> 32 == 0
                    ? record.sourceHigh | FIRST_NETWORK
                    : record.sourceHigh;
        }

        @Override
        public String format(long key) {
            return key >>> 32 == 0
                    ? IpAddresses.format(4, 0, key)
                    : IpAddresses.format(6, key, 0) + "/64";
        }
    },

    /**
     * One counter per service: the protocol and the lower of both ports, so that requests and
     * answers count for the same service, whichever of them a capture holds.
     */
    SERVICE {
        @Override
        public long keyOf(PacketRecord record) {
            return (long) record.protocol << 16
                    | Math.min(record.sourcePort, record.destinationPort);
        }

        @Override
        public String format(long key) {
            int protocol = (int) (key >>> 16);
            long port = key & 0xFFFF;
            String name =
                    switch (protocol) {
                        case 1 -> "icmp";
                        case 6 -> "tcp";
                        case 17 -> "udp";
                        case 58 -> "icmp6";
                        default -> "ip-" + protocol;
                    };
            // Other protocols have ports too (SCTP): without them two counters would share a name.
            return port == 0 && protocol != 6 && protocol != 17 ? name : name + "/" + port;
        }
    };

    private static final long FIRST_NETWORK = 1L << 32;

    /** The counter that {@code record} belongs to. */
    public abstract long keyOf(PacketRecord record);

    /** A key of this kind as readable text; no two keys have the same text. */
    public abstract String format(long key);

    /** The name in options and files. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The kind with this {@link #code}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static CounterKind ofCode(String code) {
        for (CounterKind kind : values()) {
            if (kind.code().equals(code)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "counter kind '" + code + "' is unknown: use 'source' or 'service'");
    }
}
