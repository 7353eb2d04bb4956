/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.capture.traffic.SplitMix64;
import java.time.Duration;

/**
 * What goes wrong between a client and the topic: which operations are sent again, and when, which
 * are late, which never arrive. Immutable.
 *
 * <p>Every decision is a pure function of the seed and the operation id, so anyone with the options
 * can tell for any id how often it was sent, without a list: {@link #sends}, {@link
 * #isLastRetryBeyondWindow}. Delays are in capture time.
 *
 * <p>A retry is sent {@code retryDelay} after the first send, exponentially distributed with mean
 * {@code retryDelayMeanMillis} and cut at {@code retryDelayMaxMillis}, so that it comes within
 * {@code windowMillis} even if the first send was itself late. A retry <em>beyond</em> the window
 * is sent two to three windows after the first send: a forgetful filter may count it again.
 *
 * @param seed of all decisions
 * @param retryShare of the operations that are sent more than once, in [0, 1]
 * @param maxRetries a retried operation is retried 1 to {@code maxRetries} times, uniformly
 * @param retryDelayMeanMillis mean of the delay before it is cut, positive
 * @param retryDelayMaxMillis upper bound of the delay of retries within the window, positive
 * @param windowMillis the window in which the receiver promises to recognize a retry
 * @param beyondWindowShare of the retried operations whose last retry comes beyond the window
 * @param dropShare of the operations that are never sent
 * @param reorderShare share of the operations whose first send is late, behind later ones
 * @param reorderMaxMillis upper bound of this lateness; uniform
 */
