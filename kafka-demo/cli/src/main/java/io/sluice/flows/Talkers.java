/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import io.sluice.capture.IpAddresses;
import io.sluice.capture.SplitMix64;
import io.sluice.flows.FlowsSummary.Talker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The addresses that send the most bytes, in bounded memory: the Space-Saving algorithm (Metwally,
 * Agrawal, El Abbadi, <i>Efficient Computation of Frequent and Top-k Elements in Data Streams</i>,
 * ICDT 2005, section 3), with one departure: it makes room for half of the addresses at once,
 * instead of one at a time, which costs a constant time per packet without a sorted structure
 * (logarithmic if addresses were chosen for one hash code).
 *
 * <p>Exact while there are at most as many addresses as are told apart. Beyond, an address that was
 * forgotten begins at 0 when it comes again, and {@link Talker#missedBytes} bounds what that leaves
 * out. Not thread-safe.
 */
final class Talkers {
    private static final Comparator<Sender> MOST_FIRST =
            Comparator.comparingLong((Sender sender) -> sender.bytes + sender.missed)
                    .reversed()
                    .thenComparing(Comparator.naturalOrder());

    private final int capacity;
    private final Map<Sender, Sender> senders = new HashMap<>();

    /** Looks senders up without an allocation. */
    private final Sender probe = new Sender();

    /** No address that is not held has sent more than this. */
    private long mostForgotten;

    /** Comparable, so that a map finds hosts that chose addresses of one hash code at once. */
    private static final class Sender implements Comparable<Sender> {
        private static final Comparator<Sender> ORDER =
                Comparator.comparingLong((Sender sender) -> sender.low)
                        .thenComparingLong(sender -> sender.high)
                        .thenComparingInt(sender -> sender.version);

        int version;
        long high;
        long low;
        long packets;
        long bytes;
        long missed;

        Sender set(int newVersion, long newHigh, long newLow) {
            version = newVersion;
            high = newHigh;
            low = newLow;
            return this;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Sender that
                    && version == that.version
                    && high == that.high
                    && low == that.low;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(SplitMix64.mix(SplitMix64.mix(high + version) ^ low));
        }

        @Override
        public int compareTo(Sender other) {
            return ORDER.compare(this, other);
        }

        Talker talker() {
            return new Talker(IpAddresses.format(version, high, low), packets, bytes, missed);
        }
    }

    /**
     * @param capacity how many addresses are told apart, at least 1
     */
    Talkers(int capacity) {
        this.capacity = Math.max(1, capacity);
    }

    /** An address has sent a packet of {@code bytes}. */
    void add(int version, long high, long low, int bytes) {
        Sender sender = senders.get(probe.set(version, high, low));
        if (sender == null) {
            if (senders.size() >= capacity) {
                forgetHalf();
            }
            sender = new Sender().set(version, high, low);
            sender.missed = mostForgotten;
            senders.put(sender, sender);
        }
        sender.packets++;
        sender.bytes += bytes;
    }

    private void forgetHalf() {
        List<Sender> sorted = new ArrayList<>(senders.values());
        sorted.sort(MOST_FIRST);
        for (Sender forgotten : sorted.subList(capacity / 2, sorted.size())) {
            mostForgotten = Math.max(mostForgotten, forgotten.bytes + forgotten.missed);
            senders.remove(forgotten);
        }
    }

    /** Those that have sent the most bytes for certain, most first, at most {@code count}. */
    List<Talker> top(int count) {
        return senders.values().stream()
                .map(Sender::talker)
                .sorted(
                        Comparator.comparingLong(Talker::bytes)
                                .reversed()
                                .thenComparing(Talker::address))
                .limit(count)
                .toList();
    }
}
