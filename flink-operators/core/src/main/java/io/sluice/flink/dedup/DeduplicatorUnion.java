/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.forgetful.StoredWindow;
import io.sluice.filter.forgetful.WindowUnion;
import io.sluice.filter.sample.StoredSample;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.dedup.DeduplicatorFormat.Header;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Optional;
import org.apache.flink.annotation.Internal;

/**
 * Writes a stored {@link Deduplicator} that knows the ids of two, see {@link WindowUnion}. Clock
 * and measurements are those of the base.
 */
@Internal
public final class DeduplicatorUnion {

    /** Clocks may be apart by this part of the window. */
    private static final int CLOCKS_APART = 16;

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
     * @param clocks of other key groups, by which ids are kept for longer where one does not know
     *     its own
     * @return what was written
     * @throws io.sluice.filter.format.CorruptFilterException if what is read is damaged
     */
    public static StoredDeduplicator write(
            InputStream base,
            String source,
            InputStream other,
            String sourceOfOther,
            WindowUnion.Clocks clocks,
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
        StoredWindow filter = WindowUnion.write(base, source, other, sourceOfOther, clocks, out);
        return new StoredDeduplicator(header.lag(), sample, filter);
    }

    /** Returns whether state of this layout tells time by the wall clock. */
    public static boolean isProcessingTime(String layout) {
        return layout.contains("timeDomain=" + TimeDomain.PROCESSING);
    }

    /**
     * Why two clocks are too far apart to be united, with both; empty if they are not. In
     * processing time an id is found by when it came: those of the other side are found only as far
     * as both tell the same time.
     */
    public static Optional<String> reasonOfClocks(StoredWindow base, StoredWindow other) {
        if (base.clock() == Long.MIN_VALUE || other.clock() == Long.MIN_VALUE) {
            return Optional.empty();
        }
        long apart = Math.abs(base.clock() - other.clock());
        return apart > base.options().windowMillis() / CLOCKS_APART
                ? Optional.of(
                        "it is "
                                + Instant.ofEpochMilli(base.clock())
                                + " in A and "
                                + Instant.ofEpochMilli(other.clock())
                                + " in B: in processing time ids of B would not be found, so take"
                                + " both savepoints at the same time")
                : Optional.empty();
    }

    /** Writes a deduplicator as it is, and checks all of it on the way. */
    public static void copy(
            StoredDeduplicator stored, InputStream in, String source, OutputStream out)
            throws IOException {
        DeduplicatorFormat.header(DeduplicatorFormat.open(in, source)).writeTo(out);
        StoredSample.readFrom(in, source).writeTo(out);
        WindowUnion.write(stored.filter(), in, source, out);
    }

    /**
     * Writes a deduplicator for a key group in which the base has no ids: it knows those of the
     * other. In event time it does not know yet what time it is.
     *
     * @param stored what {@code other} says about itself
     * @param clocks of other key groups, by which ids are kept for longer
     * @param isProcessingTime whether its clock goes on as that of the other
     * @return what was written
     */
    public static StoredDeduplicator writeAlone(
            StoredDeduplicator stored,
            WindowUnion.Clocks clocks,
            boolean isProcessingTime,
            InputStream other,
            String source,
            OutputStream out)
            throws IOException {
        Header header = DeduplicatorFormat.header(DeduplicatorFormat.open(other, source));
        StoredSample sample = StoredSample.readFrom(other, source).unmeasured();
        StoredWindow filter = stored.filter();
        if (!isProcessingTime) {
            long longer = clocks.longer(Long.MIN_VALUE, filter.clock());
            filter = filter.withoutClock().keptLonger(longer);
        }
        new Header(
                        header.lag(),
                        isProcessingTime ? header.exactSince() : Long.MIN_VALUE,
                        header.formsUntil())
                .writeTo(out);
        sample.writeTo(out);
        WindowUnion.write(filter, other, source, out);
        return new StoredDeduplicator(header.lag(), sample, filter);
    }
}
