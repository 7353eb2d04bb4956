/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.CaptureCounts;
import io.sluice.capture.CaptureReader;
import io.sluice.capture.IpAddresses;
import io.sluice.capture.Packet;
import io.sluice.capture.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader finds in a capture what the generator reports. */
class TrafficGeneratorTest {
    private static final double SIGMAS = 5;

    @TempDir private Path folder;

    /** A flow as the reader sees it, under its ends in a fixed order. */
    private static final class Found {
        long packets;
        int flags;
        long wireBytes;
        long first = Long.MAX_VALUE;
        long last;
    }

    @Test
    void theTruthIsWhatTheReaderFinds() throws IOException {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        for (int round = 0; round < 12; round++) {
            TrafficOptions options = randomOptions(random);
            Path capture = folder.resolve("capture" + (round % 2 == 0 ? ".pcap" : ".pcap.gz"));
            TrafficTruth truth = TrafficGenerator.write(options, capture, flow -> {});

            assertAgrees(CaptureCounts.of(capture), truth);
        }
    }

    static void assertAgrees(CaptureCounts counts, TrafficTruth truth) {
        TrafficTruth.Packets packets = truth.packets();
        TrafficTruth.Flows flows = truth.flows();
        SoftAssertions softly = new SoftAssertions();
        softly.assertThat(counts.end().isClean()).isTrue();
        softly.assertThat(counts.isOrdered()).as("in order of time").isTrue();
        softly.assertThat(counts.tally().exceptions()).isEmpty();
        Map<String, Long> expected = new HashMap<>();
        expected.put("packets", packets.total());
        expected.put("wire_bytes", packets.wireBytes());
        expected.put("captured_bytes", packets.capturedBytes());
        expected.put("tcp_packets", packets.tcp());
        expected.put("syn_any", packets.syn());
        expected.put("synack", packets.synAck());
        expected.put("fin", packets.fin());
        expected.put("rst", packets.rst());
        expected.put("fin_and_rst", packets.finAndRst());
        expected.put("tuples_dir", flows.tcpDirections());
        expected.put("tuples_bidir", flows.tcp());
        expected.put("tuples_bidir_with_fin", flows.tcpWithFin());
        expected.put("tuples_bidir_with_rst", flows.tcpWithRst());
        expected.put("tuples_bidir_with_fin_and_rst", flows.tcpWithFinAndRst());
        expected.forEach(
                (name, count) ->
                        softly.assertThat(counts.get(name))
                                .as("%s of %s; %s", name, truth.options(), TestSeed.reproduce())
                                .isEqualTo(count));
        softly.assertThat(packets.ipv4() + packets.ipv6()).isEqualTo(packets.total());
        softly.assertThat(packets.tcp() + packets.udp() + packets.icmp())
                .isEqualTo(packets.total());
        softly.assertThat(flows.tcp() + flows.udp() + flows.icmp()).isEqualTo(flows.total());
        softly.assertThat(flows.tcpByFate().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(flows.tcp());
        softly.assertAll();
    }

    private static TrafficOptions randomOptions(SplitMix64 random) {
        return TrafficOptions.builder(1 + random.nextInt(3_000))
                .seed(random.nextLong())
                .duration(Duration.ofMillis(1 + random.nextInt(60_000)))
                .lengths(
                        new TrafficOptions.Lengths(
                                1 + random.nextInt(20),
                                0.5 + random.nextDouble(),
                                5_000,
                                Duration.ofMillis(1 + random.nextInt(5_000)),
                                3 * random.nextDouble()))
                .hosts(
                        new TrafficOptions.Hosts(
                                1 + random.nextInt(1_000),
                                2 * random.nextDouble(),
                                random.nextDouble(),
                                random.nextDouble()))
                .view(
                        new TrafficOptions.View(
                                random.nextDouble(),
                                random.nextDouble(),
                                random.nextDouble() / 2,
                                random.nextDouble() / 2))
                .attacks(
                        new TrafficOptions.Attacks(
                                random.nextInt(4),
                                1 + random.nextInt(500),
                                random.nextInt(3),
                                1 + random.nextInt(500),
                                random.nextInt(100)))
                .build();
    }

    @Test
    void theListOfFlowsIsWhatTheReaderFinds() throws IOException {
        TrafficOptions options =
                TrafficOptions.builder(2_000)
                        .seed(TestSeed.SEED)
                        .hosts(new TrafficOptions.Hosts(300, 1.1, 0.3, 0.9))
                        .view(new TrafficOptions.View(0.2, 0.3, 0.05, 0.1))
                        .attacks(new TrafficOptions.Attacks(2, 200, 1, 300, 20))
                        .build();
        Path capture = folder.resolve("capture.pcap");
        Path list = folder.resolve("flows.csv");

        TrafficTruth truth = TrafficTruthFile.writeWithFlows(options, capture, list);

        Map<String, Found> found = read(capture);
        List<String> lines = Files.readAllLines(list);
        assertThat(lines).hasSize((int) truth.flows().total() + 1);
        assertThat(lines.get(0)).isEqualTo(SeenFlow.CSV_HEADER);
        long compared = 0;
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split(",", -1);
            assertThat(fields).hasSize(SeenFlow.CSV_HEADER.split(",", -1).length);
            if (fields[0].equals("6")) {
                Found flow = found.remove(key(fields[1], fields[2], fields[3], fields[4]));
                assertThat(flow).as(line).isNotNull();
                assertThat(flow.packets)
                        .isEqualTo(Long.parseLong(fields[5]) + Long.parseLong(fields[6]));
                assertThat(flow.wireBytes).isEqualTo(Long.parseLong(fields[7]));
                assertThat(flow.flags)
                        .isEqualTo(Integer.parseInt(fields[8]) | Integer.parseInt(fields[9]));
                assertThat(flow.first).isEqualTo(Long.parseLong(fields[10]));
                assertThat(flow.last).isEqualTo(Long.parseLong(fields[11]));
                compared++;
            }
        }
        assertThat(found).isEmpty();
        assertThat(compared).isEqualTo(truth.flows().tcp()).isGreaterThan(2_000);
    }

