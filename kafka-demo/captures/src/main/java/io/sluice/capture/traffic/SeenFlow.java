/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import io.sluice.capture.IpAddresses;
import io.sluice.capture.Packet;

/**
 * What a synthetic capture contains of one flow: a view that the generator moves from flow to flow.
 * The client is the side that began the flow.
 */
public final class SeenFlow {
    /** Names of the columns that {@link #toCsv} writes. */
    public static final String CSV_HEADER =
            "protocol,client,client_port,server,server_port,client_packets,server_packets,"
                    + "wire_bytes,client_flags,server_flags,first_nanos,last_nanos,midstream,fate";

    private final long startNanos;
    private TrafficFlow flow = new TrafficFlow();

    SeenFlow(long startNanos) {
        this.startNanos = startNanos;
    }

    SeenFlow of(TrafficFlow next) {
        flow = next;
        return this;
    }

    /** The IP protocol: {@link Packet#TCP}, {@link Packet#UDP} or another. */
    public int protocol() {
        return flow.protocol;
    }

    /** Address of the client, as text. */
    public String client() {
        return IpAddresses.format(flow.ipVersion, flow.clientHigh, flow.clientLow);
    }

    /** In [0, 65535]; for ICMP its identifier. */
    public int clientPort() {
        return flow.clientPort;
    }

    /** Address of the server, as text. */
    public String server() {
        return IpAddresses.format(flow.ipVersion, flow.serverHigh, flow.serverLow);
    }

    /** In [0, 65535]; 0 for ICMP. */
    public int serverPort() {
        return flow.serverPort;
    }

    /** Packets of the client in the capture. */
    public long clientPackets() {
        return flow.clientPackets;
    }

    /** Packets of the server in the capture. */
    public long serverPackets() {
        return flow.serverPackets;
    }

    /** Bytes of all its packets in the capture, as they were on the wire. */
    public long wireBytes() {
        return flow.wireBytes;
    }

    /** The union of the TCP flags of the client's packets. */
    public int clientFlags() {
        return flow.clientFlags;
    }

    /** The union of the TCP flags of the server's packets. */
    public int serverFlags() {
        return flow.serverFlags;
    }

    /** Time of its first packet in the capture, in nanoseconds since 1970. */
    public long firstNanos() {
        return startNanos + flow.firstSeenNanos;
    }

    /** Time of its last packet in the capture, in nanoseconds since 1970. */
    public long lastNanos() {
        return startNanos + flow.lastSeenNanos;
    }

    /** Whether it began before the capture. */
    public boolean isMidstream() {
        return flow.isMidstream;
    }

    /** Its fate, whether or not the capture has all of it; see {@link TrafficTruth.Flows}. */
    public String fate() {
        return flow.fate.code();
    }

    /** A line for a table, without its end. */
    public String toCsv() {
        return protocol()
                + ","
                + client()
                + ","
                + clientPort()
                + ","
                + server()
                + ","
                + serverPort()
                + ","
                + clientPackets()
                + ","
                + serverPackets()
                + ","
                + wireBytes()
                + ","
                + clientFlags()
                + ","
                + serverFlags()
                + ","
                + firstNanos()
                + ","
                + lastNanos()
                + ","
                + isMidstream()
                + ","
                + fate();
    }
}
