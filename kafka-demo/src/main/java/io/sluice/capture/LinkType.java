/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.util.Set;

/**
 * Numbers of link-layer header types, as registered by the tcpdump group, that can be read. Raw IP
 * has several: DLT_RAW was written as 12 or 14 depending on the system.
 */
final class LinkType {
    static final int NULL = 0;
    static final int ETHERNET = 1;
    static final int PPP = 9;
    static final int RAW_12 = 12;
    static final int RAW_14 = 14;
    static final int RAW = 101;
    static final int LOOP = 108;
    static final int LINUX_SLL = 113;
    static final int IPV4 = 228;
    static final int IPV6 = 229;
    static final int LINUX_SLL2 = 276;

    private static final Set<Integer> READABLE =
            Set.of(
                    NULL,
                    ETHERNET,
                    PPP,
                    RAW_12,
                    RAW_14,
                    RAW,
                    LOOP,
                    LINUX_SLL,
                    IPV4,
                    IPV6,
                    LINUX_SLL2);

    private LinkType() {}

    static boolean isReadable(int linkType) {
        return READABLE.contains(linkType);
    }

    /** The type without the flags (frame check sequence present, its length) above it. */
    static int ofHeaderField(int field) {
        return field & 0xFFFF;
    }

    static CaptureException unreadable(String file, long offset, int linkType) {
        return new CaptureException(
                file,
                offset,
                "link type " + linkType + " is not read",
                "capture on an interface of Ethernet (1), raw IP (101, 12, 14, 228, 229), null or"
                        + " loop (0, 108), PPP (9) or Linux cooked (113, 276)");
    }
}
