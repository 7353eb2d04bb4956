/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.capture.Packet;
import io.sluice.record.PacketRecord;

/**
 * Relates a packet of a capture to its flow, as a job does. Allocates nothing per packet. Not
 * thread-safe.
 */
final class FlowPackets {
    private final PacketRecord record = new PacketRecord();

    /** The hash of its flow, the same for both directions. The packet must be IP. */
    long hash(Packet packet) {
        return record.set(0, packet).flowHash();
    }

    /** Whether the lower of its two endpoints, in some fixed order, sent it. */
    static boolean isFromLower(Packet packet) {
        int order = Long.compare(packet.sourceHigh(), packet.destinationHigh());
        if (order == 0) {
            order = Long.compare(packet.sourceLow(), packet.destinationLow());
        }
        if (order == 0) {
            order = Integer.compare(packet.sourcePort(), packet.destinationPort());
        }
        return order <= 0;
    }

    /** Event time in milliseconds, as in jobs. */
    static long millis(Packet packet) {
        return packet.timestampNanos() / 1_000_000;
    }
}
