/* SPDX-License-Identifier: Apache-2.0 */
package example;

import io.sluice.capture.CaptureReader;
import io.sluice.capture.IpAddresses;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.flow.TcpView;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.util.Collector;

/**
 * A TCP packet.
 *
 * @param source address of the sender, as text
 * @param target address of the receiver, as text
 * @param flags the flags byte of the TCP header
 * @param millis when it was captured, in milliseconds since 1970
 */
public record Packet(
        String source, int sourcePort, String target, int targetPort, int flags, long millis) {

    private static final int SYN = 1 << 1;
    private static final int ACK = 1 << 4;
    private static final int TCP = 6;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Reads the TCP packets of a capture. */
    static void readAll(String capture, Collector<Packet> packets) throws IOException {
        try (CaptureReader reader = CaptureReader.open(Path.of(capture))) {
            while (reader.next()) {
                var next = reader.packet();
                if (next.protocol() == TCP && next.hasTcpFlags()) {
                    int version = next.ipVersion();
                    packets.collect(
                            new Packet(
                                    IpAddresses.format(
                                            version, next.sourceHigh(), next.sourceLow()),
                                    next.sourcePort(),
                                    IpAddresses.format(
                                            version, next.destinationHigh(), next.destinationLow()),
                                    next.destinationPort(),
                                    next.tcpFlags(),
                                    Math.floorDiv(next.timestampNanos(), NANOS_PER_MILLI)));
                }
            }
        }
    }

    /** Whether it asks for a connection. */
    boolean isSyn() {
        return (flags & (SYN | ACK)) == SYN;
    }

    /** The connection: the same for both directions. */
    long flow() {
        long from = Hashing.combine(Hashing.hash(source), sourcePort);
        long to = Hashing.combine(Hashing.hash(target), targetPort);
        return Hashing.combine(Math.min(from, to), Math.max(from, to));
    }

    /** How {@code FlowStateMachine} reads packets. */
    static final class View implements TcpView<Packet> {
        private static final long serialVersionUID = 1;

        @Override
        public String scheme() {
            return "addresses and ports";
        }

        @Override
        public boolean isSegment(Packet packet) {
            return true;
        }

        @Override
        public long flow(Packet packet) {
            return packet.flow();
        }

        @Override
        public boolean fromLower(Packet packet) {
            int byAddress = packet.source.compareTo(packet.target);
            return byAddress < 0 || (byAddress == 0 && packet.sourcePort <= packet.targetPort);
        }

        @Override
        public int flags(Packet packet) {
            return packet.flags;
        }
    }
}
