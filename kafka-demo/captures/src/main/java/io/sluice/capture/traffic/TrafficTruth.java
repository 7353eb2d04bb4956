/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import java.util.List;
import java.util.Map;

/**
 * What {@link TrafficGenerator} has put into a capture, counted while it was written.
 *
 * @param options that it was made with
 * @param packets in the capture
 * @param flows that the capture has a packet of
 * @param unseen what happened but is not in it
 * @param scans in the order of their numbers
 * @param floods in the order of their numbers
 */
public record TrafficTruth(
        TrafficOptions options,
        Packets packets,
        Flows flows,
        Unseen unseen,
        List<Attack> scans,
        List<Attack> floods) {

    /** Keeps copies of the lists. */
    public TrafficTruth {
        scans = List.copyOf(scans);
        floods = List.copyOf(floods);
    }

    /**
     * Packets in the capture.
     *
     * @param total all
     * @param wireBytes bytes that they had on the wire, from the IP header on
     * @param capturedBytes bytes of them in the capture
     * @param syn TCP packets with SYN
     * @param synAck with SYN and ACK
     * @param fin with FIN
     * @param rst with RST
     * @param finAndRst with both
     * @param repeated that repeat the previous packet of their flow
     */
    public record Packets(
            long total,
            long wireBytes,
            long capturedBytes,
            long ipv4,
            long ipv6,
            long tcp,
            long udp,
            long icmp,
            long syn,
            long synAck,
            long fin,
            long rst,
            long finAndRst,
            long repeated) {}

    /**
     * Flows that the capture has a packet of. TCP flows of one 5-tuple, in either direction, are
     * one flow.
     *
     * @param tcpDirections 5-tuples of TCP; a flow that is seen in both directions has two
     * @param tcpWithSyn TCP flows with at least one SYN in the capture
     * @param tcpWithFin with at least one FIN
     * @param tcpWithRst with at least one RST
     * @param tcpWithFinAndRst with at least one of each, in the same packet or not
     * @param tcpOneWay TCP flows of which only one direction is in the capture
     * @param midstream flows of all protocols that began before the capture
     * @param tcpByFate TCP flows by fate, whether or not the capture has all of it
     */
    public record Flows(
            long total,
            long tcp,
            long udp,
            long icmp,
            long tcpDirections,
            long tcpWithSyn,
            long tcpWithFin,
            long tcpWithRst,
            long tcpWithFinAndRst,
            long tcpOneWay,
            long midstream,
            Map<String, Long> tcpByFate) {

        /** Keeps a copy of the map. */
        public Flows {
            tcpByFate = Map.copyOf(tcpByFate);
        }
    }

    /**
     * What is not in the capture although it happened while it ran.
     *
     * @param lostPackets that the capture missed
     * @param hiddenPackets of a direction that it does not see
     * @param flows of which it has no packet, including flows that ended before it began
     */
    public record Unseen(long lostPackets, long hiddenPackets, long flows) {}

    /**
     * A scan or a flood.
     *
     * @param kind {@code scan-hosts}, {@code scan-ports} or {@code syn-flood}
     * @param host that scans, or that is flooded
     * @param flows of it that the capture has a packet of
     * @param packets of it in the capture, answers included
     * @param firstNanos time of the first, in nanoseconds since 1970; 0 if there is none
     * @param lastNanos time of the last
     */
    public record Attack(
            String kind, String host, long flows, long packets, long firstNanos, long lastNanos) {}
}
