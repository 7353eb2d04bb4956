/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.annotation.Internal;

/**
 * How many records are looked up together, and how long one may wait for others.
 *
 * <p>A lookup in a filter larger than the processor's caches waits for memory most of its time. The
 * lookups of a batch wait together: see {@link io.sluice.flink.dedup.Deduplicator#touch}. Order and
 * decisions are the same as one record at a time, and a batch never waits across a watermark, a
 * checkpoint barrier or the end of the input.
 *
 * @param records 1 to {@value #MAX_RECORDS}; 1 switches batches off
 * @param delayMillis the longest time that a record waits for its batch to fill, at least 1 ms
 */
@Internal
public record Batching(int records, long delayMillis) implements Serializable {

    public static final int MAX_RECORDS = 1024;

    /** Decides every record at once. */
    public static final Batching OFF = new Batching(1, 1);

    public Batching {
        if (records < 1 || records > MAX_RECORDS) {
            throw new IllegalArgumentException(
                    "batch must have 1 to "
                            + MAX_RECORDS
                            + " records, got "
                            + records
                            + ": 16 to 64 overlap the waiting for memory, 1 switches batches off");
        }
        if (delayMillis < 1) {
            throw new IllegalArgumentException(
                    "batch delay must be at least 1 ms, got "
                            + delayMillis
                            + " ms: for no delay give a batch of 1 record");
        }
    }

    /** A delay below 1 ms is refused. */
    public static Batching of(int records, Duration delay) {
        return new Batching(records, delay.toMillis());
    }
}
