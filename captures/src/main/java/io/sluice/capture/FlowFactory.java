/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/** Makes the flows of a synthetic trace: who talks to whom, how, and for how long. */
final class FlowFactory {
    private static final double TCP_SHARE = 0.80;
    private static final double UDP_SHARE = 0.17;
    private static final double FIN_SHARE = 0.65;
    private static final double RST_SHARE = 0.12;

    static final int[] TCP_PORTS = {443, 443, 443, 443, 443, 80, 80, 22, 25, 8080};
    static final int[] UDP_PORTS = {53, 53, 53, 443, 443, 123};
    static final int FIRST_CLIENT_PORT = 1024;
    static final int CLIENT_PORTS = 65536 - FIRST_CLIENT_PORT;

    /** A step through the client ports that visits all before it repeats one. */
    private static final long PORT_STEP = 40503;

    static final double SERVER_ZIPF_EXPONENT = 0.9;
    static final int MAX_SERVERS = 1 << 16;

    /** Servers are numbered from here, so that no address is on both sides. */
    static final int FIRST_SERVER = 1 << 30;

    private final SplitMix64 random;
    private final ZipfSampler clients;
    private final ZipfSampler servers;
    private final ParetoSampler sizes;
    private final double ipv6Share;
    private final SyntheticAddresses addresses;
    private long flows;

    FlowFactory(TraceOptions options, SplitMix64 random) {
        this.random = random;
        clients = new ZipfSampler(options.sources(), options.zipfExponent());
        servers =
                new ZipfSampler((int) Math.min(MAX_SERVERS, options.flows()), SERVER_ZIPF_EXPONENT);
        sizes =
                new ParetoSampler(
                        options.paretoShape(),
                        (double) options.packets() / options.flows(),
                        options.maxFlowPackets());
        ipv6Share = options.ipv6Share();
        addresses = new SyntheticAddresses((int) random.nextLong());
    }

    /** Makes {@code flow} a new flow. */
    void begin(SyntheticFlow flow) {
        boolean ipv6 = random.nextDouble() < ipv6Share;
        int client = clients.next(random);
        int server = FIRST_SERVER + servers.next(random);
        addresses.assign(flow, ipv6, client, server);
        double protocol = random.nextDouble();
        if (protocol < TCP_SHARE) {
            flow.protocol = Packet.TCP;
            flow.serverPort = TCP_PORTS[random.nextInt(TCP_PORTS.length)];
        } else if (protocol < TCP_SHARE + UDP_SHARE) {
            flow.protocol = Packet.UDP;
            flow.serverPort = UDP_PORTS[random.nextInt(UDP_PORTS.length)];
        } else {
            flow.protocol = ipv6 ? HeaderWriter.ICMP6 : HeaderWriter.ICMP;
            flow.serverPort = 0;
        }
        flow.clientPort = FIRST_CLIENT_PORT + (int) (flows++ * PORT_STEP % CLIENT_PORTS);
        double ending = random.nextDouble();
        flow.ending =
                ending < FIN_SHARE
                        ? SyntheticFlow.Ending.FIN
                        : ending < FIN_SHARE + RST_SHARE
                                ? SyntheticFlow.Ending.RST
                                : SyntheticFlow.Ending.NONE;
        flow.packets = sizes.next(random);
        flow.sent = 0;
        flow.clientSequence = (int) random.nextLong();
        flow.serverSequence = (int) random.nextLong();
        flow.clientIpId = random.nextInt(1 << 16);
        flow.serverIpId = random.nextInt(1 << 16);
    }

    /** Makes {@code flow} a flow that began before the capture, without a visible handshake. */
    void beginBefore(SyntheticFlow flow) {
        begin(flow);
        flow.sent = HeaderWriter.HANDSHAKE_PACKETS;
        flow.packets += HeaderWriter.HANDSHAKE_PACKETS;
    }
}
