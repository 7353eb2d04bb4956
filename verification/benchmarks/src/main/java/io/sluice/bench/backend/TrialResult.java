/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.operator.Ids;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What one trial measured.
 *
 * @param recordsPerSecond from the first record out of the source to the last one at the end
 * @param passed records that reached the end
 * @param perSecond records emitted in each whole second, with its warm-up and its last part
 * @param checkpoints all that completed while records flowed, and the final ones
 * @param incremental of the whole state, at the end, sharing what earlier ones wrote
 * @param full of the whole state, sharing nothing
 * @param restoreSeconds from the submission of a job to its last operator, restored with the same
 *     parallelism; empty if it was not timed
 * @param rescaleSeconds the same with another parallelism
 */
record TrialResult(
        Trial trial,
        int round,
        double recordsPerSecond,
        long passed,
        List<Long> perSecond,
        List<CheckpointCost> checkpoints,
        CheckpointCost incremental,
        CheckpointCost full,
        OptionalDouble restoreSeconds,
        OptionalDouble rescaleSeconds) {

    private static final long TEN_MILLION = 10_000_000;

    private static final long MANY_RECORDS = 10 * TEN_MILLION;

    /** Distinct ids of the trial. */
    long keys() {
        return Ids.distinct(trial.records());
    }

    double bytesPerKey() {
        return (double) full.stateBytes() / keys();
    }

    /** Bytes that incremental checkpoints wrote, all together, for each key. */
    double uploadedPerKey() {
        long bytes = 0;
        for (CheckpointCost checkpoint : checkpoints) {
            bytes += checkpoint.id() == full.id() ? 0 : checkpoint.newBytes();
        }
        return (double) bytes / keys();
    }

    long longestSyncMillis() {
        return checkpoints.stream().mapToLong(CheckpointCost::syncMillis).max().orElse(0);
    }

    /**
     * The rate in the last tenth of the records divided by that around the ten millionth. Empty
     * below a hundred million records.
     */
    OptionalDouble lastRateOverFirst() {
        long records = trial.records();
        if (records < MANY_RECORDS) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(
                rateBetween(records - records / 10, records)
                        / rateBetween(TEN_MILLION / 2, 2 * TEN_MILLION));
    }

    /** The mean of the seconds that begin after {@code from} and before {@code to} records. */
    private double rateBetween(long from, long to) {
        long before = 0;
        long records = 0;
        int seconds = 0;
        for (long emitted : perSecond) {
            if (before >= from && before < to) {
                records += emitted;
                seconds++;
            }
            before += emitted;
        }
        return (double) records / seconds;
    }

    /**
     * The slowest second divided by the mean of all, without the first second, in which code is
     * compiled, and without the last, which is incomplete. Empty below four seconds.
     */
    OptionalDouble slowestSecondOverMean() {
        if (perSecond.size() < 4) {
            return OptionalDouble.empty();
        }
        List<Long> whole = perSecond.subList(1, perSecond.size() - 1);
        double mean = whole.stream().mapToLong(Long::longValue).average().orElseThrow();
        long least = whole.stream().mapToLong(Long::longValue).min().orElseThrow();
        return OptionalDouble.of(least / mean);
    }
}
