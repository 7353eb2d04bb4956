/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.forgetful.StoredWindow.StoredSegment;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes a stored {@link ForgetfulFilter} that holds what either of two holds: the base goes on,
 * and also reads the arrays of the other until they are forgotten. So the union is exact for
 * filters of any shape: no id of either is lost, and no id is reported that neither of them would
 * have reported. It errs as often as both together, and takes their memory, until the window of the
 * other has passed.
 *
 * <p>Ids of the other are kept for at least as long as there. A base whose clock is ahead keeps
 * them for longer by as much, so that what was in the window of the other is not forgotten at once.
 */
@Internal
public final class WindowUnion {

    /** Words that are copied at a time. */
    private static final int BATCH = 1 << 13;

    private WindowUnion() {}

    /**
     * What time it is where filters do not know it: what others of the same state say.
     *
     * @param ofBase the least long if nobody knows
     * @param ofOther the same of the other
     */
    public record Clocks(long ofBase, long ofOther) {

        /** Nobody but the filters knows. */
        public static final Clocks UNKNOWN = new Clocks(Long.MIN_VALUE, Long.MIN_VALUE);

        /**
         * Returns the ms by which ids of the other are kept for longer, from 0 on.
         *
         * @param base its clock; the least long if it does not know it
         * @param other the same of the other
         */
        public long longer(long base, long other) {
            long here = base == Long.MIN_VALUE ? ofBase : base;
            long there = other == Long.MIN_VALUE ? ofOther : other;
            return here == Long.MIN_VALUE || there == Long.MIN_VALUE || there >= here
                    ? 0
                    : SaturatedTime.plus(here, -there);
        }
    }

    /**
     * Why two filters have no union, with both values; empty if they have one.
     *
     * @param base what it is to go on from
     */
    public static Optional<String> reasonToRefuse(StoredWindow base, StoredWindow other) {
        long window = base.options().windowMillis();
        if (window != other.options().windowMillis()) {
            return Optional.of(
                    "windowMillis is " + window + " and " + other.options().windowMillis());
        }
        int arrays = base.segments().size() + held(other).size();
        return arrays > HeldSegments.MAX_SEGMENTS
                ? Optional.of(
                        base.segments().size()
                                + " arrays and "
                                + held(other).size()
                                + " are more than the "
                                + HeldSegments.MAX_SEGMENTS
                                + " that a filter can read")
                : Optional.empty();
    }

    /** The arrays that hold something. */
    private static List<StoredSegment> held(StoredWindow window) {
        return window.segments().stream().filter(segment -> segment.ids() > 0).toList();
    }

    /**
     * Writes the union.
     *
     * @param base what {@link ForgetfulFilter#writeTo} wrote; its clock and options stay
     * @param other the same of the other; nothing needs to follow in either stream
     * @param source what is read, for messages
     * @param clocks by which ids are kept for longer where a filter does not know its own
     * @return what was written
     * @throws io.sluice.filter.format.CorruptFilterException if what is read is damaged
     * @throws IllegalArgumentException if there is a {@link #reasonToRefuse}
     */
    public static StoredWindow write(
            InputStream base,
            String source,
            InputStream other,
            String sourceOfOther,
            Clocks clocks,
            OutputStream out)
            throws IOException {
        FilterReader readerOfBase = ForgetfulFilterFormat.open(base, source);
        StoredWindow ofBase = ForgetfulFilterFormat.parameters(readerOfBase, 0, false);
        FilterReader readerOfOther = ForgetfulFilterFormat.open(other, sourceOfOther);
        StoredWindow ofOther = ForgetfulFilterFormat.parameters(readerOfOther, 0, false);
        reasonToRefuse(ofBase, ofOther)
                .ifPresent(
                        reason -> {
                            throw new IllegalArgumentException(reason);
                        });
        StoredWindow union = union(ofBase, ofOther, clocks.longer(ofBase.clock(), ofOther.clock()));
        long bytes = union.bytes();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        ForgetfulFilterFormat.KIND,
                        ForgetfulFilterFormat.VERSION,
                        ForgetfulFilterFormat.parameters(union),
                        bytes);
        for (StoredSegment segment : ofOther.segments()) {
            if (segment.ids() > 0) {
                copy(readerOfOther, segment, writer);
            } else {
                skip(readerOfOther, segment);
            }
        }
        readerOfOther.finish();
        for (StoredSegment segment : ofBase.segments()) {
            copy(readerOfBase, segment, writer);
        }
        readerOfBase.finish();
        writer.finish();
        return union;
    }

    /**
     * Writes a filter as another says, whose arrays it has.
     *
     * @param what {@code base} with another clock or coverage
     */
    public static void write(StoredWindow what, InputStream base, String source, OutputStream out)
            throws IOException {
        FilterReader reader = ForgetfulFilterFormat.open(base, source);
        StoredWindow stored = ForgetfulFilterFormat.parameters(reader, 0, false);
        FilterWriter writer =
                new FilterWriter(
                        out,
                        ForgetfulFilterFormat.KIND,
                        ForgetfulFilterFormat.VERSION,
                        ForgetfulFilterFormat.parameters(what),
                        what.bytes());
        for (StoredSegment segment : stored.segments()) {
            copy(reader, segment, writer);
        }
        reader.finish();
        writer.finish();
    }

    private static StoredWindow union(StoredWindow base, StoredWindow other, long longer) {
        List<StoredSegment> segments = new ArrayList<>();
        for (StoredSegment segment : held(other)) {
            segments.add(longer > 0 ? segment.keptLonger(longer) : segment);
        }
        segments.addAll(base.segments());
        // What is late is for the base to say. What the other had forgotten by its own clock may
        // pass again, and counts as undecided.
        return new StoredWindow(
                base.options(),
                base.clock(),
                Math.max(base.coveredSince(), other.coveredSince()),
                base.coveredBehind(),
                base.overflows(),
                segments);
    }

    private static void copy(FilterReader reader, StoredSegment segment, FilterWriter writer)
            throws IOException {
        for (int left = segment.geometry.words(); left > 0; left -= Math.min(left, BATCH)) {
            int n = Math.min(left, BATCH);
            writer.words(reader.words(n), 0, n);
        }
    }

    private static void skip(FilterReader reader, StoredSegment segment) throws IOException {
        for (int left = segment.geometry.words(); left > 0; left -= Math.min(left, BATCH)) {
            reader.words(Math.min(left, BATCH));
        }
    }
}
