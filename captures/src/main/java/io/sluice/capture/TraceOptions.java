/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.time.Duration;
import java.time.Instant;

/**
 * What a synthetic trace looks like. Immutable; made by {@link #builder}.
 *
 * @param seed of everything random; equal options give equal bytes
 * @param packets exact number
 * @param flows exact number, at most {@code packets}
 * @param sources addresses that begin flows; popular by Zipf's law
 * @param zipfExponent of the sources' popularity, in [0, 4]; 0 makes them equally popular
 * @param paretoShape of the flow sizes in packets, in (0, 4]: the smaller, the heavier the tail
 * @param maxFlowPackets bound of the flow sizes
 * @param ipv6Share of the flows, in [0, 1]
 * @param start earliest time of the first packet
 * @param duration mean time from first to last packet: arrivals are a Poisson process
 */
public record TraceOptions(
        long seed,
        long packets,
        long flows,
        int sources,
        double zipfExponent,
        double paretoShape,
        long maxFlowPackets,
        double ipv6Share,
        Instant start,
        Duration duration) {

    private static final double MAX_EXPONENT = 4;
    private static final long MAX_SECONDS = 0xFFFF_FFFFL / 2;

    /** Checks every option. */
    public TraceOptions {
        requireIn("packets", packets, 1, Long.MAX_VALUE / 4);
        requireIn("flows", flows, 1, packets);
        requireIn("sources", sources, 1, 1 << 24);
        requireIn("maxFlowPackets", maxFlowPackets, 1, Long.MAX_VALUE / 4);
        if (!(zipfExponent >= 0 && zipfExponent <= MAX_EXPONENT)) {
            throw new IllegalArgumentException(
                    "zipfExponent must be in [0, " + MAX_EXPONENT + "], not " + zipfExponent);
        }
        if (!(paretoShape > 0 && paretoShape <= MAX_EXPONENT)) {
            throw new IllegalArgumentException(
                    "paretoShape must be in (0, " + MAX_EXPONENT + "], not " + paretoShape);
        }
        if (!(ipv6Share >= 0 && ipv6Share <= 1)) {
            throw new IllegalArgumentException("ipv6Share must be in [0, 1], not " + ipv6Share);
        }
        requireIn("start in seconds since 1970", start.getEpochSecond(), 0, MAX_SECONDS);
        requireIn("duration in milliseconds", duration.toMillis(), 1, MAX_SECONDS * 1000);
    }

    /** A builder for {@code packets} packets; by default a tenth as many flows, in a minute. */
    public static Builder builder(long packets) {
        return new Builder(packets);
    }

    private static void requireIn(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be in [" + least + ", " + most + "], not " + value);
        }
    }

    /** Collects the options; {@link #build} checks them. */
    public static final class Builder {
        private final long packets;
        private long flows;
        private int sources;
        private long seed = 1;
        private double zipfExponent = 1.1;
        private double paretoShape = 1.2;
        private long maxFlowPackets = 100_000;
        private double ipv6Share = 0.1;
        private Instant start = Instant.parse("2018-03-15T13:00:00Z");
        private Duration duration = Duration.ofMinutes(1);

        private Builder(long packets) {
            this.packets = packets;
            flows = Math.max(1, packets / 10);
        }

        /** See {@link TraceOptions#seed}. */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** See {@link TraceOptions#flows}. */
        public Builder flows(long value) {
            flows = value;
            return this;
        }

        /** See {@link TraceOptions#sources}; by default a quarter of the flows. */
        public Builder sources(int value, double exponent) {
            sources = value;
            zipfExponent = exponent;
            return this;
        }

        /** See {@link TraceOptions#paretoShape} and {@link TraceOptions#maxFlowPackets}. */
        public Builder flowSizes(double shape, long max) {
            paretoShape = shape;
            maxFlowPackets = max;
            return this;
        }

        /** See {@link TraceOptions#ipv6Share}. */
        public Builder ipv6Share(double value) {
            ipv6Share = value;
            return this;
        }

        /** See {@link TraceOptions#start}. */
        public Builder start(Instant value) {
            start = value;
            return this;
        }

        /** See {@link TraceOptions#duration}. */
        public Builder duration(Duration value) {
            duration = value;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if one is out of range
         */
        public TraceOptions build() {
            int addresses =
                    sources == 0 ? (int) Math.max(1, Math.min(1 << 22, flows / 4)) : sources;
            return new TraceOptions(
                    seed,
                    packets,
                    flows,
                    addresses,
                    zipfExponent,
                    paretoShape,
                    maxFlowPackets,
                    ipv6Share,
                    start,
                    duration);
        }
    }
}
