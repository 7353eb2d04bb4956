/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.record.DecodeResult;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * What a replay really sent, in numbers. Together with {@link Faults#sends} this determines for
 * every operation what a receiver should have made of it: operations {@code firstOperationId}
 * (inclusive) to {@code firstOperationId + operations} (exclusive), each sent {@code
 * faults.sends(id)} times.
 *
 * @param capture the file that was replayed, as the caller named it
 * @param captureEnd how the capture ended: {@code clean}, {@code cut} or {@code damaged}
 * @param captureProblem one line about a capture that is not clean; empty for a clean one
 * @param loops how often it was replayed
 * @param packets packets read in all loops together
 * @param skipped packets among them that are not IP and so are not operations
 * @param firstOperationId id of the first operation; the others follow without a gap
 * @param operations packets that are operations, dropped ones included
 * @param dropped operations that were never sent
 * @param sends records sent, retries included, malformed ones not
 * @param retriesWithinWindow retries that a receiver must recognize
 * @param retriesBeyondWindow retries that it may count
 * @param malformed foreign records sent in between, by the reason to refuse them ({@link
 *     DecodeResult#code})
 * @param firstTimestampMillis smallest timestamp on the topic
 * @param lastTimestampMillis largest timestamp on the topic
 * @param maxOutOfOrderMillis the most by which a timestamp was below the largest one sent before it
 * @param resumedFromRecord the record with which this replay began, 0 unless it continued another;
 *     the other numbers include what came before it
 * @param faults the faults and their seed
 */
public record TruthSummary(
        String capture,
        String captureEnd,
        String captureProblem,
        int loops,
        long packets,
        long skipped,
        long firstOperationId,
        long operations,
        long dropped,
        long sends,
        long retriesWithinWindow,
        long retriesBeyondWindow,
        Map<String, Long> malformed,
        long firstTimestampMillis,
        long lastTimestampMillis,
        long maxOutOfOrderMillis,
        long resumedFromRecord,
        Faults faults) {

    /** Keeps a copy of the map. No number of what was sent is negative. */
    public TruthSummary {
        malformed = Map.copyOf(malformed);
        long[] numbers = {
            loops,
            packets,
            skipped,
            operations,
            dropped,
            operations - dropped,
            sends,
            retriesWithinWindow,
            retriesBeyondWindow,
            maxOutOfOrderMillis,
            resumedFromRecord
        };
        boolean isPossible = LongStream.of(numbers).allMatch(number -> number >= 0);
        long records = sends;
        for (long count : malformed.values()) {
            records += count;
            isPossible &= count >= 0 && records >= 0;
        }
        if (!isPossible) {
            throw new IllegalArgumentException(
                    "a number of what was sent is negative, or too large");
        }
    }

    /** Foreign records sent, whatever the reason to refuse them. */
    public long malformedRecords() {
        return malformed.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Records on the topic: sends and malformed ones. */
    public long recordsOnTopic() {
        return sends + malformedRecords();
    }

    /** Operations that were sent at least once and so should have been counted. */
    public long operationsSent() {
        return operations - dropped;
    }
}
