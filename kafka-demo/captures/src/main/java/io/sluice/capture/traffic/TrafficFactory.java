/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import io.sluice.capture.IpAddresses;
import io.sluice.capture.Packet;

/**
 * Makes the flows of {@link TrafficGenerator}: ends, size, duration and fate. Host numbers are
 * assigned in blocks, and a client uses its ports in turn, so that no two flows of TCP or UDP share
 * a 5-tuple; a client that has used all of its ports continues with another address, as behind a
 * NAT.
 */
final class TrafficFactory {
    // First host numbers, 2^28 for each kind; the addresses of two numbers always differ. Servers
    // have the fifth 2^28.
    private static final int FIRST_CLIENT = 0;
    private static final int FIRST_SCANNER = 1 << 28;
    private static final int FIRST_ODD_CLIENT = 2 << 28;
    private static final int FIRST_SCANNED = 5 << 28;
    private static final int FIRST_FLOODED = 6 << 28;
    private static final int FIRST_SPOOFED = 7 << 28;

    private static final double SCAN_REJECTED = 0.3;
    private static final double SCAN_OPEN = 0.02;
    private static final double FLOOD_ANSWERED = 0.2;
    private static final int FLOODED_PORT = 80;
    private static final int SCANNED_PORT = 22;
    private static final int MAX_SYN_PACKETS = 4;

    /** Flags that no connection has: contradictory ones, none, and all. */
    private static final int[] ILLEGAL_FLAGS = {
        Packet.SYN | Packet.FIN,
        Packet.SYN | Packet.RST,
        Packet.FIN | Packet.RST,
        0,
        Packet.FIN | Packet.PSH | 1 << 5,
        Packet.FIN | Packet.SYN | Packet.RST | Packet.PSH | Packet.ACK | 1 << 5
    };

    private final TrafficOptions options;
    private final SplitMix64 random;
    private final SyntheticAddresses addresses;
    private final FlowSampler sampler;

    /** How many ports each client has used, and the number behind its address. */
    private final int[] portsUsed;

    private final int[] numbers;
    private int nextNumber;
    private int spoofed;
    private int odd;

    TrafficFactory(TrafficOptions options, SplitMix64 random) {
        this.options = options;
        this.random = random;
        TrafficOptions.Hosts hosts = options.hosts();
        TrafficOptions.Lengths lengths = options.lengths();
        ParetoSampler sizes =
                new ParetoSampler(
                        lengths.paretoShape(), lengths.meanPackets(), lengths.maxPackets());
        sampler = new FlowSampler(hosts, options.flows(), sizes, random);
        addresses = sampler.addresses();
        portsUsed = new int[hosts.sources()];
        numbers = new int[hosts.sources()];
        for (int client = 0; client < numbers.length; client++) {
            numbers[client] = FIRST_CLIENT + nextNumber++;
        }
    }

    /** An ordinary flow. */
    void makeOrdinary(TrafficFlow flow) {
        boolean ipv6 = sampler.isIpv6();
        int client = sampler.client();
        int server = sampler.server();
        if (portsUsed[client] == FlowSampler.CLIENT_PORTS) {
            portsUsed[client] = 0;
            numbers[client] = FIRST_CLIENT + nextNumber++;
        }
        addresses.assign(flow, ipv6, numbers[client], server);
        flow.clientPort = FlowSampler.FIRST_CLIENT_PORT + portsUsed[client]++;
        sampler.protocolOf(flow);
        flow.fate = flow.protocol == Packet.TCP ? fate() : Fate.STOPPED;
        flow.packets = Math.max(size(flow.fate), flow.fate.leastPackets());
        flow.meanGapNanos = durationNanos() / Math.max(1, flow.packets - 1);
        hideHalf(flow);
        sampler.numbersOf(flow);
    }

    /** An ordinary flow, of which this much time lies before the capture. */
    void makeMidstream(TrafficFlow flow, long number) {
        flow.reset(number, 0);
        makeOrdinary(flow);
        double mean = flow.meanGapNanos * Math.max(1, flow.packets - 1);
        flow.nextNanos = -1 - (long) (random.nextDouble() * mean);
        flow.isMidstream = true;
    }

