/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pkts.PacketHandler;
import io.pkts.Pcap;
import io.pkts.packet.IPv4Packet;
import io.pkts.packet.PCapPacket;
import io.pkts.packet.TCPPacket;
import io.pkts.protocol.Protocol;
import io.sluice.capture.CaptureReader;
import io.sluice.capture.CaptureWriter;
import io.sluice.capture.IpAddresses;
import io.sluice.capture.LinkType;
import io.sluice.capture.Octets;
import io.sluice.capture.Packet;
import io.sluice.capture.TestSeed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

public class LoadGeneratorTest {
    private static final LoadOptions SMALL = LoadOptions.builder(20_000).seed(7).build();

    @TempDir private Path directory;

    private record Flow(long low, int lowPort, long high, int highPort, int protocol) {
        static Flow of(Packet p) {
            boolean forward =
                    p.sourceLow() < p.destinationLow()
                            || (p.sourceLow() == p.destinationLow()
                                    && p.sourcePort() < p.destinationPort());
            return forward
                    ? new Flow(
                            p.sourceLow(),
                            p.sourcePort(),
                            p.destinationLow(),
                            p.destinationPort(),
                            p.protocol())
                    : new Flow(
                            p.destinationLow(),
                            p.destinationPort(),
                            p.sourceLow(),
                            p.sourcePort(),
                            p.protocol());
        }
    }

