/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.plane.Layout;
import java.time.Duration;
import java.util.Objects;

/**
 * What is asked of a {@link ForgetfulFilter}. Immutable; made by {@link #builder}.
 *
 * @param windowMillis the guaranteed window in ms, at least 1
 * @param fpp the probability, at most, that a new id is reported as seen, in [1e-12, 0.5]
 * @param maxFpp what that probability may rise to when the memory does not suffice, in [fpp, 1);
 *     past it the oldest generation is forgotten
 * @param expectedPerWindow how many ids the filter gets in a window, at least 1: a hint for sizing;
 *     the filter measures, and grows or shrinks when the hint is wrong
 * @param overflow what gives way when the memory budget does not suffice
 * @param layout how ids are laid out in the array
 * @param maxFutureMillis how far ahead of the clock a timestamp is believed, in ms, at least 0; one
 *     further ahead is held as if it were that far ahead. With {@code Long.MAX_VALUE} all are
 *     believed
 * @param clockFollowsTimestamps whether the clock follows the timestamps of {@link
 *     ForgetfulFilter#add}; otherwise the caller moves it with {@link ForgetfulFilter#advanceTo}.
 *     It is as late as 13 of the last 16 timestamps say, and not known before that many have come.
 *     So a few wild ones, at the start or later, ahead or behind, cost nothing; one in ten may be
 *     wild. After a silence, however long, it follows with the thirteenth id. It lags by that many
 *     ids: ids are held longer than the window by this lag and an eighth of a slice of time. It
 *     never goes back by itself: when more than a dozen wild timestamps in a row were believed,
 *     {@link ForgetfulFilter#resetClock} helps
 */
public record WindowOptions(
        long windowMillis,
        double fpp,
        double maxFpp,
        long expectedPerWindow,
        OverflowPolicy overflow,
        Layout layout,
        long maxFutureMillis,
        boolean clockFollowsTimestamps) {

    /** Smaller probabilities need more positions than a 64-bit hash has bits for. */
    public static final double MIN_FPP = 1e-12;

    public static final double MAX_FPP = 0.5;

    /** The default of {@code maxFpp}, as a multiple of {@code fpp}. */
    public static final double DEFAULT_MAX_FPP_FACTOR = 10;

    private static final long HOUR_MILLIS = 3_600_000;

    public WindowOptions {
        if (windowMillis < 1) {
            throw new IllegalArgumentException(
                    "windowMillis must be at least 1, got "
                            + windowMillis
                            + ": give the time within which duplicates come");
        }
        if (!(fpp >= MIN_FPP && fpp <= MAX_FPP)) {
            throw new IllegalArgumentException(
                    "fpp must be between "
                            + MIN_FPP
                            + " and "
                            + MAX_FPP
                            + ", got "
                            + fpp
                            + ": 1e-3 to 1e-6 are usual");
        }
        if (!(maxFpp >= fpp && maxFpp < 1)) {
            throw new IllegalArgumentException(
                    "maxFpp must be at least fpp = "
                            + fpp
                            + " and below 1, got "
                            + maxFpp
                            + ": if it equals fpp, only the window gives way");
        }
        if (expectedPerWindow < 1) {
            throw new IllegalArgumentException(
                    "expectedPerWindow must be at least 1, got "
                            + expectedPerWindow
                            + ": estimate ids per second times the window; it adapts when wrong");
        }
        if (maxFutureMillis < 0) {
            throw new IllegalArgumentException(
                    "maxFutureMillis must be at least 0, got "
                            + maxFutureMillis
                            + ": give how far ahead of the clock a timestamp may be");
        }
        Objects.requireNonNull(overflow, "overflow");
        Objects.requireNonNull(layout, "layout");
    }

    /** A builder with the defaults; only the window has none. */
    public static Builder builder() {
        return new Builder();
    }

    /** The probability that {@code fpp} may rise to unless another is asked for. */
    public static double defaultMaxFpp(double fpp) {
        return Math.max(fpp, Math.min(MAX_FPP, DEFAULT_MAX_FPP_FACTOR * fpp));
    }

    /** How far ahead a timestamp is believed unless another bound is asked for, in ms. */
    public static long defaultMaxFutureMillis(long windowMillis) {
        return Math.max(HOUR_MILLIS, windowMillis);
    }

    /**
     * The greatest timestamp that is believed when the clock is at {@code clock}. Never the
     * greatest {@code long}, so a later time, since which nothing was recorded, always exists.
     */
    long latestTime(long clock) {
        long latest =
                clock == Long.MIN_VALUE
                        ? Long.MAX_VALUE
                        : SaturatedTime.plus(clock, maxFutureMillis);
        return Math.min(latest, Long.MAX_VALUE - 1);
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private long windowMillis;
        private double fpp = 1e-4;
        private double maxFpp = Double.NaN;
        private long expectedPerWindow = 1_000;
        private OverflowPolicy overflow = OverflowPolicy.FORGET_OLDEST;

        /** Null means the smaller table. */
        private Layout layout;

        private long maxFutureMillis = -1;
        private boolean clockFollowsTimestamps = true;

        private Builder() {}

        /** Mandatory. */
        public Builder window(Duration window) {
            return windowMillis(window.toMillis());
        }

        /** Mandatory. */
        public Builder windowMillis(long millis) {
            windowMillis = millis;
            return this;
        }

        /** Default 1e-4. */
        public Builder falsePositiveProbability(double probability) {
            fpp = probability;
            return this;
        }

        /** Default ten times the false-positive probability, but at most {@value #MAX_FPP}. */
        public Builder maxFalsePositiveProbability(double probability) {
            maxFpp = probability;
            return this;
        }

        /** Default 1000. */
        public Builder expectedPerWindow(long ids) {
            expectedPerWindow = ids;
            return this;
        }

        /** Default {@link OverflowPolicy#FORGET_OLDEST}. */
        public Builder onOverflow(OverflowPolicy policy) {
            overflow = policy;
            return this;
        }

        /**
         * Default: {@link Layout#QUOTIENT} or {@link Layout#FINGERPRINTS}, whichever takes less
         * memory for the probability.
         */
        public Builder layout(Layout how) {
            layout = how;
            return this;
        }

        /** Default: the window, but at least an hour. */
        public Builder maxFutureMillis(long millis) {
            if (millis < 0) {
                throw new IllegalArgumentException(
                        "maxFutureMillis must be at least 0, got "
                                + millis
                                + ": give how far ahead of the clock a timestamp may be");
            }
            maxFutureMillis = millis;
            return this;
        }

        /**
         * Only {@link ForgetfulFilter#advanceTo} moves the clock, as for a caller with watermarks.
         * If the caller then never calls it, nothing is ever forgotten by time. By default the
         * clock follows the timestamps, see {@link WindowOptions#clockFollowsTimestamps}.
         */
        public Builder clockOfCaller() {
            clockFollowsTimestamps = false;
            return this;
        }

        /** Checks the options and makes them. */
        public WindowOptions build() {
            return new WindowOptions(
                    windowMillis,
                    fpp,
                    Double.isNaN(maxFpp) ? defaultMaxFpp(fpp) : maxFpp,
                    expectedPerWindow,
                    overflow,
                    layoutOrDefault(),
                    maxFutureMillis < 0 ? defaultMaxFutureMillis(windowMillis) : maxFutureMillis,
                    clockFollowsTimestamps);
        }

        private Layout layoutOrDefault() {
            if (layout != null) {
                return layout;
            }
            // A value that is not a probability is refused with the other options.
            return fpp > 0 && fpp < 1 ? WindowSizing.smallerTable(fpp) : Layout.FINGERPRINTS;
        }
    }
}
