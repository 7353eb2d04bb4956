/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.forgetful.StoredWindow;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.sample.StoredSample;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.annotation.Internal;

/**
 * What a stored {@link Deduplicator} says about itself, without the words of its arrays.
 *
 * @param lagMillis how far its clock is behind the wall clock, in processing time
 * @param sample ids that are kept exactly, and what they have measured
 * @param filter what holds the ids
 */
@Internal
public record StoredDeduplicator(long lagMillis, StoredSample sample, StoredWindow filter) {

    /** The kind of the envelope that it begins with. */
    public static final int KIND = DeduplicatorFormat.KIND;

    /** Returns whether {@link Deduplicate} with a filter wrote state of this layout. */
    public static boolean isIn(String layout) {
        return layout.startsWith("engine=" + DeduplicateOperator.ENGINE);
    }

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
        return new StoredDeduplicator(header.lag(), sample, StoredWindow.readFrom(in, source));
    }
}
