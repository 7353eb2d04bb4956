/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Reads a whole capture and counts what a table of truth can be compared with. */
final class CaptureCounts {
    private record Endpoint(long high, long low, int port) {}

    private record Tuple(Endpoint source, Endpoint destination) {
        Tuple reversed() {
            return new Tuple(destination, source);
        }
    }

    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final Set<Tuple> pairs = new HashSet<>();
    private final Set<Tuple> tuples = new HashSet<>();
    private final Map<Integer, Long> linkTypes = new HashMap<>();
    private long firstNanos = Long.MAX_VALUE;
    private long lastNanos = Long.MIN_VALUE;
    private CaptureEnd end;

    private CaptureCounts() {}

    static CaptureCounts of(Path file) throws IOException {
        CaptureCounts counts = new CaptureCounts();
        try (CaptureReader reader = CaptureReader.open(file)) {
            while (reader.next()) {
                counts.add(reader.packet());
            }
            counts.end = reader.end();
        }
        return counts;
    }

    CaptureEnd end() {
        return end;
    }

    long firstNanos() {
        return firstNanos;
    }

    long lastNanos() {
        return lastNanos;
    }

    /** A count under the name that the table has for it. */
    long get(String name) {
        return switch (name) {
            case "pairs_dir" -> pairs.size();
            case "pairs_bidir" -> undirected(pairs);
            case "tuples_dir" -> tuples.size();
            case "tuples_bidir" -> undirected(tuples);
            default -> counts.getOrDefault(name, 0L);
        };
    }

    private static long undirected(Set<Tuple> directed) {
        long both =
                directed.stream()
                        .filter(t -> !t.equals(t.reversed()) && directed.contains(t.reversed()))
                        .count();
        return directed.size() - both / 2;
    }

    private void add(Packet packet) {
        count("packets", 1);
        count("captured_bytes", packet.capturedLength());
        count("wire_bytes", packet.wireLength());
        count("snaplen_truncated_packets", packet.isTruncated() ? 1 : 0);
        linkTypes.merge(packet.linkType(), 1L, Long::sum);
        firstNanos = Math.min(firstNanos, packet.timestampNanos());
        lastNanos = Math.max(lastNanos, packet.timestampNanos());
        if (!packet.hasTcpFlags()) {
            return;
        }
        count("tcp_packets", 1);
        int flags = packet.tcpFlags();
        boolean syn = (flags & Packet.SYN) != 0;
        boolean ack = (flags & Packet.ACK) != 0;
        boolean fin = (flags & Packet.FIN) != 0;
        boolean rst = (flags & Packet.RST) != 0;
        count("syn_any", syn ? 1 : 0);
        count("syn_only", syn && !ack ? 1 : 0);
        count("synack", syn && ack ? 1 : 0);
        count("fin", fin ? 1 : 0);
        count("rst", rst ? 1 : 0);
        count("fin_and_rst", fin && rst ? 1 : 0);
        Endpoint source =
                new Endpoint(packet.sourceHigh(), packet.sourceLow(), packet.sourcePort());
        Endpoint destination =
                new Endpoint(
                        packet.destinationHigh(),
                        packet.destinationLow(),
                        packet.destinationPort());
        tuples.add(new Tuple(source, destination));
        pairs.add(
                new Tuple(
                        new Endpoint(source.high(), source.low(), 0),
                        new Endpoint(destination.high(), destination.low(), 0)));
    }

    private void count(String name, long amount) {
        counts.merge(name, amount, Long::sum);
    }
}