    @Test
    void equalOptionsGiveEqualBytesForEver() throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes(SMALL));

        assertThat(HexFormat.of().formatHex(hash))
                .isEqualTo("ecbedcdbb98a72ee8ccc142680558b0dbfb62a5a41e84b39ff2fef41eaf164a1");
    }

    @Test
    void anotherSeedGivesAnotherTrace() throws IOException {
        assertThat(bytes(SMALL)).isNotEqualTo(bytes(LoadOptions.builder(20_000).seed(8).build()));
    }

    @Test
    void theCompressedFileHoldsTheSameBytes() throws IOException {
        Path plain = directory.resolve("trace.pcap");
        Path compressed = directory.resolve("trace.pcap.gz");

        LoadGenerator.write(SMALL, plain);
        LoadGenerator.write(SMALL, compressed);

        assertThat(Files.readAllBytes(plain)).isEqualTo(bytes(SMALL));
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(compressed))) {
            assertThat(in.readAllBytes()).isEqualTo(bytes(SMALL));
        }
        assertThat(Files.size(compressed)).isLessThan(Files.size(plain));
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactlyInAnyOrder(plain, compressed);
        }
    }

    @Test
    void hasExactlyThePacketsAndNearlyTheFlowsAskedFor() throws IOException {
        LoadOptions options = LoadOptions.builder(100_000).flows(8_000).seed(TestSeed.SEED).build();
        Map<Flow, Long> sizes = new HashMap<>();
        long packets = 0;
        long last = Long.MIN_VALUE;
        long first = Long.MAX_VALUE;
        try (CaptureReader reader = open(bytes(options))) {
            Packet packet = reader.packet();
            while (reader.next()) {
                packets++;
                assertThat(packet.isIp()).isTrue();
                assertThat(packet.timestampNanos()).isGreaterThanOrEqualTo(last);
                last = packet.timestampNanos();
                first = Math.min(first, last);
                sizes.merge(Flow.of(packet), 1L, Long::sum);
            }
            assertThat(reader.end().isClean()).isTrue();
        }
        long[] sorted = sizes.values().stream().mapToLong(Long::longValue).sorted().toArray();
        long inLargest = 0;
        for (int i = sorted.length - sorted.length / 100; i < sorted.length; i++) {
            inLargest += sorted[i];
        }

        assertThat(packets).isEqualTo(100_000);
        // Flows that share a 5-tuple by chance, and ICMP flows of one pair of hosts, count once.
        assertThat((double) sizes.size()).as(TestSeed.reproduce()).isBetween(7_600.0, 8_000.0);
        assertThat(inLargest / (double) packets)
                .as("share of the largest 1 %% of the flows; %s", TestSeed.reproduce())
                .isGreaterThan(0.2);
        // A minute of Poisson arrivals: its length has a relative error of 1 / sqrt(packets).
        assertThat((last - first) / 1e9).as(TestSeed.reproduce()).isBetween(59.0, 61.0);
    }

    @Test
    void looksLikeABackboneTrace() throws IOException {
        Map<String, Long> seen = new HashMap<>();
        Map<Long, Long> sources = new HashMap<>();
        try (CaptureReader reader = open(bytes(SMALL))) {
            Packet packet = reader.packet();
            while (reader.next()) {
                count(seen, packet.ipVersion() == 4, "ipv4");
                count(seen, packet.ipVersion() == 6, "ipv6");
                count(seen, packet.isTruncated(), "headers only");
                count(seen, packet.protocol() == Packet.UDP, "udp");
                int flags = packet.hasTcpFlags() ? packet.tcpFlags() : 0;
                count(seen, flags == Packet.SYN, "syn");
                count(seen, flags == (Packet.SYN | Packet.ACK), "syn and ack");
                count(seen, (flags & Packet.FIN) != 0, "fin");
                count(seen, (flags & Packet.RST) != 0, "rst");
                sources.merge(packet.sourceLow(), 1L, Long::sum);
            }
        }

        assertThat(seen)
                .containsOnlyKeys(
                        "ipv4", "ipv6", "headers only", "udp", "syn", "syn and ack", "fin", "rst");
        assertThat(seen.get("ipv6")).isBetween(1_000L, 4_000L);
        assertThat(sources.values().stream().mapToLong(Long::longValue).max().orElseThrow())
                .as("packets of the most popular source")
                .isGreaterThan(20L * 20_000 / sources.size());
    }

    @Test
    void anotherReaderSeesTheSameIpv4Packets() throws IOException {
        byte[] trace = bytes(LoadOptions.builder(5_000).ipv6Share(0).seed(3).build());
        List<String> ours = new ArrayList<>();
        try (CaptureReader reader = open(trace)) {
            Packet packet = reader.packet();
            while (reader.next()) {
                ours.add(
                        "%s %s %d %d>%d %d"
                                .formatted(
                                        IpAddresses.format(4, 0, packet.sourceLow()),
                                        IpAddresses.format(4, 0, packet.destinationLow()),
                                        packet.wireLength(),
                                        packet.hasTcpFlags() ? packet.sourcePort() : 0,
                                        packet.hasTcpFlags() ? packet.destinationPort() : 0,
                                        packet.timestampNanos()));
            }
        }
        List<String> theirs = new ArrayList<>();
        Pcap.openStream(new ByteArrayInputStream(asEthernet(trace)))
                .loop(
                        (PacketHandler)
                                packet -> {
                                    theirs.add(describe(packet));
                                    return true;
                                });

        assertThat(theirs).isEqualTo(ours);
    }

    @Test
    void refusesOptionsThatContradictEachOther() {
        assertThatThrownBy(() -> LoadOptions.builder(10).flows(11).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("flows must be in [1, 10], not 11");
        assertThatThrownBy(() -> LoadOptions.builder(10).duration(Duration.ZERO).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("duration");
    }

    @Test
    void aTraceOfOnePacketIsPossible() throws IOException {
        try (CaptureReader reader = open(bytes(LoadOptions.builder(1).build()))) {
            assertThat(reader.next()).isTrue();
            assertThat(reader.next()).isFalse();
        }
    }

    private static void count(Map<String, Long> seen, boolean condition, String what) {
        if (condition) {
            seen.merge(what, 1L, Long::sum);
        }
    }

    private static String describe(io.pkts.packet.Packet packet) throws IOException {
        IPv4Packet ip = (IPv4Packet) packet.getPacket(Protocol.IPv4);
        PCapPacket frame = (PCapPacket) packet.getPacket(Protocol.PCAP);
        TCPPacket tcp =
                packet.hasProtocol(Protocol.TCP)
                        ? (TCPPacket) packet.getPacket(Protocol.TCP)
                        : null;
        return "%s %s %d %d>%d %d"
                .formatted(
                        ip.getSourceIP(),
                        ip.getDestinationIP(),
                        frame.getTotalLength() - LINK_BYTES,
                        tcp == null ? 0 : tcp.getSourcePort(),
                        tcp == null ? 0 : tcp.getDestinationPort(),
                        frame.getArrivalTime());
    }

    private static final int LINK_BYTES = 14;

    /** pkts reads Ethernet best: each packet gets a frame header. */
    private static byte[] asEthernet(byte[] trace) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (CaptureReader reader = open(trace);
                CaptureWriter writer = new CaptureWriter(out, LinkType.ETHERNET, 65535)) {
            Packet packet = reader.packet();
            while (reader.next()) {
                byte[] frame = new byte[LINK_BYTES + packet.capturedLength()];
                Octets.putU16(frame, 12, 0x0800);
                for (int i = 0; i < packet.capturedLength(); i++) {
                    frame[LINK_BYTES + i] = (byte) packet.byteAt(i);
                }
                writer.write(
                        packet.timestampNanos(),
                        frame,
                        frame.length,
                        LINK_BYTES + packet.wireLength());
            }
        }
        return out.toByteArray();
    }

    public static byte[] bytes(LoadOptions options) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LoadGenerator.write(options, out);
        return out.toByteArray();
    }

    public static CaptureReader open(byte[] bytes) throws IOException {
        return CaptureReader.open("trace", new ByteArrayInputStream(bytes));
    }
}
