/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.plane.ExpectedError;
import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.Layout;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a stored {@link ForgetfulFilter} says about itself in its first kilobyte or two: everything
 * but the words of its arrays. Immutable.
 *
 * @param options as they were in force; how far ahead timestamps are believed, and whose the clock
 *     is, is not stored
 * @param clock {@code Long.MIN_VALUE} if it was not known
 * @param coveredSince see {@link ForgetfulFilter#coveredSince}
 * @param coveredBehind see {@link ForgetfulFilter#coveredBehind}
 * @param overflows see {@link ForgetfulFilter#overflows}
 * @param segments its arrays, oldest first; ids go to the last one
 */
@Internal
public record StoredWindow(
        WindowOptions options,
        long clock,
        long coveredSince,
        long coveredBehind,
        long overflows,
        List<StoredSegment> segments) {

    public StoredWindow {
        segments = List.copyOf(segments);
    }

    /**
     * The ids of one slice.
     *
     * @param begin least timestamp; greater than {@code end} if there are no ids
     * @param end greatest timestamp
     */
    public record StoredGeneration(long ids, long begin, long end) {}

    /** What a plane of an array holds, see {@link Generations}. */
    record Plane(long used, long ids, long begin, long end, long kept) {

        Plane keptLonger(long millis) {
            long until = Math.min(Long.MAX_VALUE - 1, SaturatedTime.plus(kept, millis));
            return new Plane(used, ids, begin, end, until);
        }
    }

    /** One array of a stored filter. */
    public static final class StoredSegment {
        final Geometry geometry;

        /** Ids that it was made for. */
        final long capacity;

        /** The probability that it was made for. */
        final double fpp;

        final Segment.Role role;

        /** The ms of a slice. */
        final long slice;

        /** A bit for each plane that is still to be emptied. */
        final long retired;

        /** What is in each plane that holds ids, in the order of the planes. */
        final Map<Integer, Plane> planes;

        StoredSegment(
                Geometry geometry,
                long capacity,
                double fpp,
                Segment.Role role,
                long slice,
                long retired,
                Map<Integer, Plane> planes) {
            this.geometry = geometry;
            this.capacity = capacity;
            this.fpp = fpp;
            this.role = role;
            this.slice = slice;
            this.retired = retired;
            this.planes = planes;
        }

        /** A bit for each plane that holds ids. */
        long live() {
            long live = 0;
            for (int plane : planes.keySet()) {
                live |= 1L << plane;
            }
            return live;
        }

        /** The same, but every plane is kept for longer by as many ms. */
        StoredSegment keptLonger(long millis) {
            Map<Integer, Plane> longer = new TreeMap<>();
            planes.forEach((number, plane) -> longer.put(number, plane.keptLonger(millis)));
            return new StoredSegment(geometry, capacity, fpp, role, slice, retired, longer);
        }

        public Layout layout() {
            return geometry.layout();
        }

        /** Bytes of the array. */
        public long bytes() {
            return geometry.bytes();
        }

        /** Ids that it is made for. */
        public double capacity() {
            return (double) capacity;
        }

        /** Slices that are not empty; those that share a plane are one. */
        public List<StoredGeneration> generations() {
            return planes.values().stream()
                    .map(held -> new StoredGeneration(held.ids, held.begin, held.end))
                    .toList();
        }

        /** Ids that are held. */
        public long ids() {
            return generations().stream().mapToLong(StoredGeneration::ids).sum();
        }

        /** Probability that an absent id is reported, by the number of ids. */
        public double predictedFpp() {
            return ExpectedError.fpp(
                    geometry,
                    generations().stream()
                            .mapToDouble(generation -> (double) generation.ids())
                            .toArray());
        }
    }

    /**
     * Reads what {@link ForgetfulFilter#writeTo} wrote, but jumps over the words of the arrays.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if what is read is damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote it
     */
    public static StoredWindow readFrom(InputStream in, String source) throws IOException {
        FilterReader reader = ForgetfulFilterFormat.open(in, source);
        StoredWindow window = ForgetfulFilterFormat.parameters(reader, 0, false);
        reader.skipPayload();
        return window;
    }

    /**
     * The same without a clock, as if it were not known yet: nothing is forgotten before the first
     * time that is told, and no time is late until then.
     */
    public StoredWindow withoutClock() {
        return new StoredWindow(
                options, Long.MIN_VALUE, coveredSince, Long.MIN_VALUE, overflows, segments);
    }

    /** The same, with ids that are kept for longer by some milliseconds. */
    public StoredWindow keptLonger(long millis) {
        return new StoredWindow(
                options,
                clock,
                coveredSince,
                coveredBehind,
                overflows,
                segments.stream().map(segment -> segment.keptLonger(millis)).toList());
    }

    /** Ids that are held, in or out of the window. */
    public long ids() {
        return segments.stream().mapToLong(StoredSegment::ids).sum();
    }

    /** Slices that are held and not empty. */
    public int generations() {
        return segments.stream().mapToInt(segment -> segment.generations().size()).sum();
    }

    /** Bytes of all arrays. */
    public long bytes() {
        return segments.stream().mapToLong(StoredSegment::bytes).sum();
    }

    /**
     * Probability that an id that was never given is reported as seen, by the number of ids held.
     * {@link ForgetfulFilter#predictedFpp} measures instead.
     */
    public double predictedFpp() {
        double none = 0;
        for (StoredSegment segment : segments) {
            none += Math.log1p(-segment.predictedFpp());
        }
        return -Math.expm1(none);
    }
}
