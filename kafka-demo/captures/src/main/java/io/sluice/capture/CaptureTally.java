/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many packets of each kind a capture had, and how many records were lost. Every packet that
 * was not fully read is counted under its reason. Not thread-safe.
 */
public final class CaptureTally {
    private final long[] kinds = new long[PacketKind.all().length];
    private final SortedMap<Integer, Long> unknownLinks = new TreeMap<>();
    private final long[] lost = new long[LostRecord.all().length];
    private long borrowedTimes;
    private long refusedTimes;

    /** Nothing counted. */
    public CaptureTally() {}

    void add(PacketKind kind) {
        kinds[kind.slot()]++;
    }

    /** Adds a packet, as it was read. */
    void add(Packet packet) {
        add(packet.kind);
        if (packet.kind == PacketKind.UNKNOWN_LINK) {
            unknownLinks.merge(packet.linkType, 1L, Long::sum);
        }
    }

    void add(LostRecord reason) {
        lost[reason.slot()]++;
    }

    void addBorrowedTime() {
        borrowedTimes++;
    }

    void addRefusedTime() {
        refusedTimes++;
    }

    /** Adds what {@code other} counted. */
    public void add(CaptureTally other) {
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] += other.kinds[i];
        }
        for (int i = 0; i < lost.length; i++) {
            lost[i] += other.lost[i];
        }
        other.unknownLinks.forEach((type, count) -> unknownLinks.merge(type, count, Long::sum));
        borrowedTimes += other.borrowedTimes;
        refusedTimes += other.refusedTimes;
    }

    /** Packets of {@code kind}. */
    public long count(PacketKind kind) {
        return kinds[kind.slot()];
    }

    /** Records that gave no packet, for {@code reason}. */
    public long count(LostRecord reason) {
        return lost[reason.slot()];
    }

    /** Packets of all kinds. */
    public long packets() {
        long sum = 0;
        for (long count : kinds) {
            sum += count;
        }
        return sum;
    }

    /** Packets whose addresses are known. */
    public long ipPackets() {
        long sum = 0;
        for (PacketKind kind : PacketKind.all()) {
            sum += kind.isIp() ? count(kind) : 0;
        }
        return sum;
    }

    /** Records that gave no packet. */
    public long lostRecords() {
        long sum = 0;
        for (long count : lost) {
            sum += count;
        }
        return sum;
    }

    /** Packets without their own time, or with an impossible one: they have a neighbour's. */
    public long borrowedTimes() {
        return borrowedTimes;
    }

    /**
     * Packets for which the file of times had no matching line: they have the capture's own time.
     */
    public long refusedTimes() {
        return refusedTimes;
    }

    /** Says which link types could not be read, one line for each. */
    public List<String> unknownLinks() {
        List<String> lines = new ArrayList<>();
        unknownLinks.forEach(
                (type, count) ->
                        lines.add(
                                String.format(
                                        Locale.ROOT,
                                        "%,d packets have link type %s, which is not read",
                                        count,
                                        LinkType.named(type))));
        return lines;
    }

    /** Counts of what was not fully read, by reason in alphabetical order; without zeroes. */
    public Map<String, Long> exceptions() {
        Map<String, Long> counts = new TreeMap<>();
        for (PacketKind kind : PacketKind.all()) {
            put(counts, kind.code(), kind == PacketKind.WHOLE ? 0 : count(kind));
        }
        for (LostRecord reason : LostRecord.all()) {
            put(counts, "lost-" + reason.code(), count(reason));
        }
        put(counts, "borrowed-time", borrowedTimes);
        put(counts, "refused-time", refusedTimes);
        return counts;
    }

    private static void put(Map<String, Long> counts, String name, long count) {
        if (count > 0) {
            counts.put(name, count);
        }
    }
}
