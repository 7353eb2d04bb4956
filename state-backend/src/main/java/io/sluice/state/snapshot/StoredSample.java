/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import java.io.IOException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * The exact sample of a membership state, as it is in a checkpoint. Big-endian:
 *
 * <pre>
 *   | limit: 8 | time-to-live: 8 | bucket: 8 | clock: 8 | counts from: 8 |
 *   | earlier new keys: 8 | of them dropped: 8 | number of keys: 4 | for each: hash: 8, entry: 8 |
 * </pre>
 *
 * @param limit keys whose remixed hash, of 63 bits, is smaller belong to the sample; more than 0
 * @param timeToLiveMillis 0 if there is none
 * @param bucketMillis length of a time bucket; 0 if there is no time-to-live
 * @param clock the last time that was told; {@link Long#MIN_VALUE} if none was
 * @param countsFrom the time from which on new keys count; {@link Long#MIN_VALUE}: always, {@link
 *     Long#MAX_VALUE}: it is not known
 * @param earlierFirsts new keys that counted and have expired since
 * @param earlierDropped how many of them the filter reported as seen
 * @param entries pairs of hash and what is known of the key
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
@Internal
public record StoredSample(
        long limit,
        long timeToLiveMillis,
        long bucketMillis,
        long clock,
        long countsFrom,
        long earlierFirsts,
        long earlierDropped,
        long[] entries) {

    /** Sums of this many from all possible subtasks fit into a long. */
    public static final long MAX_FIRSTS = 1L << 46;

    private static final int BYTES_EACH = 2 * Long.BYTES;

    public StoredSample {
        if (limit <= 0
                || timeToLiveMillis < 0
                || bucketMillis < 0
                || earlierDropped < 0
                || earlierFirsts < earlierDropped
                || earlierFirsts > MAX_FIRSTS
                || entries.length % 2 != 0) {
            throw new IllegalArgumentException("a sample cannot be so");
        }
    }

    void write(DataOutputSerializer body) throws IOException {
        body.writeLong(limit);
        body.writeLong(timeToLiveMillis);
        body.writeLong(bucketMillis);
        body.writeLong(clock);
        body.writeLong(countsFrom);
        body.writeLong(earlierFirsts);
        body.writeLong(earlierDropped);
        body.writeInt(entries.length / 2);
        for (long word : entries) {
            body.writeLong(word);
        }
    }

    static StoredSample parse(DataInputDeserializer body) throws IOException {
        long limit = body.readLong();
        long timeToLive = body.readLong();
        long bucket = body.readLong();
        long clock = body.readLong();
        long countsFrom = body.readLong();
        long earlierFirsts = body.readLong();
        long earlierDropped = body.readLong();
        int keys = body.readInt();
        if (keys < 0 || (long) keys * BYTES_EACH > body.available()) {
            throw new IOException("a sample of " + keys + " keys is impossible");
        }
        long[] entries = new long[2 * keys];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = body.readLong();
        }
        return new StoredSample(
                limit,
                timeToLive,
                bucket,
                clock,
                countsFrom,
                earlierFirsts,
                earlierDropped,
                entries);
    }
}
