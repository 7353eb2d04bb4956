/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

/**
 * Where a replay is.
 *
 * @param records records handed to Kafka, malformed ones included
 * @param bytes bytes of their keys and values
 * @param elapsedNanos since the first one
 * @param timestampNanos capture time reached
 * @param resumePoint all records before this one are acknowledged: resume here if the replay dies
 *     now
 * @param shareRead of the captures, in all loops, in [0, 1]; too small if a capture's size is
 *     unknown
 */
public record ReplayProgress(
        long records,
        long bytes,
        long elapsedNanos,
        long timestampNanos,
        long resumePoint,
        double shareRead) {

    private static final double NANOS_PER_SECOND = 1e9;

    /** Mean rate so far, in records a second. */
    public double recordsPerSecond() {
        return elapsedNanos == 0 ? 0 : records * NANOS_PER_SECOND / elapsedNanos;
    }

    /** Seconds left at the rate so far; infinite at the beginning. */
    public double secondsLeft() {
        return shareRead == 0
                ? Double.POSITIVE_INFINITY
                : elapsedNanos / NANOS_PER_SECOND * (1 - shareRead) / shareRead;
    }

    /** Bytes so far, in megabytes (10^6). */
    public double megabytes() {
        return bytes / 1e6;
    }
}
