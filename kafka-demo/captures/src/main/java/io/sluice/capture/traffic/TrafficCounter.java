/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import io.sluice.capture.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Adds up the truth while packets are written and flows end. */
final class TrafficCounter {
    private final TrafficOptions options;
    private final List<AttackCount> attacks = new ArrayList<>();
    private final long[] tcpByFate = new long[Fate.all().length];

    private long packets;
    private long wireBytes;
    private long capturedBytes;
    private long ipv4;
    private long tcp;
    private long udp;
    private long syn;
    private long synAck;
    private long fin;
    private long rst;
    private long finAndRst;
    private long repeated;

    private long flows;
    private long tcpFlows;
    private long udpFlows;
    private long tcpDirections;
    private long tcpWithSyn;
    private long tcpWithFin;
    private long tcpWithRst;
    private long tcpWithFinAndRst;
    private long midstream;

    private long lost;
    private long hidden;
    private long unseenFlows;

    private static final class AttackCount {
        final String kind;
        final String host;
        long flows;
        long packets;
        long firstNanos;
        long lastNanos;

        AttackCount(String kind, String host) {
            this.kind = kind;
            this.host = host;
        }

        TrafficTruth.Attack truth() {
            return new TrafficTruth.Attack(kind, host, flows, packets, firstNanos, lastNanos);
        }
    }

    TrafficCounter(TrafficOptions options) {
        this.options = options;
    }

    /** A number for another attack. */
    int addAttack(String kind, String host) {
        attacks.add(new AttackCount(kind, host));
        return attacks.size() - 1;
    }

    void lostPacket() {
        lost++;
    }

    void hiddenPacket() {
        hidden++;
    }

    /** The packet that {@code headers} holds is in the capture. */
    void packet(TrafficFlow flow, HeaderWriter headers, long nanosSince1970, boolean again) {
        packets++;
        wireBytes += headers.wireLength();
        capturedBytes += headers.length();
        ipv4 += flow.ipVersion == 4 ? 1 : 0;
        repeated += again ? 1 : 0;
        if (flow.protocol == Packet.TCP) {
            tcp++;
            int flags = headers.tcpFlags();
            syn += has(flags, Packet.SYN);
            synAck += has(flags, Packet.SYN | Packet.ACK);
            fin += has(flags, Packet.FIN);
            rst += has(flags, Packet.RST);
            finAndRst += has(flags, Packet.FIN | Packet.RST);
        } else if (flow.protocol == Packet.UDP) {
            udp++;
        }
        if (flow.attack >= 0) {
            AttackCount attack = attacks.get(flow.attack);
            attack.firstNanos = attack.packets == 0 ? nanosSince1970 : attack.firstNanos;
            attack.lastNanos = nanosSince1970;
            attack.packets++;
        }
    }

    /** {@code flow} has no more packets. */
    void end(TrafficFlow flow) {
        if (!flow.isSeen()) {
            unseenFlows++;
            return;
        }
        flows++;
        midstream += flow.isMidstream ? 1 : 0;
        if (flow.attack >= 0) {
            attacks.get(flow.attack).flows++;
        }
        if (flow.protocol == Packet.TCP) {
            int flags = flow.clientFlags | flow.serverFlags;
            tcpFlows++;
            tcpDirections += flow.clientPackets > 0 ? 1 : 0;
            tcpDirections += flow.serverPackets > 0 ? 1 : 0;
            tcpWithSyn += has(flags, Packet.SYN);
            tcpWithFin += has(flags, Packet.FIN);
            tcpWithRst += has(flags, Packet.RST);
            tcpWithFinAndRst += has(flags, Packet.FIN | Packet.RST);
            tcpByFate[flow.fate.slot()]++;
        } else if (flow.protocol == Packet.UDP) {
            udpFlows++;
        }
    }

    private static int has(int flags, int wanted) {
        return (flags & wanted) == wanted ? 1 : 0;
    }

    TrafficTruth truth() {
        TreeMap<String, Long> byFate = new TreeMap<>();
        for (Fate fate : Fate.all()) {
            byFate.put(fate.code(), tcpByFate[fate.slot()]);
        }
        List<TrafficTruth.Attack> all = attacks.stream().map(AttackCount::truth).toList();
        int scans = options.attacks().scans();
        return new TrafficTruth(
                options,
                new TrafficTruth.Packets(
                        packets,
                        wireBytes,
                        capturedBytes,
                        ipv4,
                        packets - ipv4,
                        tcp,
                        udp,
                        packets - tcp - udp,
                        syn,
                        synAck,
                        fin,
                        rst,
                        finAndRst,
                        repeated),
                new TrafficTruth.Flows(
                        flows,
                        tcpFlows,
                        udpFlows,
                        flows - tcpFlows - udpFlows,
                        tcpDirections,
                        tcpWithSyn,
                        tcpWithFin,
                        tcpWithRst,
                        tcpWithFinAndRst,
                        2 * tcpFlows - tcpDirections,
                        midstream,
                        byFate),
                new TrafficTruth.Unseen(lost, hidden, unseenFlows),
                all.subList(0, scans),
                all.subList(scans, all.size()));
    }
}
