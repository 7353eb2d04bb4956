/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.forgetful.StoredWindow;
import io.sluice.filter.forgetful.WindowUnion;
import io.sluice.filter.sample.StoredSample;
import io.sluice.flink.dedup.DeduplicatorFormat.Header;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import org.apache.flink.annotation.Internal;

/**
 * Writes a stored {@link Deduplicator} that knows the ids of two, see {@link WindowUnion}. Clock
 * and measurements are those of the base.
 */
@Internal
public final class DeduplicatorUnion {

    private DeduplicatorUnion() {}

    /**
     * Why state of this layout has no union; empty if it may have one.
     *
     * @param layout that {@link StoredDeduplicator#isIn} or counters with a filter wrote
     */
    public static Optional<String> reasonToRefuse(String layout) {
        return layout.startsWith("engine=" + VerifyingDeduplicateOperator.ENGINE)
                ? Optional.of(
                        "verify() keeps the times of each id in exact state, which does not know"
                                + " the ids of B")
                : Optional.empty();
    }

    /** Returns whether state of this layout keeps its ids as flags in the state backend. */
    public static boolean keepsFlags(String layout) {
        return layout.startsWith(StateDeduplicateOperator.LAYOUT);
    }

    /** Why two deduplicators have no union, with both values; empty if they have one. */
    public static Optional<String> reasonToRefuse(
            StoredDeduplicator base, StoredDeduplicator other) {
        if (base.lagMillis() != other.lagMillis()) {
            return Optional.of(
                    "the clock is "
                            + base.lagMillis()
                            + " ms behind the wall clock in A and "
                            + other.lagMillis()
                            + " ms in B: in processing time they tell other times");
        }
        if (base.sample().groupBits() != other.sample().groupBits()) {
            return Optional.of(
                    "samples have groups of "
                            + base.sample().groupBits()
                            + " bits in A and "
                            + other.sample().groupBits()
                            + " in B");
        }
        return WindowUnion.reasonToRefuse(base.filter(), other.filter());
    }

    /**
     * Writes the union of two that have no {@link #reasonToRefuse}.
     *
     * @param base what {@link Deduplicator#writeTo} wrote
     * @param other the same of the other
     * @param source what is read, for messages
     * @return what was written
     * @throws io.sluice.filter.format.CorruptFilterException if what is read is damaged
     */
    public static StoredDeduplicator write(
            InputStream base,
            String source,
            InputStream other,
            String sourceOfOther,
            OutputStream out)
            throws IOException {
        Header header = DeduplicatorFormat.header(DeduplicatorFormat.open(base, source));
        Header headerOfOther =
                DeduplicatorFormat.header(DeduplicatorFormat.open(other, sourceOfOther));
        StoredSample sample =
                StoredSample.readFrom(base, source)
                        .union(StoredSample.readFrom(other, sourceOfOther));
        new Header(
                        header.lag(),
                        header.exactSince(),
                        Math.max(header.formsUntil(), headerOfOther.formsUntil()))
                .writeTo(out);
        sample.writeTo(out);
        StoredWindow filter = WindowUnion.write(base, source, other, sourceOfOther, out);
        return new StoredDeduplicator(header.lag(), sample, filter);
    }

    /**
     * Writes a deduplicator for a key group in which the base has no ids: it knows those of the
     * other, and not yet what time it is.
     *
     * @param stored what {@code other} says about itself
     * @return what was written
     */
    public static StoredDeduplicator writeAlone(
            StoredDeduplicator stored, InputStream other, String source, OutputStream out)
            throws IOException {
        Header header = DeduplicatorFormat.header(DeduplicatorFormat.open(other, source));
        StoredSample sample = StoredSample.readFrom(other, source).unmeasured();
        StoredWindow filter = stored.filter().withoutClock();
        new Header(header.lag(), Long.MIN_VALUE, header.formsUntil()).writeTo(out);
        sample.writeTo(out);
        WindowUnion.write(filter, other, source, out);
        return new StoredDeduplicator(header.lag(), sample, filter);
    }
}