    private static Map<String, Found> read(Path capture) throws IOException {
        Map<String, Found> flows = new HashMap<>();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            Packet packet = reader.packet();
            while (reader.next()) {
                if (packet.hasTcpFlags()) {
                    Found flow =
                            flows.computeIfAbsent(
                                    key(
                                            IpAddresses.format(
                                                    packet.ipVersion(),
                                                    packet.sourceHigh(),
                                                    packet.sourceLow()),
                                            packet.sourcePort() + "",
                                            IpAddresses.format(
                                                    packet.ipVersion(),
                                                    packet.destinationHigh(),
                                                    packet.destinationLow()),
                                            packet.destinationPort() + ""),
                                    key -> new Found());
                    flow.packets++;
                    flow.flags |= packet.tcpFlags();
                    flow.wireBytes += packet.wireLength();
                    flow.first = Math.min(flow.first, packet.timestampNanos());
                    flow.last = packet.timestampNanos();
                }
            }
        }
        return flows;
    }

    private static String key(String one, String onePort, String other, String otherPort) {
        String a = one + " " + onePort;
        String b = other + " " + otherPort;
        return a.compareTo(b) <= 0 ? a + " " + b : b + " " + a;
    }

    @Test
    void sharesAreAsAskedFor() throws IOException {
        int flows = 40_000;
        TrafficOptions.Endings endings = new TrafficOptions.Endings(0.4, 0.15, 0.1, 0.05, 0.2);
        TrafficOptions options =
                TrafficOptions.builder(flows)
                        .seed(TestSeed.SEED)
                        .lengths(new TrafficOptions.Lengths(5, 1.5, 100, Duration.ofMillis(1), 1))
                        .hosts(new TrafficOptions.Hosts(1_000, 1, 0.25, 0.9))
                        .endings(endings)
                        .view(new TrafficOptions.View(0, 0.3, 0.02, 0.1))
                        .duration(Duration.ofMinutes(10))
                        .build();

        TrafficTruth truth = write(options);

        long tcp = truth.flows().tcp() + truth.unseen().flows();
        assertShare("tcp", tcp, flows, 0.9);
        assertThat(truth.options()).isEqualTo(options);
        // Flows of one SYN whose client is hidden are not seen at all.
        Map<String, Long> fates = truth.flows().tcpByFate();
        assertShare("fin", fates.get("fin"), tcp, endings.fin());
        assertShare("rst", fates.get("rst"), tcp, endings.rst());
        assertShare("fin-and-rst", fates.get("fin-and-rst"), tcp, endings.finAndRst());
        assertShare("rejected", fates.get("rejected"), tcp, endings.rejected());
        long happened = truth.packets().total() + truth.unseen().lostPackets();
        assertShare("lost", truth.unseen().lostPackets(), happened, 0.02);
        // A repeated segment is not repeated again, and unanswered SYNs are not repeated by chance.
        assertThat((double) truth.packets().repeated() / truth.packets().tcp())
                .isBetween(0.06, 0.1);
    }

    @Test
    void halfOfSomeFlowsIsHidden() throws IOException {
        int flows = 20_000;
        TrafficOptions options =
                TrafficOptions.builder(flows)
                        .seed(TestSeed.SEED)
                        .lengths(new TrafficOptions.Lengths(6, 1.5, 100, Duration.ofMillis(1), 1))
                        .hosts(new TrafficOptions.Hosts(1_000, 1, 0.25, 1))
                        .endings(new TrafficOptions.Endings(1, 0, 0, 0, 0))
                        .view(new TrafficOptions.View(0, 0.3, 0, 0))
                        .duration(Duration.ofMinutes(100))
                        .build();

        TrafficTruth truth = write(options);

        assertThat(truth.flows().tcp()).isEqualTo(flows);
        assertShare("seen one way", truth.flows().tcpOneWay(), flows, 0.3);
        assertThat(truth.unseen().hiddenPackets()).isGreaterThan(flows / 2);
    }

    @Test
    void durationsHaveTheMedianAskedForAndSizesTheMean() throws IOException {
        int flows = 10_000;
        Duration median = Duration.ofMillis(500);
        TrafficOptions options =
                TrafficOptions.builder(flows)
                        .seed(TestSeed.SEED)
                        .lengths(new TrafficOptions.Lengths(300, 4, 2_000, median, 0.8))
                        .hosts(new TrafficOptions.Hosts(1_000, 1, 0, 1))
                        .endings(new TrafficOptions.Endings(0, 0, 0, 0, 0))
                        .duration(Duration.ofHours(2))
                        .build();
        long longer = 0;
        List<Long> durations = new ArrayList<>();
        TrafficTruth truth =
                TrafficGenerator.write(
                        options,
                        new ByteArrayOutputStream(),
                        flow -> durations.add(flow.lastNanos() - flow.firstNanos()));
        for (long duration : durations) {
            longer += duration > median.toNanos() ? 1 : 0;
        }
        double packets = truth.packets().total();

        // The handshake takes 40 ms more; with this many packets little is left of the gaps'
        // variance.
        assertThat((double) longer / flows).as(TestSeed.reproduce()).isBetween(0.48, 0.60);
        assertThat(packets / flows).as(TestSeed.reproduce()).isBetween(285.0, 315.0);
    }

    private static void assertShare(String what, long count, long total, double share) {
        double tolerance = SIGMAS * Math.sqrt(share * (1 - share) / total);
        assertThat((double) count / total)
                .as("share of %s; %s", what, TestSeed.reproduce())
                .isBetween(share - tolerance, share + tolerance);
    }

    @Test
    void attacksAreWhatTheySay() throws IOException {
        TrafficOptions options =
                TrafficOptions.builder(100)
                        .seed(TestSeed.SEED)
                        .attacks(new TrafficOptions.Attacks(2, 70_000, 1, 5_000, 50))
                        .build();
        Path capture = folder.resolve("capture.pcap");
        TrafficTruth truth = TrafficGenerator.write(options, capture, flow -> {});
        Map<String, Set<String>> targets = new HashMap<>();
        Set<String> floodSources = new HashSet<>();
        Set<Integer> portsOfOneHost = new HashSet<>();
        String flooded = truth.floods().get(0).host();
        long illegal = 0;
        try (CaptureReader reader = CaptureReader.open(capture)) {
            Packet packet = reader.packet();
            while (reader.next()) {
                String source = IpAddresses.format(4, 0, packet.sourceLow());
                String target = IpAddresses.format(4, 0, packet.destinationLow());
                int flags = packet.tcpFlags();
                boolean syn = flags == Packet.SYN;
                if (packet.ipVersion() == 4 && packet.hasTcpFlags() && syn) {
                    targets.computeIfAbsent(source, host -> new HashSet<>()).add(target);
                    if (target.equals(flooded)) {
                        floodSources.add(source);
                    }
                    if (source.equals(truth.scans().get(1).host())) {
                        portsOfOneHost.add(packet.destinationPort());
                    }
                }
                illegal += packet.hasTcpFlags() && isIllegal(flags) ? 1 : 0;
            }
        }

        TrafficTruth.Attack hosts = truth.scans().get(0);
        TrafficTruth.Attack ports = truth.scans().get(1);
        assertThat(hosts.kind()).isEqualTo("scan-hosts");
        assertThat(targets.get(hosts.host())).hasSize(70_000);
        assertThat(ports.kind()).isEqualTo("scan-ports");
        assertThat(targets.get(ports.host())).hasSize(2);
        assertThat(portsOfOneHost).hasSize(1 << 16);
        assertThat(hosts.flows()).isEqualTo(70_000);
        assertThat(truth.floods().get(0).flows()).isEqualTo(5_000);
        assertThat(floodSources).hasSize(5_000);
        assertThat(truth.flows().tcpByFate().get("illegal")).isEqualTo(50);
        assertThat(illegal).isEqualTo(50);
    }

    private static boolean isIllegal(int flags) {
        boolean syn = (flags & Packet.SYN) != 0;
        boolean fin = (flags & Packet.FIN) != 0;
        boolean rst = (flags & Packet.RST) != 0;
        boolean ack = (flags & Packet.ACK) != 0;
        return (syn && (fin || rst)) || (fin && rst) || (!syn && !rst && !ack);
    }

    @Test
    void aClientThatHasUsedAllPortsGoesOnUnderAnotherAddress() throws IOException {
        TrafficOptions options =
                TrafficOptions.builder(140_000)
                        .lengths(new TrafficOptions.Lengths(1, 1, 1, Duration.ofMillis(1), 0))
                        .hosts(new TrafficOptions.Hosts(1, 1, 0, 1))
                        .endings(new TrafficOptions.Endings(0, 0, 0, 0, 0))
                        .build();
        Path capture = folder.resolve("capture.pcap");

        TrafficTruth truth = TrafficGenerator.write(options, capture, flow -> {});

        CaptureCounts counts = CaptureCounts.of(capture);
        assertThat(truth.flows().tcp()).isEqualTo(140_000);
        assertThat(counts.get("tuples_bidir")).isEqualTo(140_000);
    }

    @Test
    void aCaptureThatWasBegunEarlierOrEndsEarlierCutsFlows() throws IOException {
        TrafficOptions options =
                TrafficOptions.builder(2_000)
                        .seed(TestSeed.SEED)
                        .lengths(
                                new TrafficOptions.Lengths(
                                        50, 2, 1_000, Duration.ofSeconds(100), 0.1))
                        .hosts(new TrafficOptions.Hosts(100, 1, 0, 1))
                        .endings(new TrafficOptions.Endings(1, 0, 0, 0, 0))
                        .view(new TrafficOptions.View(0.5, 0, 0, 0))
                        .duration(Duration.ofSeconds(10))
                        .build();

        TrafficTruth truth = write(options);

        assertThat(truth.flows().midstream()).isBetween(500L, 1_000L);
        // Flows that began before the capture have no SYN, and few of the others reach their end.
        assertThat(truth.packets().syn() - truth.packets().synAck()).isEqualTo(2_000);
        assertThat(truth.flows().tcpWithFin()).isLessThan(1_000);
    }

    @Test
    void refusesOptionsThatContradictEachOther() {
        assertRefused(
                () -> new TrafficOptions.Endings(0.5, 0.5, 0.1, 0, 0), "sum of the shares of all");
        assertRefused(() -> new TrafficOptions.Endings(-0.1, 0, 0, 0, 0), "fin must be in [0.0");
        assertRefused(() -> new TrafficOptions.View(0, 0, 1.5, 0), "lossShare");
        assertRefused(() -> new TrafficOptions.Hosts(0, 1, 0, 0), "sources must be in [1");
        assertRefused(() -> new TrafficOptions.Hosts(1, Double.NaN, 0, 0), "zipfExponent");
        assertRefused(() -> new TrafficOptions.Attacks(0, 0, 0, 1, 0), "probesPerScan");
        assertRefused(
                () -> new TrafficOptions.Lengths(20, 1, 10, Duration.ofSeconds(1), 1),
                "meanPackets must be in [1.0, 10.0], not 20");
        assertRefused(() -> TrafficOptions.builder(0).build(), "flows");
        assertRefused(() -> TrafficOptions.builder(1).duration(Duration.ZERO).build(), "duration");
    }

    private static void assertRefused(Runnable options, String message) {
        assertThatThrownBy(options::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    private static TrafficTruth write(TrafficOptions options) throws IOException {
        return TrafficGenerator.write(options, new ByteArrayOutputStream(), flow -> {});
    }
}