    /**
     * The probes of one scan: of one port on many hosts, or of many ports on one.
     *
     * @param scan number of the scan, which decides between the two
     */
    TrafficSource.Maker probes(int scan, int attack) {
        boolean ofPorts = isOfPorts(scan);
        int[] sent = {0};
        int firstTarget = FIRST_SCANNED + scan * options.attacks().probesPerScan();
        int port = random.nextInt(FlowSampler.CLIENT_PORTS) + FlowSampler.FIRST_CLIENT_PORT;
        return flow -> {
            int probe = sent[0]++;
            // Beyond 2^16 ports a scan continues with the next host.
            int host = ofPorts ? probe >>> 16 : probe;
            addresses.assign(flow, false, scannerNumber(scan), firstTarget + host);
            flow.protocol = Packet.TCP;
            flow.clientPort = port;
            flow.serverPort = ofPorts ? probe & 0xFFFF : SCANNED_PORT;
            flow.attack = attack;
            double answer = random.nextDouble();
            flow.fate =
                    answer < SCAN_REJECTED
                            ? Fate.REJECTED
                            : answer < SCAN_REJECTED + SCAN_OPEN ? Fate.HALF_OPEN : Fate.UNANSWERED;
            flow.packets = flow.fate.leastPackets();
            sampler.numbersOf(flow);
        };
    }

    static boolean isOfPorts(int scan) {
        return scan % 2 == 1;
    }

    private static int scannerNumber(int scan) {
        return FIRST_SCANNER + scan;
    }

    /** The SYNs of one flood, each from an address that is used once. */
    TrafficSource.Maker flood(int flood, int attack) {
        return flow -> {
            addresses.assign(flow, false, FIRST_SPOOFED + spoofed++, FIRST_FLOODED + flood);
            flow.protocol = Packet.TCP;
            flow.clientPort =
                    FlowSampler.FIRST_CLIENT_PORT + random.nextInt(FlowSampler.CLIENT_PORTS);
            flow.serverPort = FLOODED_PORT;
            flow.attack = attack;
            boolean answered = random.nextDouble() < FLOOD_ANSWERED;
            // An answered SYN is followed by a SYN-ACK, and then by nothing.
            flow.fate = answered ? Fate.STOPPED : Fate.UNANSWERED;
            flow.packets = answered ? 2 : 1;
            sampler.numbersOf(flow);
        };
    }

    /** A packet with flags that no connection has. */
    void makeIllegal(TrafficFlow flow) {
        int server = sampler.server();
        addresses.assign(flow, false, FIRST_ODD_CLIENT + odd++, server);
        flow.protocol = Packet.TCP;
        flow.clientPort = FlowSampler.FIRST_CLIENT_PORT + random.nextInt(FlowSampler.CLIENT_PORTS);
        flow.serverPort = sampler.tcpPort();
        flow.fate = Fate.ILLEGAL;
        flow.illegalFlags = ILLEGAL_FLAGS[random.nextInt(ILLEGAL_FLAGS.length)];
        sampler.numbersOf(flow);
    }

    /** The address of the host that scans, as text. */
    String scanner(int scan) {
        return IpAddresses.format(4, 0, addresses.addressOf(scannerNumber(scan)));
    }

    /** The address of the host that is flooded, as text. */
    String flooded(int flood) {
        return IpAddresses.format(4, 0, addresses.addressOf(FIRST_FLOODED + flood));
    }

    private Fate fate() {
        TrafficOptions.Endings endings = options.endings();
        double draw = random.nextDouble();
        if ((draw -= endings.fin()) < 0) {
            return Fate.FIN;
        }
        if ((draw -= endings.rst()) < 0) {
            return Fate.RST;
        }
        if ((draw -= endings.finAndRst()) < 0) {
            return Fate.FIN_AND_RST;
        }
        if ((draw -= endings.rejected()) < 0) {
            return Fate.REJECTED;
        }
        return draw < endings.unanswered() ? Fate.UNANSWERED : Fate.STOPPED;
    }

    private long size(Fate fate) {
        return switch (fate) {
            case REJECTED -> fate.leastPackets();
            case UNANSWERED -> 1 + random.nextInt(MAX_SYN_PACKETS);
            default -> sampler.size();
        };
    }

    /** Log-normal: the logarithm has a normal distribution (by the method of Box and Muller). */
    private double durationNanos() {
        TrafficOptions.Lengths lengths = options.lengths();
        double radius = StrictMath.sqrt(2 * random.nextExponential());
        double normal = radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
        return lengths.median().toNanos() * StrictMath.exp(lengths.sigma() * normal);
    }

    private void hideHalf(TrafficFlow flow) {
        if (random.nextDouble() < options.view().halfSeenShare()) {
            flow.hidden =
                    random.nextInt(2) == 0 ? TrafficFlow.Hidden.CLIENT : TrafficFlow.Hidden.SERVER;
        }
    }
}
