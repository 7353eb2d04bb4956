/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import java.time.Duration;
import java.util.Objects;

/**
 * What is asked of a {@link WindowedFilter}. Immutable; made by {@link #builder}.
 *
 * @param windowMillis the guaranteed window in ms, at least 1
 * @param fpp the probability, at most, that a new id is reported as seen, in [1e-12, 0.5]
 * @param expectedPerWindow how many ids the filter gets in a window, at least 1: a hint for sizing;
 *     the filter measures, and grows or shrinks when the hint is wrong
 * @param overflow what gives when the memory budget does not suffice
 * @param layout where the positions of an id lie
 */
public record WindowOptions(
        long windowMillis,
        double fpp,
        long expectedPerWindow,
        OverflowPolicy overflow,
        Layout layout) {

    /** Smaller probabilities need more positions than a 64-bit hash has bits for. */
    public static final double MIN_FPP = 1e-12;

    public static final double MAX_FPP = 0.5;

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
        if (expectedPerWindow < 1) {
            throw new IllegalArgumentException(
                    "expectedPerWindow must be at least 1, got "
                            + expectedPerWindow
                            + ": estimate ids per second times the window; it adapts when wrong");
        }
        Objects.requireNonNull(overflow, "overflow");
        Objects.requireNonNull(layout, "layout");
    }

    /** A builder with the defaults; only the window has none. */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private long windowMillis;
        private double fpp = 1e-4;
        private long expectedPerWindow = 1_000;
        private OverflowPolicy overflow = OverflowPolicy.RAISE_FPP;

        /** Null: the smaller table. */
        private Layout layout;

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

        /** Default 1000. */
        public Builder expectedPerWindow(long ids) {
            expectedPerWindow = ids;
            return this;
        }

        /** Default {@link OverflowPolicy#RAISE_FPP}. */
        public Builder onOverflow(OverflowPolicy policy) {
            overflow = policy;
            return this;
        }

        /**
         * Default: {@link Layout#QUOTIENT} or {@link Layout#FINGERPRINTS}, whichever takes less
         * memory for the probability.
         */
        public Builder layout(Layout where) {
            layout = where;
            return this;
        }

        /** Checks the options and makes them. */
        public WindowOptions build() {
            return new WindowOptions(
                    windowMillis, fpp, expectedPerWindow, overflow, layoutOrDefault());
        }

        private Layout layoutOrDefault() {
            if (layout != null) {
                return layout;
            }
            // What is not a probability is refused with the other options.
            return fpp > 0 && fpp < 1 ? WindowSizing.smallerTable(fpp) : Layout.FINGERPRINTS;
        }
    }
}
