/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import static io.sluice.capture.TestPackets.ethernet;
import static io.sluice.capture.TestPackets.hex;
import static io.sluice.capture.TestPackets.ipv4;
import static io.sluice.capture.TestPackets.ipv6;
import static io.sluice.capture.TestPackets.tcp;
import static io.sluice.capture.TestPackets.udp;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.traffic.SplitMix64;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every link type, tag, extension header and tunnel, byte by byte. */
class LinkDecoderTest {
    private static final String SYN = tcp(50000, 443, Packet.SYN);
    private static final String IPV4 = ipv4(Packet.TCP, SYN);
    private static final String IPV6 = ipv6(Packet.TCP, SYN);
    private static final List<Integer> LINK_TYPES =
            List.of(0, 1, 9, 12, 14, 50, 51, 101, 104, 108, 109, 113, 228, 229, 239, 276);

    static Stream<Arguments> packetsWithTcp() {
        String sll = "0000 0001 0006 020000000001 0000";
        String snap = "aaaa03000000";
        return Stream.of(
                Arguments.of("Ethernet, IPv4", 1, ethernet(0x0800, IPV4), 0),
                Arguments.of("Ethernet, IPv6", 1, ethernet(0x86DD, IPV6), 0),
                Arguments.of("VLAN", 1, ethernet(0x8100, "0064 0800" + IPV4), 1),
                Arguments.of("QinQ", 1, ethernet(0x88A8, "00c8 8100 0064 86dd" + IPV6), 2),
                Arguments.of("QinQ, old", 1, ethernet(0x9100, "00c8 9200 0064 0800" + IPV4), 2),
                Arguments.of(
                        "MAC in MAC",
                        1,
                        ethernet(0x88A8, "0001 88e7 00000001 " + ethernet(0x0800, IPV4)),
                        2),
                Arguments.of("MPLS", 1, ethernet(0x8847, "00064140" + IPV4), 1),
                Arguments.of("MPLS, 2 labels", 1, ethernet(0x8848, "00064040 00065140" + IPV6), 2),
                Arguments.of("PPPoE", 1, ethernet(0x8864, "1100 0001 002a 0021" + IPV4), 0),
                Arguments.of(
                        "PPPoE in QinQ",
                        1,
                        ethernet(0x8100, "0001 8864 110000010040 0057" + IPV6),
                        1),
                Arguments.of("LLC and SNAP", 1, ethernet(0x0030, snap + "0800" + IPV4), 0),
                Arguments.of("null, little", 0, "02000000" + IPV4, 0),
                Arguments.of("null, big", 0, "0000001e" + IPV6, 0),
                Arguments.of("loop", 108, "00000002" + IPV4, 0),
                Arguments.of("raw 12", 12, IPV4, 0),
                Arguments.of("raw 14", 14, IPV6, 0),
                Arguments.of("raw 101", 101, IPV6, 0),
                Arguments.of("IPv4", 228, IPV4, 0),
                Arguments.of("IPv6", 229, IPV6, 0),
                Arguments.of("cooked", 113, sll + "0800" + IPV4, 0),
                Arguments.of("cooked, VLAN", 113, sll + "8100 0001 86dd" + IPV6, 1),
                Arguments.of("cooked, LLC", 113, sll + "0004" + snap + "0800" + IPV4, 0),
                Arguments.of(
                        "cooked 2",
                        276,
                        "0800 0000 00000001 0001 00 06 " + "00".repeat(8) + IPV4,
                        0),
                Arguments.of("PPP", 9, "ff03 0021" + IPV4, 0),
                Arguments.of("PPP without address", 9, "0057" + IPV6, 0),
                Arguments.of("PPP, MPLS", 9, "ff03 0281 00064140" + IPV4, 1),
                Arguments.of("PPP over HDLC", 50, "ff03 0021" + IPV4, 0),
                Arguments.of("Cisco HDLC", 104, "0f00 0800" + IPV4, 0),
                Arguments.of("Cisco HDLC as PPP", 50, "8f00 86dd" + IPV6, 0),
                Arguments.of("PPP over Ethernet", 51, "1100 0001 002a 0021" + IPV4, 0),
                Arguments.of("OpenBSD's IPsec", 109, "02000000 00000001 00000000" + IPV4, 0),
                Arguments.of(
                        "netfilter log, little-endian",
                        239,
                        "0200 0000 0800 0100 08000300 0500 0a00 41000000 2c00 0900" + IPV4,
                        0),
                Arguments.of(
                        "netfilter log, big-endian",
                        239,
                        "0a00 0000 0008 0001 86dd0300 0040 0009" + IPV6,
                        0),
                Arguments.of(
                        "IPv4 options",
                        101,
                        "4600002c 00004000 40060000 0a000001 0a000002 01010100" + SYN,
                        0),
                Arguments.of(
                        "IPv4, authentication",
                        101,
                        ipv4(51, "06040000 00000001 00000001 000000000000000000000000" + SYN),
                        0),
                Arguments.of(
                        "IPv6 extensions",
                        101,
                        ipv6(
                                0,
                                "3c00000000000000"
                                        + "2b00000000000000"
                                        + "3300000000000000"
                                        + "2c040000 00000001 00000001 000000000000000000000000"
                                        + "8700000100000001"
                                        + "8b01000000000000 0000000000000000"
                                        + "8c00000000000000"
                                        + "0600000000000000"
                                        + SYN),
                        0),
                Arguments.of("IPv6, first fragment", 101, ipv6(44, "06000001 00000001" + SYN), 0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("packetsWithTcp")
    void tcpIsFoundBehind(String name, int linkType, String bytes, int tags) {
        Packet packet = decode(linkType, hex(bytes), false);

        assertThat(packet.kind()).as(name).isEqualTo(PacketKind.WHOLE);
        assertThat(packet.isIp()).isTrue();
        assertThat(packet.tags()).isEqualTo(tags);
        assertThat(packet.protocol()).isEqualTo(Packet.TCP);
        assertThat(packet.sourcePort()).isEqualTo(50000);
        assertThat(packet.destinationPort()).isEqualTo(443);
        assertThat(packet.tcpFlags()).isEqualTo(Packet.SYN);
        assertThat(IpAddresses.format(packet.ipVersion(), packet.sourceHigh(), packet.sourceLow()))
                .isEqualTo(packet.ipVersion() == 4 ? "10.0.0.1" : "2001:db8::1");
        assertThat(
                        IpAddresses.format(
                                packet.ipVersion(),
                                packet.destinationHigh(),
                                packet.destinationLow()))
                .isEqualTo(packet.ipVersion() == 4 ? "10.0.0.2" : "2001:db8::2");
    }

    /** However short a packet is cut, its kind says how much is known, in this order. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("packetsWithTcp")
    void everyCutOfItIsOfTheKindThatFits(String name, int linkType, String bytes, int tags) {
        byte[] whole = hex(bytes);
        int transport = whole.length - 20;
        List<PacketKind> order =
                List.of(
                        PacketKind.LINK_CUT,
                        PacketKind.NOT_IP,
                        PacketKind.IP_CUT,
                        PacketKind.TRANSPORT_CUT,
                        PacketKind.WHOLE);
        int least = 0;
        for (int length = 0; length <= whole.length; length++) {
            Packet packet = decode(linkType, Arrays.copyOf(whole, length), true);
            // Without its organisation code a frame of 802.3 is not known to be IP.
            int rank = order.indexOf(packet.kind());

            assertThat(rank).as("%s cut to %d", name, length).isGreaterThanOrEqualTo(least);
            assertThat(packet.hasPorts()).isEqualTo(length >= transport + 4);
            assertThat(packet.hasTcpFlags()).isEqualTo(length >= transport + 14);
            assertThat(packet.tags()).isLessThanOrEqualTo(tags);
            least = rank;
        }
        assertThat(least).isEqualTo(order.indexOf(PacketKind.WHOLE));
    }

    static Stream<Arguments> packetsInVlans() {
        String gre = ipv4(47, "00006558" + ethernet(0x8100, "0030 0800" + IPV4));
        String greOfArp = ipv4(47, "00006558" + ethernet(0x8100, "0030 0806" + "00".repeat(28)));
        return Stream.of(
                Arguments.of("none", 1, ethernet(0x0800, IPV4), 0, 0),
                Arguments.of("802.1Q", 1, ethernet(0x8100, "000a 0800" + IPV4), 10, 0),
                Arguments.of("its priority", 1, ethernet(0x8100, "f00a 0800" + IPV4), 10, 0),
                Arguments.of("only a priority", 1, ethernet(0x8100, "e000 0800" + IPV4), 0, 0),
                Arguments.of("QinQ", 1, ethernet(0x88a8, "0fff 8100 0014 0800" + IPV4), 4095, 20),
                Arguments.of("same", 1, ethernet(0x88a8, "000a 8100 000a 0800" + IPV4), 10, 10),
                Arguments.of(
                        "priority, then VLAN",
                        1,
                        ethernet(0x8100, "e000 8100 000a 0800" + IPV4),
                        10,
                        0),
                Arguments.of(
                        "three", 1, ethernet(0x88a8, "0001 8100 0002 8100 0003 0800" + IPV4), 1, 3),
                Arguments.of(
                        "cooked",
                        113,
                        "0000 0001 0006 020000000001 0000 8100 0007 0800" + IPV4,
                        7,
                        0),
                Arguments.of("tunnel", 1, ethernet(0x8100, "0010 0800" + gre), 16, 48),
                Arguments.of("not IP inside", 1, ethernet(0x8100, "0010 0800" + greOfArp), 16, 0),
                Arguments.of("MPLS is none", 1, ethernet(0x8847, "00064140" + IPV4), 0, 0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("packetsInVlans")
    void vlansAreTheOuterAndTheInnerOne(
            String name, int linkType, String bytes, int outer, int inner) {
        Packet packet = decode(linkType, hex(bytes), true);

        assertThat(packet.kind()).as(name).isEqualTo(PacketKind.WHOLE);
        assertThat(packet.vlan()).isEqualTo(outer);
        assertThat(packet.innerVlan()).isEqualTo(inner);
    }

    @Test
    void whatIsNoIpSaysSo() {
        assertKind(1, ethernet(0x0806, "00".repeat(28)), PacketKind.NOT_IP);
        assertKind(1, ethernet(0x0026, "424203" + "00".repeat(35)), PacketKind.NOT_IP);
        assertKind(1, ethernet(0x8847, "00064140 00000000" + IPV4), PacketKind.NOT_IP);
        assertKind(0, "07000000 83" + "00".repeat(30), PacketKind.NOT_IP);
        assertKind(9, "ff03 c021 0101", PacketKind.NOT_IP);
        assertKind(
                113, "0000 0001 0006 020000000001 0000 0806" + "00".repeat(28), PacketKind.NOT_IP);
        assertKind(127, "00".repeat(40), PacketKind.UNKNOWN_LINK);
        assertKind(239, "0200 0000 0000 0100 08000300", PacketKind.NOT_IP);
        assertKind(239, "0200 0000 0800 0100 08000300", PacketKind.LINK_CUT);
        assertKind(1, ethernet(0x0800, "25" + IPV4.substring(2)), PacketKind.BAD_IP);
        assertKind(1, ethernet(0x0800, "44" + IPV4.substring(2)), PacketKind.BAD_IP);
        assertKind(1, "", PacketKind.LINK_CUT);
        assertKind(1, ethernet(0x8847, "00064040 00064040"), PacketKind.LINK_CUT);
    }

    @Test
    void otherProtocolsAreWholeWithTheirPortsOrWithout() {
        Packet udp = decode(101, hex(ipv4(Packet.UDP, udp(53, 4000, "00"))), false);
        assertThat(udp.kind()).isEqualTo(PacketKind.WHOLE);
        assertThat(udp.hasPorts()).isTrue();
        assertThat(udp.sourcePort()).isEqualTo(53);
        assertThat(udp.hasTcpFlags()).isFalse();

        Packet icmp = decode(101, hex(ipv4(1, "0800000000010001")), false);
        assertThat(icmp.kind()).isEqualTo(PacketKind.WHOLE);
        assertThat(icmp.hasPorts()).isFalse();
    }

    @Test
    void laterFragmentsHaveNoPorts() {
        Packet later4 =
                decode(101, hex("4500 0028 0001 0001 4006 0000 0a000001 0a000002" + SYN), false);
        Packet later6 = decode(101, hex(ipv6(44, "06000008 00000001" + SYN)), false);

        for (Packet later : List.of(later4, later6)) {
            assertThat(later.kind()).isEqualTo(PacketKind.LATER_FRAGMENT);
            assertThat(later.isLaterFragment()).isTrue();
            assertThat(later.isIp()).isTrue();
            assertThat(later.protocol()).isEqualTo(Packet.TCP);
            assertThat(later.hasPorts()).isFalse();
            assertThat(later.hasTcpFlags()).isFalse();
        }
    }

    static Stream<Arguments> tunnels() {
        String frame = ethernet(0x0800, IPV4);
        String gtp = "ff 0028 00000001";
        return Stream.of(
                Arguments.of("IPv4 in IPv4", ipv4(4, IPV4), 1),
                Arguments.of("IPv6 in IPv4", ipv4(41, IPV6), 1),
                Arguments.of("IPv4 in IPv6", ipv6(4, IPV4), 1),
                Arguments.of("IPv6 in IPv6 in IPv6", ipv6(41, ipv6(41, IPV6)), 2),
                Arguments.of("GRE", ipv4(47, "0000 0800" + IPV4), 1),
                Arguments.of(
                        "GRE, all fields",
                        ipv4(47, "b000 86dd 00000000 00000001 00000002" + IPV6),
                        1),
                Arguments.of("GRE, Ethernet", ipv4(47, "2000 6558 00000001" + frame), 1),
                Arguments.of("GRE, MPLS", ipv4(47, "0000 8847 00064140" + IPV4), 1),
                Arguments.of(
                        "PPTP",
                        ipv4(47, "3081 880b 002c0001 00000001 00000001 ff03 0021" + IPV4),
                        1),
                Arguments.of("PPTP, short protocol", ipv4(47, "2001 880b 00290001 21" + IPV4), 1),
                Arguments.of("Ethernet over IP", ipv4(47, "2001 6400 00360019" + frame), 1),
                Arguments.of("VXLAN", ipv4(17, udp(9999, 4789, "08000000 00000100" + frame)), 1),
                Arguments.of(
                        "Geneve",
                        ipv6(17, udp(9999, 6081, "0100 6558 00000100 00000000" + frame)),
                        1),
                Arguments.of(
                        "Geneve, IP", ipv4(17, udp(9999, 6081, "0000 0800 00000100" + IPV4)), 1),
                Arguments.of("GTP", ipv4(17, udp(2152, 2152, "30" + gtp + IPV4)), 1),
                Arguments.of(
                        "GTP, sequence",
                        ipv4(17, udp(2152, 2152, "32" + gtp + "00010000" + IPV6)),
                        1),
                Arguments.of(
                        "GTP, extension",
                        ipv4(17, udp(2152, 2152, "34" + gtp + "00000085 01100900" + IPV4)),
                        1),
                Arguments.of(
                        "IP in GTP in GRE",
                        ipv4(47, "0000 0800" + ipv4(17, udp(1, 2152, "30" + gtp + ipv4(4, IPV4)))),
                        3));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("tunnels")
    void tcpIsFoundInside(String name, String bytes, int depth) {
        Packet inside = decode(101, hex(bytes), true);
        Packet outside = decode(101, hex(bytes), false);

        assertThat(inside.kind()).as(name).isEqualTo(PacketKind.WHOLE);
        assertThat(inside.tunnels()).isEqualTo(depth);
        assertThat(inside.hasTcpFlags()).isTrue();
        assertThat(inside.tcpFlags()).isEqualTo(Packet.SYN);
        assertThat(inside.destinationPort()).isEqualTo(443);
        assertThat(outside.kind()).isEqualTo(PacketKind.WHOLE);
        assertThat(outside.tunnels()).isZero();
        assertThat(outside.hasTcpFlags()).isFalse();
    }

    /** If the inside is cut or foreign, the outer header counts. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("tunnels")
    void aTunnelThatIsCutIsWhatIsLeftOfIt(String name, String bytes, int depth) {
        byte[] whole = hex(bytes);
        int least = 0;
        for (int length = 40; length <= whole.length; length++) {
            Packet packet = decode(101, Arrays.copyOf(whole, length), true);

            assertThat(packet.isIp()).as("%s cut to %d", name, length).isTrue();
            assertThat(packet.kind().isIp()).isTrue();
            assertThat(packet.tunnels()).isBetween(least, depth);
            assertThat(packet.hasTcpFlags()).isEqualTo(length >= whole.length - 6);
            least = packet.tunnels();
        }
    }

    @Test
    void nestingWithoutEndIsNotFollowed() {
        String packet = IPV4;
        for (int i = 0; i < 200; i++) {
            packet = ipv4(4, packet);
        }

        Packet decoded = decode(101, hex(packet), true);

        assertThat(decoded.tunnels()).isEqualTo(8);
        assertThat(decoded.protocol()).isEqualTo(4);
        assertThat(decoded.kind()).isEqualTo(PacketKind.WHOLE);
    }

    @Test
    void anyBytesOfAnyLinkAreOfSomeKind() {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        List<Arguments> seeds = Stream.concat(packetsWithTcp(), tunnels()).toList();
        long found = 0;
        for (int round = 0; round < 60_000; round++) {
            Object[] seed = seeds.get(random.nextInt(seeds.size())).get();
            boolean tunnel = seed.length == 3;
            byte[] bytes = hex((String) seed[tunnel ? 1 : 2]);
            int linkType =
                    random.nextInt(4) == 0
                            ? LINK_TYPES.get(random.nextInt(LINK_TYPES.size()))
                            : tunnel ? 101 : (Integer) seed[1];
            int changes = random.nextInt(4);
            for (int i = 0; i < changes; i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextLong();
            }
            Packet packet =
                    decode(linkType, Arrays.copyOf(bytes, random.nextInt(bytes.length + 30)), true);
            assertThat(packet.isIp())
                    .as(TestSeed.reproduce())
                    .isEqualTo(packet.kind().isIp())
                    .isEqualTo(packet.ipVersion() == 4 || packet.ipVersion() == 6);
            assertThat(packet.hasTcpFlags() && !packet.hasPorts()).isFalse();
            found += packet.hasTcpFlags() ? 1 : 0;
        }
        assertThat(found).isGreaterThan(6_000);
    }

    private static void assertKind(int linkType, String bytes, PacketKind kind) {
        Packet packet = decode(linkType, hex(bytes), false);
        assertThat(packet.kind()).isEqualTo(kind);
        assertThat(packet.isIp()).isFalse();
    }

    private static Packet decode(int linkType, byte[] bytes, boolean insideTunnels) {
        Packet packet = new Packet();
        packet.bytes = bytes;
        packet.capturedLength = bytes.length;
        packet.wireLength = bytes.length;
        packet.linkType = linkType;
        packet.followTunnels = insideTunnels;
        LinkDecoder.decode(packet);
        return packet;
    }
}