public record Faults(
        long seed,
        double retryShare,
        int maxRetries,
        long retryDelayMeanMillis,
        long retryDelayMaxMillis,
        long windowMillis,
        double beyondWindowShare,
        double dropShare,
        double reorderShare,
        long reorderMaxMillis) {

    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final double UNIT = 0x1.0p-53;
    private static final int MAX_RETRIES = 1000;

    // Each kind of decision draws from its own sequence, so changing one option does not change the
    // other decisions of the same seed.
    private static final long DROP = 0x1D;
    private static final long RETRY = 0x2D;
    private static final long RETRIES = 0x3D;
    private static final long BEYOND = 0x4D;
    private static final long REORDER = 0x5D;
    private static final long LATENESS = 0x6D;
    private static final long DELAY = 0x100;

    /** Checks every option. */
    public Faults {
        requireShare("retryShare", retryShare);
        requireShare("beyondWindowShare", beyondWindowShare);
        requireShare("dropShare", dropShare);
        requireShare("reorderShare", reorderShare);
        if (maxRetries < 1 || maxRetries > MAX_RETRIES) {
            throw new IllegalArgumentException(
                    "maxRetries must be in [1, " + MAX_RETRIES + "], not " + maxRetries);
        }
        requirePositive("retryDelayMeanMillis", retryDelayMeanMillis);
        requirePositive("retryDelayMaxMillis", retryDelayMaxMillis);
        requirePositive("windowMillis", windowMillis);
        if (reorderMaxMillis < 0) {
            throw new IllegalArgumentException(
                    "reorderMaxMillis must not be negative, but is " + reorderMaxMillis);
        }
        if (reorderMaxMillis + retryDelayMaxMillis > windowMillis) {
            throw new IllegalArgumentException(
                    "retryDelayMaxMillis ("
                            + retryDelayMaxMillis
                            + ") and reorderMaxMillis ("
                            + reorderMaxMillis
                            + ") together must not exceed windowMillis ("
                            + windowMillis
                            + "): shorten the delays, or use beyondWindowShare");
        }
    }

    /** Nothing goes wrong: every operation is sent once and in order. */
    public static Faults none() {
        return builder().retryShare(0).build();
    }

    /**
     * A builder whose defaults retry one operation in ten, within ten seconds, and nothing else.
     */
    public static Builder builder() {
        return new Builder();
    }

    /** How often the operation is sent: 0 if dropped, else 1 and its retries. */
    public int sends(long operationId) {
        return isDropped(operationId) ? 0 : 1 + retries(operationId);
    }

    /** Whether the operation is never sent. */
    public boolean isDropped(long operationId) {
        return dropShare > 0 && draw(operationId, DROP) < dropShare;
    }

    /** Retries of the operation, if it is sent at all: 0 to {@code maxRetries}. */
    public int retries(long operationId) {
        if (retryShare == 0 || draw(operationId, RETRY) >= retryShare) {
            return 0;
        }
        return maxRetries == 1 ? 1 : 1 + (int) (draw(operationId, RETRIES) * maxRetries);
    }

    /** Whether the last retry of the operation, if it has any, is sent beyond the window. */
    public boolean isLastRetryBeyondWindow(long operationId) {
        return beyondWindowShare > 0 && draw(operationId, BEYOND) < beyondWindowShare;
    }

    /** How late the first send is, in nanoseconds of capture time. */
    public long latenessNanos(long operationId) {
        if (reorderShare == 0 || draw(operationId, REORDER) >= reorderShare) {
            return 0;
        }
        return (long) (draw(operationId, LATENESS) * reorderMaxMillis * NANOS_PER_MILLI);
    }

    /**
     * How long after the first send the retry comes, in nanoseconds of capture time.
     *
     * @param retry in [0, retries)
     */
    public long retryDelayNanos(long operationId, int retry, int retries) {
        double uniform = draw(operationId, DELAY + retry);
        if (retry == retries - 1 && isLastRetryBeyondWindow(operationId)) {
            return (long) ((2 + uniform) * windowMillis * NANOS_PER_MILLI);
        }
        // Inverse of the distribution function of an exponential cut at the maximum.
        double mean = retryDelayMeanMillis;
        double max = retryDelayMaxMillis;
        double atMax = 1 - StrictMath.exp(-max / mean);
        double delay = -StrictMath.log(1 - uniform * atMax) * mean;
        return Math.max(1, (long) (Math.min(delay, max) * NANOS_PER_MILLI));
    }

    private double draw(long operationId, long decision) {
        long mixed = SplitMix64.mix(seed ^ SplitMix64.mix(decision));
        return (SplitMix64.mix(mixed + SplitMix64.mix(operationId)) >>> 11) * UNIT;
    }

    private static void requireShare(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(name + " must be in [0, 1], not " + value);
        }
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }

    /** Collects the options; {@link #build} checks them. */
    public static final class Builder {
        private long seed = 1;
        private double retryShare = 0.1;
        private int maxRetries = 3;
        private Duration retryDelayMean = Duration.ofSeconds(1);
        private Duration retryDelayMax = Duration.ofSeconds(8);
        private Duration window = Duration.ofSeconds(10);
        private double beyondWindowShare;
        private double dropShare;
        private double reorderShare;
        private Duration reorderMax = Duration.ZERO;

        private Builder() {}

        /** See {@link Faults#seed}. */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** See {@link Faults#retryShare}. */
        public Builder retryShare(double value) {
            retryShare = value;
            return this;
        }

        /** See {@link Faults#maxRetries}. */
        public Builder maxRetries(int value) {
            maxRetries = value;
            return this;
        }

        /** Mean and upper bound of the delay of a retry; see {@link Faults}. */
        public Builder retryDelay(Duration mean, Duration max) {
            retryDelayMean = mean;
            retryDelayMax = max;
            return this;
        }

        /** See {@link Faults#windowMillis}. */
        public Builder window(Duration value) {
            window = value;
            return this;
        }

        /** See {@link Faults#beyondWindowShare}. */
        public Builder beyondWindowShare(double value) {
            beyondWindowShare = value;
            return this;
        }

        /** See {@link Faults#dropShare}. */
        public Builder dropShare(double value) {
            dropShare = value;
            return this;
        }

        /** Share of operations that are late, and by how much at most. */
        public Builder reorder(double share, Duration max) {
            reorderShare = share;
            reorderMax = max;
            return this;
        }

        /**
         * The faults.
         *
         * @throws IllegalArgumentException if an option is out of range, or two disagree
         */
        public Faults build() {
            return new Faults(
                    seed,
                    retryShare,
                    maxRetries,
                    retryDelayMean.toMillis(),
                    retryDelayMax.toMillis(),
                    window.toMillis(),
                    beyondWindowShare,
                    dropShare,
                    reorderShare,
                    reorderMax.toMillis());
        }
    }
}
