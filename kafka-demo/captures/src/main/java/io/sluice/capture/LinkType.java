/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.util.Map;

/**
 * The supported link-layer header types, with the numbers registered by the tcpdump group. Raw IP
 * has several: DLT_RAW was written as 12 or 14 depending on the system. Packets of other types are
 * counted as {@link PacketKind#UNKNOWN_LINK}.
 */
public final class LinkType {
    static final int NULL = 0;
    public static final int ETHERNET = 1;
    static final int PPP = 9;
    static final int RAW_12 = 12;
    static final int RAW_14 = 14;
    static final int PPP_HDLC = 50;
    static final int PPP_ETHERNET = 51;
    public static final int RAW = 101;
    static final int CISCO_HDLC = 104;
    static final int LOOP = 108;
    static final int ENC = 109;
    static final int LINUX_SLL = 113;
    static final int IPV4 = 228;
    static final int IPV6 = 229;
    static final int NFLOG = 239;
    static final int LINUX_SLL2 = 276;

    private static final Map<Integer, String> NOT_READ =
            Map.of(
                    105, "IEEE 802.11",
                    119, "IEEE 802.11 with Prism headers",
                    127, "IEEE 802.11 with radiotap headers",
                    163, "IEEE 802.11 with AVS headers",
                    189, "USB",
                    220, "USB",
                    249, "USB",
                    195, "IEEE 802.15.4",
                    227, "CAN");

    private LinkType() {}

    /** Returns the number, with its name if it is one of the commonest that are not read. */
    static String named(int type) {
        String name = NOT_READ.get(type);
        return name == null ? Integer.toString(type) : type + " (" + name + ")";
    }

    /** The type without the flags (frame check sequence present, its length) above it. */
    static int ofHeaderField(int field) {
        return field & 0xFFFF;
    }
}
