/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import java.util.List;
import java.util.Map;

/**
 * What captures hold, and what became of their flows.
 *
 * @param captures the files
 * @param problem where and how the captures are cut or damaged; empty if they are whole
 * @param packets how many were read, and what they are
 * @param firstMillis capture time of the first IP packet, ms since 1970; 0 if there is none
 * @param lastMillis of the last one
 * @param durationSeconds between the two
 * @param flows by their final state, in Zeek's terms; states without flows are left out
 * @param alerts about packets, by kind
 * @param warnings what went wrong with packets or flows, and what helps
 * @param files the results
 */
public record FlowsSummary(
        List<String> captures,
        String problem,
        Packets packets,
        long firstMillis,
        long lastMillis,
        double durationSeconds,
        Map<String, Ends> flows,
        Map<String, Long> alerts,
        List<String> warnings,
        List<String> files) {

    /**
     * Packets.
     *
     * @param read all of them
     * @param ip those with an IP header
     * @param tcp those with TCP ports and flags: the ones that flows are made of
     * @param notFullyRead the others, and records of the captures that gave no packet, by reason
     */
    public record Packets(long read, long ip, long tcp, Map<String, Long> notFullyRead) {}

    /**
     * Flows in one state.
     *
     * @param ended by a packet
     * @param timedOut idle for too long
     * @param open when the capture ended
     */
    public record Ends(long ended, long timedOut, long open) {
        /** All of them. */
        public long total() {
            return ended + timedOut + open;
        }
    }

    /** Flows in all states. */
    public long totalFlows() {
        return flows.values().stream().mapToLong(Ends::total).sum();
    }
}
