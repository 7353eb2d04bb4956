/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import io.sluice.capture.traffic.TrafficGenerator;
import io.sluice.capture.traffic.TrafficOptions;
import io.sluice.capture.traffic.TrafficOptions.Hosts;
import io.sluice.capture.traffic.TrafficOptions.View;
import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** TCP packets as the paper's case study sees them: a pair of addresses, and flags. */
final class Trace {

    /**
     * A packet.
     *
     * @param flow hash of its pair of addresses, in either order
     * @param flags its flags: the new state of its flow
     * @param ends whether it has FIN or RST
     */
    record Step(long flow, int flags, boolean ends) {}

    /** States: all values of the six flags. */
    static final int STATES = 64;

    private final List<Step> steps = new ArrayList<>();

    /** Generates traffic with as many connections, and reads it. */
    static Trace generate(long connections, long seed) throws IOException {
        Path file = Files.createTempFile("sluice-papers", ".pcap");
        try {
            TrafficGenerator.write(
                    TrafficOptions.builder(connections)
                            .seed(seed)
                            .hosts(new Hosts((int) Math.max(1, connections / 4), 1.1, 0.1, 1))
                            .view(new View(0.02, 0.1, 0.001, 0.01))
                            .build(),
                    file,
                    flow -> {});
            return read(file);
        } finally {
            Files.delete(file);
        }
    }

    private static Trace read(Path file) throws IOException {
        Trace trace = new Trace();
        try (CaptureReader reader = CaptureReader.open(file)) {
            while (reader.next()) {
                Packet packet = reader.packet();
                if (packet.hasTcpFlags()) {
                    long from = Hashing.combine(packet.sourceHigh(), packet.sourceLow());
                    long to = Hashing.combine(packet.destinationHigh(), packet.destinationLow());
                    long flow = Hashing.mix(Math.min(from, to) ^ Hashing.mix(Math.max(from, to)));
                    int flags = packet.tcpFlags() & (STATES - 1);
                    trace.steps.add(
                            new Step(flow, flags, (flags & (Packet.FIN | Packet.RST)) != 0));
                }
            }
        }
        return trace;
    }

    List<Step> steps() {
        return steps;
    }

    /** The most flows at one time, if those that end are deleted, or all of them. */
    int most(boolean deletes) {
        Set<Long> held = new HashSet<>();
        int most = 0;
        for (Step step : steps) {
            if (deletes && step.ends()) {
                held.remove(step.flow());
            } else {
                held.add(step.flow());
            }
            most = Math.max(most, held.size());
        }
        return most;
    }
}
