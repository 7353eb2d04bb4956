/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import io.sluice.capture.Packet;

/** Draws what flows of synthetic captures are like: who talks to whom, over what, how much. */
final class FlowSampler {
    static final int FIRST_CLIENT_PORT = 1024;
    static final int CLIENT_PORTS = 65536 - FIRST_CLIENT_PORT;

    /** Servers are numbered from here, so that no address is on both sides. */
    static final int FIRST_SERVER = 1 << 30;

    private static final int[] TCP_PORTS = {443, 443, 443, 443, 443, 80, 80, 22, 25, 8080};
    private static final int[] UDP_PORTS = {53, 53, 53, 443, 443, 123};
    private static final double UDP_SHARE_OF_REST = 0.85;
    private static final double SERVER_ZIPF_EXPONENT = 0.9;
    private static final int MAX_SERVERS = 1 << 16;

    private final TrafficOptions.Hosts hosts;
    private final ParetoSampler sizes;
    private final SplitMix64 random;
    private final SyntheticAddresses addresses;
    private final ZipfSampler clients;
    private final ZipfSampler servers;

    /**
     * @param flows about as many are drawn
     * @param sizes of flows, in packets
     */
    FlowSampler(TrafficOptions.Hosts hosts, long flows, ParetoSampler sizes, SplitMix64 random) {
        this.hosts = hosts;
        this.sizes = sizes;
        this.random = random;
        addresses = new SyntheticAddresses((int) random.nextLong());
        clients = new ZipfSampler(hosts.sources(), hosts.zipfExponent());
        servers = new ZipfSampler((int) Math.min(MAX_SERVERS, flows), SERVER_ZIPF_EXPONENT);
    }

    SyntheticAddresses addresses() {
        return addresses;
    }

    boolean isIpv6() {
        return random.nextDouble() < hosts.ipv6Share();
    }

    /** Rank of a client, from 0, the most popular first. */
    int client() {
        return clients.next(random);
    }

    /** Host number of a server. */
    int server() {
        return FIRST_SERVER + servers.next(random);
    }

    int tcpPort() {
        return TCP_PORTS[random.nextInt(TCP_PORTS.length)];
    }

    /** Draws the protocol of {@code flow}, and the server's port. */
    void protocolOf(SyntheticFlow flow) {
        double protocol = random.nextDouble();
        double tcp = hosts.tcpShare();
        if (protocol < tcp) {
            flow.protocol = Packet.TCP;
            flow.serverPort = tcpPort();
        } else if (protocol < tcp + (1 - tcp) * UDP_SHARE_OF_REST) {
            flow.protocol = Packet.UDP;
            flow.serverPort = UDP_PORTS[random.nextInt(UDP_PORTS.length)];
        } else {
            flow.protocol = flow.ipVersion == 6 ? HeaderWriter.ICMP6 : HeaderWriter.ICMP;
            flow.serverPort = 0;
        }
    }

    /** Size of a flow, in packets. */
    long size() {
        return sizes.next(random);
    }

    /** Draws where sequence numbers and IP identifications of {@code flow} begin. */
    void numbersOf(SyntheticFlow flow) {
        flow.clientSequence = (int) random.nextLong();
        flow.serverSequence = (int) random.nextLong();
        flow.clientIpId = random.nextInt(1 << 16);
        flow.serverIpId = random.nextInt(1 << 16);
    }
}
