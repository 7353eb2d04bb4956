/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

/**
 * The result of a {@link ReconcileDemo}, as it is in {@code report.json}.
 *
 * @param input what the replicas got
 * @param counters what they counted
 * @param reconcile what the exchange did
 * @param failures what went wrong on purpose
 * @param verdict "ok", or why not
 */
public record ReconcileReport(
        Input input, Counters counters, Exchange reconcile, Failures failures, String verdict) {
    /**
     * What the replicas got.
     *
     * @param records on both topics
     * @param elements different operations of windows that either got
     * @param lackedByFirst how many of them the first replica did not get
     * @param lackedBySecond the same for the second
     * @param operations different operations
     * @param missedByFirst how many of them the first replica did not get in any window
     * @param missedBySecond the same for the second
     * @param late operations that were not counted because they were late: must be 0
     */
    public record Input(
            long records,
            long elements,
            long lackedByFirst,
            long lackedBySecond,
            long operations,
            long missedByFirst,
            long missedBySecond,
            long late) {}

    /**
     * What the replicas counted.
     *
     * @param counters how many there are
     * @param wrongAtFirst counters of the first replica that do not have each operation that either
     *     replica got, once
     * @param wrongAtSecond the same for the second
     * @param state whether the savepoints of both have equal totals and equal seen sets
     */
    public record Counters(long counters, long wrongAtFirst, long wrongAtSecond, boolean state) {}

    /**
     * What the exchange did.
     *
     * @param exchanges windows of key groups, on both sides
     * @param agreed of them
     * @param suspended of them: the peer was away for longer than their time to live, and they went
     *     on when it was back
     * @param bytes of all messages, both directions
     * @param naiveBytes that sending all elements takes, both directions
     * @param bytesRatioToNaive {@code bytes} divided by {@code naiveBytes}
     * @param digestBytes in {@code bytes}
     * @param filterBytes in {@code bytes}, of filters and coded symbols
     * @param repairBytes in {@code bytes}
     * @param rounds the most that one exchange needed
     * @param repaired elements that were repaired, on both sides
     */
    public record Exchange(
            long exchanges,
            long agreed,
            long suspended,
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

    /** Whether both replicas ended with the same, right counters. */
    public boolean succeeded() {
        return verdict.equals("ok");
    }
}
