/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import io.sluice.capture.Octets;
import io.sluice.capture.Packet;

/**
 * Writes the IP and transport headers of a synthetic packet, as in a capture of headers only. IP
 * checksums are right; transport checksums are 0, since they cover a payload that is missing.
 */
final class HeaderWriter {
    static final int ICMP = 1;
    static final int ICMP6 = 58;

    /** SYN, SYN-ACK, ACK. */
    static final int HANDSHAKE_PACKETS = 3;

    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int TCP_BYTES = 20;
    private static final int UDP_BYTES = 8;
    private static final int ICMP_BYTES = 8;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final int HOP_LIMIT = 57;
    private static final int WINDOW = 501;

    /** MSS 1460, SACK permitted, timestamps, window scale: what a Linux host opens with. */
    private static final int[] SYN_OPTIONS = {0x020405B4, 0x0402080A, 0, 0, 0x01030307};

    /** Two fillers and timestamps: what it sends later. */
    private static final int[] OPTIONS = {0x0101080A, 0, 0};

    private static final int MAX_SEGMENT = 1448;
    private static final int MAX_DATAGRAM = 1200;
    private static final double DOWNLOAD_SHARE = 0.55;
    private static final int PUSH_ONE_IN = 5;

    private final SplitMix64 random;
    private final byte[] data = new byte[IPV6_BYTES + TCP_BYTES + 4 * SYN_OPTIONS.length];
    private int length;
    private int wireLength;
    private boolean fromClient;
    private int tcpFlags;

    HeaderWriter(SplitMix64 random) {
        this.random = random;
    }

    /** The headers; valid in [0, {@link #length}). */
    byte[] data() {
        return data;
    }

    int length() {
        return length;
    }

    int wireLength() {
        return wireLength;
    }

    /** Whether the flow's client sends it. */
    boolean isFromClient() {
        return fromClient;
    }

    /** The TCP flags; 0 for other protocols. */
    int tcpFlags() {
        return tcpFlags;
    }

    /** Writes the next packet of a flow that is not TCP. */
    void writeDatagram(SyntheticFlow flow) {
        if (flow.protocol == Packet.UDP) {
            writeUdp(flow);
        } else {
            writeIcmp(flow);
        }
    }

    /** Writes a segment from within a connection. */
    void writeData(SyntheticFlow flow) {
        boolean download = random.nextDouble() < DOWNLOAD_SHARE;
        int push = random.nextInt(PUSH_ONE_IN) == 0 ? Packet.PSH : 0;
        int payload =
                download
                        ? push == 0 ? MAX_SEGMENT : random.nextInt(MAX_SEGMENT)
                        : push == 0 ? 0 : random.nextInt(MAX_SEGMENT / 2);
        writeSegment(flow, !download, Packet.ACK | push, payload);
    }

    /** Writes a segment with these flags, and advances the sequence numbers. */
    void writeSegment(SyntheticFlow flow, boolean byClient, int flags, int payload) {
        int[] options = (flags & Packet.SYN) != 0 ? SYN_OPTIONS : OPTIONS;
        int headerBytes = TCP_BYTES + Integer.BYTES * options.length;
        int at = writeIp(flow, byClient, headerBytes, payload);
        writePorts(flow, byClient, at);
        int sequence = byClient ? flow.clientSequence : flow.serverSequence;
        int acknowledged = byClient ? flow.serverSequence : flow.clientSequence;
        Octets.putI32(data, at + 4, sequence);
        Octets.putI32(data, at + 8, (flags & Packet.ACK) != 0 ? acknowledged : 0);
        data[at + 12] = (byte) ((headerBytes / Integer.BYTES) << 4);
        data[at + 13] = (byte) flags;
        tcpFlags = flags;
        Octets.putU16(data, at + 14, WINDOW);
        Octets.putI32(data, at + 16, 0);
        for (int i = 0; i < options.length; i++) {
            Octets.putI32(data, at + TCP_BYTES + Integer.BYTES * i, options[i]);
        }
        int consumed = payload + ((flags & (Packet.SYN | Packet.FIN)) != 0 ? 1 : 0);
        if (byClient) {
            flow.clientSequence += consumed;
        } else {
            flow.serverSequence += consumed;
        }
    }

    private void writeUdp(SyntheticFlow flow) {
        boolean byClient = (flow.sent & 1) == 0;
        int payload = 16 + random.nextInt(byClient ? 64 : MAX_DATAGRAM);
        int at = writeIp(flow, byClient, UDP_BYTES, payload);
        writePorts(flow, byClient, at);
        Octets.putU16(data, at + 4, UDP_BYTES + payload);
        Octets.putU16(data, at + 6, 0);
    }

    private void writeIcmp(SyntheticFlow flow) {
        boolean request = (flow.sent & 1) == 0;
        int at = writeIp(flow, request, ICMP_BYTES, 56);
        int type = flow.ipVersion == 4 ? (request ? 8 : 0) : (request ? 128 : 129);
        Octets.putI32(data, at, type << 24);
        Octets.putU16(data, at + 4, flow.clientPort);
        Octets.putU16(data, at + 6, (int) (flow.sent >>> 1));
    }

    private void writePorts(SyntheticFlow flow, boolean byClient, int at) {
        Octets.putU16(data, at, byClient ? flow.clientPort : flow.serverPort);
        Octets.putU16(data, at + 2, byClient ? flow.serverPort : flow.clientPort);
    }

    /** Writes the IP header, and returns where the next one begins. */
    private int writeIp(SyntheticFlow flow, boolean byClient, int headerBytes, int payload) {
        int ipBytes = flow.ipVersion == 4 ? IPV4_BYTES : IPV6_BYTES;
        fromClient = byClient;
        tcpFlags = 0;
        length = ipBytes + headerBytes;
        wireLength = length + payload;
        long sourceLow = byClient ? flow.clientLow : flow.serverLow;
        long destinationLow = byClient ? flow.serverLow : flow.clientLow;
        if (flow.ipVersion == 4) {
            int id = byClient ? flow.clientIpId++ : flow.serverIpId++;
            Octets.putU16(data, 0, 0x4500);
            Octets.putU16(data, 2, wireLength);
            Octets.putU16(data, 4, id);
            Octets.putU16(data, 6, DONT_FRAGMENT);
            Octets.putU16(data, 8, HOP_LIMIT << 8 | flow.protocol);
            Octets.putU16(data, 10, 0);
            Octets.putI32(data, 12, (int) sourceLow);
            Octets.putI32(data, 16, (int) destinationLow);
            Octets.putU16(data, 10, headerChecksum());
        } else {
            Octets.putI32(data, 0, 6 << 28);
            Octets.putU16(data, 4, headerBytes + payload);
            Octets.putU16(data, 6, flow.protocol << 8 | HOP_LIMIT);
            Octets.putI64(data, 8, byClient ? flow.clientHigh : flow.serverHigh);
            Octets.putI64(data, 16, sourceLow);
            Octets.putI64(data, 24, byClient ? flow.serverHigh : flow.clientHigh);
            Octets.putI64(data, 32, destinationLow);
        }
        return ipBytes;
    }

    private int headerChecksum() {
        int sum = 0;
        for (int at = 0; at < IPV4_BYTES; at += 2) {
            sum += Octets.u16(data, at);
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        sum += sum >>> 16;
        return ~sum & 0xFFFF;
    }
}
