/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.forgetful.StoredWindow;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.sample.StoredSample;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.annotation.Internal;

/**
 * What a stored {@link Deduplicator} says about itself, without the ids of its sample and its
 * arrays.
 *
 * @param lagMillis how far its clock is behind the wall clock, in processing time
 * @param measured see {@link Deduplicator#measuredError}
 * @param missedDuplicates see {@link Deduplicator#missedDuplicates}
 * @param sampledIds ids that are kept exactly
 * @param filter what holds the ids
 */
@Internal
public record StoredDeduplicator(
        long lagMillis,
        MeasuredError measured,
        long missedDuplicates,
        long sampledIds,
        StoredWindow filter) {

    /** The kind of the envelope that it begins with. */
    public static final int KIND = DeduplicatorFormat.KIND;

    /**
     * Reads what {@link Deduplicator#writeTo} wrote, but jumps over arrays.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if what is read is damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote it
     */
    public static StoredDeduplicator readFrom(InputStream in, String source) throws IOException {
        FilterReader reader = DeduplicatorFormat.open(in, source);
        DeduplicatorFormat.Header header = DeduplicatorFormat.header(reader);
        StoredSample sample = StoredSample.readFrom(in, source);
        return new StoredDeduplicator(
                header.lag(),
                sample.error(),
                sample.missed(),
                sample.size(),
                StoredWindow.readFrom(in, source));
    }
}
