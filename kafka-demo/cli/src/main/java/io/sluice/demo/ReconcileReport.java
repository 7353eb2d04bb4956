/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

/**
 * The result of a {@link ReconcileDemo}, as it is in {@code report.json}.
 *
 * @param input what the replicas saw
 * @param reconcile what the exchange did
 * @param failures what went wrong on purpose
 * @param verdict "ok", or why not
 */
public record ReconcileReport(Input input, Exchange reconcile, Failures failures, String verdict) {
    /**
     * What the replicas saw.
     *
     * @param records on both topics
     * @param elements different operations of windows that either saw
     * @param lackedByFirst how many of them the first replica had too few copies of, or none
     * @param lackedBySecond the same for the second
     * @param late records that came after their window was closed: must be 0
     */
    public record Input(
            long records, long elements, long lackedByFirst, long lackedBySecond, long late) {}

    /**
     * What the exchange did.
     *
     * @param exchanges windows of key groups, on both sides
     * @param agreed of them
     * @param accuracy share of the elements that were equal on both sides after one round
     * @param accuracySecondRound the same after two
     * @param accuracyAtTheEnd the same at the end, from the final multisets
     * @param bitsPerElement of the filters that were sent, for each element in them
     * @param bytes of all messages, both directions
     * @param naiveBytes that sending all elements with their multiplicities takes, both directions
     * @param bytesRatioToNaive {@code bytes} divided by {@code naiveBytes}
     * @param digestBytes in {@code bytes}
     * @param filterBytes in {@code bytes}
     * @param repairBytes in {@code bytes}
     * @param rounds the most that one exchange needed
     * @param repaired elements that were repaired, on both sides
     */
    public record Exchange(
            long exchanges,
            long agreed,
            double accuracy,
            double accuracySecondRound,
            double accuracyAtTheEnd,
            double bitsPerElement,
            long bytes,
            long naiveBytes,
            double bytesRatioToNaive,
            long digestBytes,
            long filterBytes,
            long repairBytes,
            long rounds,
            long repaired) {}

    /**
     * What went wrong on purpose.
     *
     * @param injected replicas killed
     * @param recovered restarts from a checkpoint
     * @param windowsBehind windows that the first replica had closed when the second one started
     */
    public record Failures(long injected, long recovered, long windowsBehind) {}

    /** Whether both replicas ended with the union at maximum multiplicity. */
    public boolean succeeded() {
        return verdict.equals("ok");
    }
}
