/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import java.time.Duration;

/**
 * What {@link LoadGenerator} makes. Immutable; made by {@link #builder}.
 *
 * @param seed of everything random; equal options give equal bytes
 * @param packets exact number
 * @param flows exact number, at most {@code packets}
 * @param ipv6Share of the flows, in [0, 1]
 * @param duration mean time from first to last packet: arrivals are a Poisson process
 */
public record LoadOptions(
        long seed, long packets, long flows, double ipv6Share, Duration duration) {

    /** Checks every option. */
    public LoadOptions {
        TrafficOptions.requireIn("packets", packets, 1, TrafficOptions.MAX_PACKETS);
        TrafficOptions.requireIn("flows", flows, 1, packets);
        TrafficOptions.requireShare("ipv6Share", ipv6Share);
        TrafficOptions.requireDuration(duration);
    }

    /** A builder for {@code packets} packets; by default a tenth as many flows, in a minute. */
    public static Builder builder(long packets) {
        return new Builder(packets);
    }

    /** Collects the options; {@link #build} checks them. */
    public static final class Builder {
        private final long packets;
        private long flows;
        private long seed = 1;
        private double ipv6Share = 0.1;
        private Duration duration = Duration.ofMinutes(1);

        private Builder(long packets) {
            this.packets = packets;
            flows = Math.max(1, packets / 10);
        }

        /** See {@link LoadOptions#seed}. */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** See {@link LoadOptions#flows}. */
        public Builder flows(long value) {
            flows = value;
            return this;
        }

        /** See {@link LoadOptions#ipv6Share}. */
        public Builder ipv6Share(double value) {
            ipv6Share = value;
            return this;
        }

        /** See {@link LoadOptions#duration}. */
        public Builder duration(Duration value) {
            duration = value;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if one is out of range
         */
        public LoadOptions build() {
            return new LoadOptions(seed, packets, flows, ipv6Share, duration);
        }
    }
}
