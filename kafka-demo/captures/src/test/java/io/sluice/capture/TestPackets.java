/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;

/** Packets made byte by byte. */
final class TestPackets {
    static final String MACS = "020000000002" + "020000000001";
    static final String SOURCE_4 = "0a000001";
    static final String DESTINATION_4 = "0a000002";
    static final String SOURCE_6 = "20010db8000000000000000000000001";
    static final String DESTINATION_6 = "20010db8000000000000000000000002";

    private TestPackets() {}

    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    /** A TCP header without options. */
    static String tcp(int source, int destination, int flags) {
        return "%04x%04x0000000100000000%s%02x2000 00000000"
                .formatted(source, destination, "50", flags);
    }

    static String udp(int source, int destination, String payload) {
        return "%04x%04x%04x0000".formatted(source, destination, 8 + octets(payload)) + payload;
    }

    static String ipv4(int protocol, String payload) {
        return "4500%04x00004000 40%02x0000".formatted(20 + octets(payload), protocol)
                + SOURCE_4
                + DESTINATION_4
                + payload;
    }

    static String ipv6(int next, String payload) {
        return "60000000%04x%02x40".formatted(octets(payload), next)
                + SOURCE_6
                + DESTINATION_6
                + payload;
    }

    static String ethernet(int type, String payload) {
        return MACS + "%04x".formatted(type) + payload;
    }

    static byte[] tcp4(int source, int destination, int flags) {
        return hex(ipv4(Packet.TCP, tcp(source, destination, flags)));
    }

    static byte[] ethernet(byte[] ip) {
        return hex(ethernet(0x0800, HexFormat.of().formatHex(ip)));
    }

    private static int octets(String text) {
        return text.replace(" ", "").length() / 2;
    }

    /** A capture of one packet. */
    static byte[] capture(int linkType, byte[] packet) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (CaptureWriter writer = new CaptureWriter(out, linkType, 65535)) {
            writer.write(0, packet, packet.length, packet.length);
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
        return out.toByteArray();
    }
}
