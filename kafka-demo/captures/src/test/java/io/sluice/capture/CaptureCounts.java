/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads a whole capture and counts what can be compared with a table of truth. */
public final class CaptureCounts {
    private record Endpoint(long high, long low, int port) implements Comparable<Endpoint> {
        private static final Comparator<Endpoint> ORDER =
                Comparator.comparingLong(Endpoint::high)
                        .thenComparingLong(Endpoint::low)
                        .thenComparingInt(Endpoint::port);

        @Override
        public int compareTo(Endpoint other) {
            return ORDER.compare(this, other);
        }
    }

    private record Tuple(Endpoint source, Endpoint destination) {
        /** The same for both directions. */
        Tuple undirected() {
            return source.compareTo(destination) <= 0
                    ? this
                    : new Tuple(/* source= */ destination, /* destination= */ source);
        }
    }

    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final Set<Tuple> pairs = new HashSet<>();
    private final Set<Tuple> tuples = new HashSet<>();
    private final Set<Tuple> tuplesWithFin = new HashSet<>();
    private final Set<Tuple> tuplesWithRst = new HashSet<>();
    private long firstNanos = Long.MAX_VALUE;
    private long lastNanos = Long.MIN_VALUE;
    private CaptureEnd end;
    private CaptureTally tally;
    private boolean isOrdered = true;

    private CaptureCounts() {}

    public static CaptureCounts of(Path file) throws IOException {
        return of(CaptureSet.of(file));
    }

    public static CaptureCounts of(CaptureSet captures) throws IOException {
        CaptureCounts counts = new CaptureCounts();
        try (PacketSource source = captures.open()) {
            while (source.next()) {
                counts.add(source.packet());
            }
            counts.end = source.end();
            counts.tally = source.tally();
        }
        return counts;
    }

    public CaptureTally tally() {
        return tally;
    }

    public CaptureEnd end() {
        return end;
    }

    public boolean isOrdered() {
        return isOrdered;
    }

    long firstNanos() {
        return firstNanos;
    }

    long lastNanos() {
        return lastNanos;
    }

    /** A count, by its name in the table. */
    public long get(String name) {
        return switch (name) {
            case "pairs_dir" -> pairs.size();
            case "pairs_bidir" -> undirected(pairs).size();
            case "tuples_dir" -> tuples.size();
            case "tuples_bidir" -> undirected(tuples).size();
            case "tuples_dir_with_fin" -> tuplesWithFin.size();
            case "tuples_dir_with_rst" -> tuplesWithRst.size();
            case "tuples_dir_with_fin_and_rst" -> both(tuplesWithFin, tuplesWithRst);
            case "tuples_bidir_with_fin" -> undirected(tuplesWithFin).size();
            case "tuples_bidir_with_rst" -> undirected(tuplesWithRst).size();
            case "tuples_bidir_with_fin_and_rst" ->
                    both(undirected(tuplesWithFin), undirected(tuplesWithRst));
            default -> counts.getOrDefault(name, 0L);
        };
    }

    private static Set<Tuple> undirected(Set<Tuple> directed) {
        return directed.stream().map(Tuple::undirected).collect(Collectors.toSet());
    }

    private static long both(Set<Tuple> one, Set<Tuple> other) {
        return one.stream().filter(other::contains).count();
    }

    private void add(Packet packet) {
        count("packets", 1);
        count("captured_bytes", packet.capturedLength());
        count("wire_bytes", packet.wireLength());
        count("snaplen_truncated_packets", packet.isTruncated() ? 1 : 0);
        isOrdered &= packet.timestampNanos() >= lastNanos;
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
        Tuple tuple = new Tuple(source, destination);
        tuples.add(tuple);
        if (fin) {
            tuplesWithFin.add(tuple);
        }
        if (rst) {
            tuplesWithRst.add(tuple);
        }
        pairs.add(
                new Tuple(
                        new Endpoint(source.high(), source.low(), 0),
                        new Endpoint(destination.high(), destination.low(), 0)));
    }

    private void count(String name, long amount) {
        counts.merge(name, amount, Long::sum);
    }
}
