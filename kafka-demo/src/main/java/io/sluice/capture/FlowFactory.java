/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/** Makes the flows of a synthetic trace: who talks to whom, about what, for how long. */
final class FlowFactory {
    private static final double TCP_SHARE = 0.80;
    private static final double UDP_SHARE = 0.17;
    private static final double FIN_SHARE = 0.65;
    private static final double RST_SHARE = 0.12;

    private static final int[] TCP_PORTS = {443, 443, 443, 443, 443, 80, 80, 22, 25, 8080};
    private static final int[] UDP_PORTS = {53, 53, 53, 443, 443, 123};
    private static final int FIRST_CLIENT_PORT = 1024;
    private static final int CLIENT_PORTS = 65536 - FIRST_CLIENT_PORT;

    /** A step through the client ports that visits all before it repeats one. */
    private static final long PORT_STEP = 40503;

    private static final double SERVER_ZIPF_EXPONENT = 0.9;
    private static final int MAX_SERVERS = 1 << 16;

    /** Servers are numbered from here on, so that no address is on both sides. */
    private static final int FIRST_SERVER = 1 << 30;

    private static final long IPV6_NETWORK = 0x2001_0DB8_0000_0000L;

    private final SplitMix64 random;
    private final ZipfSampler clients;
    private final ZipfSampler servers;
    private final ParetoSampler sizes;
    private final double ipv6Share;
    private final int salt;
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
        salt = (int) random.nextLong();
    }

    /** Makes {@code flow} a new one. */
    void begin(SyntheticFlow flow) {
        boolean ipv6 = random.nextDouble() < ipv6Share;
        int client = clients.next(random);
        int server = FIRST_SERVER + servers.next(random);
        flow.ipVersion = ipv6 ? 6 : 4;
        flow.clientHigh = ipv6 ? networkOf(client) : 0;
        flow.clientLow = ipv6 ? hostOf(client) : addressOf(client);
        flow.serverHigh = ipv6 ? networkOf(server) : 0;
        flow.serverLow = ipv6 ? hostOf(server) : addressOf(server);
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

    /** Makes {@code flow} one that began before the capture did, without a visible handshake. */
    void beginBefore(SyntheticFlow flow) {
        begin(flow);
        flow.sent = HeaderWriter.HANDSHAKE_PACKETS;
        flow.packets += HeaderWriter.HANDSHAKE_PACKETS;
    }

    /** A bijection from numbers to IPv4 addresses in use: no 0/8, 10/8, 127/8, nor multicast. */
    private long addressOf(int number) {
        int address = number;
        do {
            address = scramble(address + salt) - salt;
        } while (!isUnicast(address >>> 24));
        return address & 0xFFFFFFFFL;
    }

    private static boolean isUnicast(int firstOctet) {
        return firstOctet > 0 && firstOctet < 224 && firstOctet != 10 && firstOctet != 127;
    }

    private long networkOf(int number) {
        return IPV6_NETWORK | (scramble(number + salt) & 0xFFFFFFFFL);
    }

    private long hostOf(int number) {
        return SplitMix64.mix(number + (long) salt);
    }

    /** A bijection of 32 bits (Wellons: Prospecting for Hash Functions, 2018: lowbias32). */
    private static int scramble(int value) {
        int x = value;
        x = (x ^ (x >>> 16)) * 0x7FEB352D;
        x = (x ^ (x >>> 15)) * 0x846CA68B;
        return x ^ (x >>> 16);
    }
}
