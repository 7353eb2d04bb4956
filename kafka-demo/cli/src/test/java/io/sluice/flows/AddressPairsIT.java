/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.CaptureException;
import io.sluice.capture.CaptureReader;
import io.sluice.capture.Captures;
import io.sluice.capture.IpAddresses;
import io.sluice.capture.Packet;
import io.sluice.capture.traffic.TrafficGenerator;
import io.sluice.capture.traffic.TrafficOptions;
import io.sluice.capture.traffic.TrafficOptions.Hosts;
import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.MachineReport;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.Machines;
import io.sluice.flink.machine.store.StoreKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The case study of the key-value Bloom filter's paper: a machine for each pair of addresses whose
 * states are the flags that were seen. The pairs with FIN and RST are those of an exact count.
 */
class AddressPairsIT {

    private static final Path MACHINE =
            Path.of("../../examples/machines/src/main/resources/fin-and-rst.yaml");

    private static final double ERROR = 1e-4;

    private static final int FIN_AND_RST = Packet.FIN | Packet.RST;

    /**
     * A packet.
     *
     * @param pair its capture and its two addresses
     * @param flags those of FIN and RST that it has
     */
    private record Seen(String pair, int flags) {
        String event() {
            return switch (flags) {
                case 0 -> "other";
                case Packet.FIN -> "fin";
                case Packet.RST -> "rst";
                default -> "fin and rst";
            };
        }
    }

    private static final List<Seen> PACKETS = new ArrayList<>();

    @TempDir private Path folder;

    @AfterEach
    void forget() {
        PACKETS.clear();
    }

    /** Adds the TCP packets of a capture, and those before the damage of a damaged one. */
    private static void add(String name, Path capture) throws IOException {
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next()) {
                Packet packet = reader.packet();
                if (packet.hasTcpFlags()) {
                    PACKETS.add(
                            new Seen(name + " " + pair(packet), packet.tcpFlags() & FIN_AND_RST));
                }
            }
        } catch (CaptureException e) {
            // What was read before it is a capture too.
            assertThat(e).hasMessageContaining(capture.getFileName().toString());
        }
    }

    private static String pair(Packet packet) {
        int version = packet.ipVersion();
        String source = IpAddresses.format(version, packet.sourceHigh(), packet.sourceLow());
        String destination =
                IpAddresses.format(version, packet.destinationHigh(), packet.destinationLow());
        return source.compareTo(destination) < 0
                ? source + " " + destination
                : destination + " " + source;
    }

    private static Set<String> counted() {
        Map<String, Integer> seen = new HashMap<>();
        PACKETS.forEach(each -> seen.merge(each.pair(), each.flags(), (a, b) -> a | b));
        seen.values().removeIf(flags -> flags != FIN_AND_RST);
        return seen.keySet();
    }

    /** No pair leaves by time, as in the paper: all packets have one. */
    private static Set<String> flagged(StoreKind store, long pairs) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);
        List<MachineReport> reports =
                Machines.by((Seen packet) -> packet.pair())
                        .uid("pairs")
                        .machine(MachineDefinition.read(MACHINE))
                        .event(Seen::event)
                        .store(store)
                        .errorProbability(ERROR)
                        .expecting(pairs)
                        .emit(Kind.FINISHED)
                        .apply(
                                env.fromSequence(0, PACKETS.size() - 1)
                                        .map(index -> PACKETS.get(index.intValue()))
                                        .returns(Seen.class)
                                        .assignTimestampsAndWatermarks(
                                                WatermarkStrategy.<Seen>noWatermarks()
                                                        .withTimestampAssigner((packet, old) -> 0)))
                        .executeAndCollect(PACKETS.size());
        Set<String> flagged = new HashSet<>();
        for (MachineReport report : reports) {
            assertThat(flagged.add(report.key())).isTrue();
        }
        return flagged;
    }

    private static void areThoseOfCounting() throws Exception {
        Set<String> counted = counted();
        assertThat(counted).hasSizeGreaterThan(20);
        long withFlags = PACKETS.stream().filter(each -> each.flags() != 0).count();
        long pairs = PACKETS.stream().map(Seen::pair).distinct().count();
        double most = ERROR * withFlags;
        for (StoreKind store : StoreKind.values()) {
            Set<String> flagged = flagged(store, pairs);
            if (store == StoreKind.EXACT) {
                assertThat(flagged).isEqualTo(counted);
                continue;
            }
            Set<String> different = new HashSet<>(flagged);
            different.addAll(counted);
            different.removeIf(pair -> flagged.contains(pair) && counted.contains(pair));
            assertThat((double) different.size())
                    .as("%s, %s of %s pairs", store, counted.size(), pairs)
                    .isLessThanOrEqualTo(most + 5 * Math.sqrt(most) + 1);
        }
    }

    @Test
    void thePairsOfASyntheticCaptureAreThoseOfCounting() throws Exception {
        Path capture = folder.resolve("pairs.pcap");
        TrafficGenerator.write(
                TrafficOptions.builder(20_000).seed(3).hosts(new Hosts(2_000, 1.1, 0.1, 1)).build(),
                capture,
                flow -> {});
        add("synthetic", capture);
        areThoseOfCounting();
    }

    /** Skipped where there are none. */
    @Test
    void thePairsOfRealCapturesAreThoseOfCounting() throws Exception {
        Path real = Captures.directory();
        List<Path> captures;
        try (Stream<Path> files = Files.walk(real)) {
            captures =
                    files.filter(file -> file.toString().matches(".*\\.(pcap|pcapng)(\\.gz)?"))
                            .sorted()
                            .toList();
        }
        for (Path capture : captures) {
            add(real.relativize(capture).toString(), capture);
        }
        areThoseOfCounting();
    }
}
