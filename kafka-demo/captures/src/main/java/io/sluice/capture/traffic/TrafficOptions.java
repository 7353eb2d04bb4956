/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import java.time.Duration;
import java.time.Instant;

/**
 * What {@link TrafficGenerator} makes. Immutable; made by {@link #builder}.
 *
 * @param seed of everything random; equal options give equal bytes
 * @param flows that begin while the capture runs, without scans and floods
 * @param start time of the capture's beginning
 * @param duration of the capture: later packets are not in it
 * @param lengths durations and packet counts of flows
 * @param hosts who talks to whom
 * @param endings how TCP connections end
 * @param view what the capture does not see
 * @param attacks anything other than ordinary traffic
 */
public record TrafficOptions(
        long seed,
        long flows,
        Instant start,
        Duration duration,
        Lengths lengths,
        Hosts hosts,
        Endings endings,
        View view,
        Attacks attacks) {

    static final Instant DEFAULT_START = Instant.parse("2018-03-15T13:00:00Z");
    static final double DEFAULT_PARETO_SHAPE = 1.2;
    static final long DEFAULT_MAX_PACKETS = 100_000;

    /** Of one capture, or one flow. */
    static final long MAX_PACKETS = 1_000_000_000_000L;

    private static final double MAX_EXPONENT = 4;
    private static final double MAX_SIGMA = 5;
    private static final long MAX_SECONDS = 0xFFFF_FFFFL / 2;
    private static final int MAX_SOURCES = 1 << 24;
    private static final long MAX_FLOWS = 1L << 32;
    private static final int MAX_ATTACKS = 10_000;
    private static final int MAX_ATTACK_PACKETS = 100_000_000;

    /**
     * Sizes and durations of flows, independent of each other. A flow has at least the packets that
     * its ending needs, whatever was drawn.
     *
     * @param meanPackets of a flow, at least 1
     * @param paretoShape of the sizes, in (0, 4]: the smaller, the heavier the tail
     * @param maxPackets bound of the sizes
     * @param median duration of a flow
     * @param sigma of the log-normal distribution of durations, in [0, 5]: the larger, the more
     *     they differ
     */
    public record Lengths(
            double meanPackets,
            double paretoShape,
            long maxPackets,
            Duration median,
            double sigma) {
        /** Checks every option. */
        public Lengths {
            requireIn("maxPackets", maxPackets, 1, MAX_PACKETS);
            requireIn("meanPackets", meanPackets, 1, (double) maxPackets);
            requireIn("paretoShape", paretoShape, Double.MIN_VALUE, MAX_EXPONENT);
            requireIn("median in milliseconds", median.toMillis(), 1, MAX_SECONDS * 1000);
            requireIn("sigma", sigma, 0, MAX_SIGMA);
        }
    }

    /**
     * The ends of flows. No two flows have the same addresses and ports.
     *
     * @param sources addresses that begin flows
     * @param zipfExponent of their popularity, in [0, 4]; 0 makes them equally popular
     * @param ipv6Share of the flows
     * @param tcpShare of the flows; of the others 85 % are UDP, the rest is ICMP
     */
    public record Hosts(int sources, double zipfExponent, double ipv6Share, double tcpShare) {
        /** Checks every option. */
        public Hosts {
            requireIn("sources", sources, 1, MAX_SOURCES);
            requireIn("zipfExponent", zipfExponent, 0, MAX_EXPONENT);
            requireShare("ipv6Share", ipv6Share);
            requireShare("tcpShare", tcpShare);
        }

        /** A quarter as many sources as flows, by Zipf's law; four flows in five are TCP. */
        static Hosts of(long flows, double ipv6Share) {
            int quarter = (int) Math.max(1, Math.min(1 << 22, flows / 4));
            return new Hosts(quarter, 1.1, ipv6Share, 0.8);
        }
    }

    /**
     * How TCP connections end, as shares of all of them; the rest just stops.
     *
     * @param fin both sides close
     * @param rst one side aborts
     * @param finAndRst one side closes, the other answers by aborting
     * @param rejected the connection is refused: SYN, RST
     * @param unanswered SYN, up to four times
     */
    public record Endings(
            double fin, double rst, double finAndRst, double rejected, double unanswered) {
        /** Checks every share and their sum. */
        public Endings {
            requireShare("fin", fin);
            requireShare("rst", rst);
            requireShare("finAndRst", finAndRst);
            requireShare("rejected", rejected);
            requireShare("unanswered", unanswered);
            double sum = fin + rst + finAndRst + rejected + unanswered;
            // Shares written as decimals may add up to slightly more than 1.
            requireIn("sum of the shares of all endings", sum, 0, 1 + 1e-9);
        }
    }

    /**
     * What the capture sees.
     *
     * @param midstreamShare flows that began before the capture, as a share of {@code flows} and in
     *     addition to them
     * @param halfSeenShare share of the flows that have one direction on another route
     * @param lossShare share of the packets that the capture misses
     * @param repeatedShare share of the TCP segments that are sent again
     */
    public record View(
            double midstreamShare, double halfSeenShare, double lossShare, double repeatedShare) {
        /** Checks every share. */
        public View {
            requireShare("midstreamShare", midstreamShare);
            requireShare("halfSeenShare", halfSeenShare);
            requireShare("lossShare", lossShare);
            requireShare("repeatedShare", repeatedShare);
        }
    }

    /**
     * Scans, floods and nonsense. Scans alternate between one port of many hosts and many ports of
     * one host.
     *
     * @param scans hosts that scan
     * @param probesPerScan targets of each
     * @param floods hosts that are flooded with SYNs, each SYN from a made-up address
     * @param packetsPerFlood SYNs to each
     * @param illegalPackets single TCP packets with flags that no connection has
     */
    public record Attacks(
            int scans, int probesPerScan, int floods, int packetsPerFlood, int illegalPackets) {
        /** Checks every number. */
        public Attacks {
            requireIn("scans", scans, 0, MAX_ATTACKS);
            requireIn("probesPerScan", probesPerScan, 1, MAX_ATTACK_PACKETS);
            requireIn("floods", floods, 0, MAX_ATTACKS);
            requireIn("packetsPerFlood", packetsPerFlood, 1, MAX_ATTACK_PACKETS);
            requireIn("illegalPackets", illegalPackets, 0, MAX_ATTACK_PACKETS);
        }
    }

    /** Checks every option. */
    public TrafficOptions {
        requireIn("flows", flows, 1, MAX_FLOWS);
        requireIn("start in seconds since 1970", start.getEpochSecond(), 0, MAX_SECONDS);
        requireDuration(duration);
    }

    /**
     * A builder for {@code flows} flows within a minute, with sizes and endings like those of a
     * backbone, all packets seen, and no attacks.
     */
    public static Builder builder(long flows) {
        return new Builder(flows);
    }

    static void requireDuration(Duration duration) {
        requireIn("duration in milliseconds", duration.toMillis(), 1, MAX_SECONDS * 1000);
    }

    static void requireShare(String name, double value) {
        requireIn(name, value, 0, 1);
    }

    private static void requireIn(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                    name + " must be in [" + least + ", " + most + "], not " + value);
        }
    }

    static void requireIn(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be in [" + least + ", " + most + "], not " + value);
        }
    }

    /** Collects the options; {@link #build} checks them. */
    public static final class Builder {
        private final long flows;
        private long seed = 1;
        private Instant start = DEFAULT_START;
        private Duration duration = Duration.ofMinutes(1);
        private Lengths lengths =
                new Lengths(
                        10, DEFAULT_PARETO_SHAPE, DEFAULT_MAX_PACKETS, Duration.ofSeconds(1), 2);
        private Hosts hosts;
        private Endings endings = new Endings(0.6, 0.1, 0.05, 0.03, 0.05);
        private View view = new View(0, 0, 0, 0);
        private Attacks attacks = new Attacks(0, 1, 0, 1, 0);

        private Builder(long flows) {
            this.flows = flows;
            hosts = Hosts.of(flows, 0.1);
        }

        /** See {@link TrafficOptions#seed}. */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** See {@link TrafficOptions#start}. */
        public Builder start(Instant value) {
            start = value;
            return this;
        }

        /** See {@link TrafficOptions#duration}. */
        public Builder duration(Duration value) {
            duration = value;
            return this;
        }

        /** See {@link Lengths}. */
        public Builder lengths(Lengths value) {
            lengths = value;
            return this;
        }

        /** See {@link Hosts}; by default a quarter as many sources as flows, by Zipf's law. */
        public Builder hosts(Hosts value) {
            hosts = value;
            return this;
        }

        /** See {@link Endings}. */
        public Builder endings(Endings value) {
            endings = value;
            return this;
        }

        /** See {@link View}. */
        public Builder view(View value) {
            view = value;
            return this;
        }

        /** See {@link Attacks}. */
        public Builder attacks(Attacks value) {
            attacks = value;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if one is out of range
         */
        public TrafficOptions build() {
            return new TrafficOptions(
                    seed, flows, start, duration, lengths, hosts, endings, view, attacks);
        }
    }
}
