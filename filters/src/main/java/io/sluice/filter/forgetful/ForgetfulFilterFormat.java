/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.forgetful.StoredWindow.StoredSegment;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.GeometryFormat;
import io.sluice.filter.plane.PlaneArray;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Persistent form of a {@link ForgetfulFilter}: an envelope ({@link io.sluice.filter.format}) of
 * kind {@value #KIND}.
 *
 * <pre>
 *   parameters: window (8), fpp (8, double), greatest fpp (8, double), expected (8), overflow
 *               policy (1), layout (1), clock (8), covered since (8), the same of ids that were not
 *               ahead of the clock (8), overflows (8), number of
 *               segments (4), segments, oldest first; the last is the current one
 *   segment:    geometry ({@link GeometryFormat}), capacity (8), fpp (8, double), role (1), ms of a
 *               slice (8), live planes (8), retired planes (8), for each live plane, the lowest
 *               first: number in the order of use (8), ids (8), begin (8), end (8), the time
 *               that it is kept as (8)
 *   payload:    the words of each segment in the same order
 * </pre>
 */
final class ForgetfulFilterFormat {

    static final int KIND = 1;

    /** The only version that is read: earlier ones, never released, had other lines. */
    static final int VERSION = 5;

    private static final int OPTIONS_BYTES = 4 * Long.BYTES + 2;
    private static final int FILTER_BYTES = OPTIONS_BYTES + 4 * Long.BYTES + Integer.BYTES;
    private static final int SEGMENT_BYTES = GeometryFormat.BYTES + 5 * Long.BYTES + 1;
    private static final int PLANE_BYTES = 5 * Long.BYTES;
    private static final int MAX_SEGMENT_BYTES = SEGMENT_BYTES + PLANE_BYTES * Long.SIZE;

    /**
     * No plane has more than 2^48 ids, so sums stay far from overflowing. What is read may have at
     * most half of that and goes on counting, so that what is written then can be read again.
     */
    private static final long MAX_IDS = 1L << 48;

    /** More than any filter reaches: a reader that goes on counting from here does not overflow. */
    private static final long MAX_OVERFLOWS = 1L << 62;

    private ForgetfulFilterFormat() {}

    static ForgetfulFilterSnapshot pin(ForgetfulFilter filter) {
        List<Segment> segments = filter.segments();
        StoredWindow window =
                new StoredWindow(
                        filter.options(),
                        filter.clock(),
                        filter.coveredSince(),
                        filter.coveredBehind(),
                        Math.min(filter.overflows(), MAX_OVERFLOWS),
                        segments.stream().map(ForgetfulFilterFormat::stored).toList());
        return ForgetfulFilterSnapshot.pin(VERSION, parameters(window), segments);
    }

    private static StoredSegment stored(Segment segment) {
        Map<Integer, StoredWindow.Plane> planes = new TreeMap<>();
        Generations generations = segment.generations;
        for (long left = generations.live(); left != 0; left &= left - 1) {
            int plane = Long.numberOfTrailingZeros(left);
            planes.put(plane, generations.stored(plane));
        }
        return new StoredSegment(
                segment.array.geometry(),
                segment.capacity,
                segment.fpp,
                segment.role,
                segment.slice,
                segment.array.dirty(),
                planes);
    }

    /** The parameters of an envelope; the words of the segments follow in the same order. */
    static ByteBuffer parameters(StoredWindow window) {
        List<StoredSegment> segments = window.segments();
        ByteBuffer parameters =
                ByteBuffer.allocate(FILTER_BYTES + segments.size() * MAX_SEGMENT_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        WindowOptions options = window.options();
        parameters
                .putLong(options.windowMillis())
                .putDouble(options.fpp())
                .putDouble(options.maxFpp())
                .putLong(options.expectedPerWindow())
                .put((byte) code(options.overflow()))
                .put(GeometryFormat.code(options.layout()))
                .putLong(window.clock())
                .putLong(window.coveredSince())
                .putLong(window.coveredBehind())
                .putLong(window.overflows())
                .putInt(segments.size());
        for (StoredSegment segment : segments) {
            writeParameters(segment, parameters);
        }
        return parameters.flip();
    }

    private static void writeParameters(StoredSegment segment, ByteBuffer to) {
        GeometryFormat.write(segment.geometry, to);
        to.putLong(segment.capacity)
                .putDouble(segment.fpp)
                .put((byte) segment.role.code)
                .putLong(segment.slice)
                .putLong(segment.live())
                .putLong(segment.retired);
        for (StoredWindow.Plane plane : segment.planes.values()) {
            to.putLong(plane.used())
                    .putLong(plane.ids())
                    .putLong(plane.begin())
                    .putLong(plane.end())
                    .putLong(plane.kept());
        }
    }

    /**
     * @param now the caller's options, for what is not part of the format
     */
    static ForgetfulFilter read(
            InputStream in, String source, WindowOptions now, MemoryBudget budget)
            throws IOException {
        FilterReader reader = open(in, source);
        StoredWindow stored =
                parameters(reader, now.maxFutureMillis(), now.clockFollowsTimestamps());
        try {
            ForgetfulFilter filter = new ForgetfulFilter(stored.options(), budget, stored.clock());
            List<Segment> segments = new ArrayList<>();
            for (StoredSegment segment : stored.segments()) {
                segments.add(readSegment(reader, segment));
            }
            reader.finish();
            filter.restore(
                    segments, stored.coveredSince(), stored.coveredBehind(), stored.overflows());
            return filter;
        } catch (IllegalArgumentException e) {
            throw reader.corrupt(e.getMessage());
        }
    }

    /** Reads and checks the header. */
    static FilterReader open(InputStream in, String source) throws IOException {
        return new FilterReader(in, source, KIND, VERSION, VERSION);
    }

    /** Everything that precedes the words of the arrays. */
    static StoredWindow parameters(
            FilterReader reader, long maxFutureMillis, boolean clockFollowsTimestamps)
            throws IOException {
        ByteBuffer from = reader.parameters();
        try {
            WindowOptions options =
                    new WindowOptions(
                            from.getLong(),
                            from.getDouble(),
                            from.getDouble(),
                            from.getLong(),
                            overflow(from.get(), reader),
                            GeometryFormat.readLayout(from, reader),
                            maxFutureMillis,
                            clockFollowsTimestamps);
            long clock = from.getLong();
            long coveredSince = from.getLong();
            long coveredBehind = from.getLong();
            long overflows = from.getLong();
            int count = from.getInt();
            if (count < 1
                    || count > HeldSegments.MAX_SEGMENTS
                    || overflows < 0
                    || overflows > MAX_OVERFLOWS) {
                throw reader.corrupt("impossible number of segments or overflows");
            }
            List<StoredSegment> segments = new ArrayList<>();
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                StoredSegment segment = parametersOfSegment(reader);
                bytes += segment.bytes();
                segments.add(segment);
            }
            if (from.hasRemaining() || bytes != reader.payloadLeft()) {
                throw reader.corrupt("lengths of parameters and payload do not agree");
            }
            return new StoredWindow(
                    options, clock, coveredSince, coveredBehind, overflows, segments);
        } catch (BufferUnderflowException e) {
            throw reader.corrupt("parameters end too early");
        } catch (IllegalArgumentException e) {
            throw reader.corrupt(e.getMessage());
        }
    }

    private static StoredSegment parametersOfSegment(FilterReader reader)
            throws CorruptFilterException {
        ByteBuffer from = reader.parameters();
        Geometry geometry = GeometryFormat.read(from, reader);
        long capacity = from.getLong();
        double fpp = from.getDouble();
        Segment.Role role = role(from.get(), reader);
        long slice = from.getLong();
        long live = from.getLong();
        long retired = from.getLong();
        long planes = -1L >>> (Long.SIZE - geometry.planes());
        if (capacity < 1
                || capacity > MAX_IDS
                || !(fpp > 0 && fpp < 1)
                || slice < 1
                || (live & retired) != 0
                || ((live | retired) & ~planes) != 0) {
            throw reader.corrupt("a segment with impossible parameters");
        }
        Map<Integer, StoredWindow.Plane> held = new TreeMap<>();
        for (long left = live; left != 0; left &= left - 1) {
            held.put(Long.numberOfTrailingZeros(left), plane(reader));
        }
        return new StoredSegment(geometry, capacity, fpp, role, slice, retired, held);
    }

    private static StoredWindow.Plane plane(FilterReader reader) throws CorruptFilterException {
        ByteBuffer from = reader.parameters();
        long used = from.getLong();
        long ids = from.getLong();
        long begin = from.getLong();
        long end = from.getLong();
        long kept = from.getLong();
        if (used < 0
                || used > MAX_IDS
                || ids < 1
                || ids > MAX_IDS
                || begin > end
                || begin == Long.MIN_VALUE
                || end == Long.MAX_VALUE
                || kept == Long.MIN_VALUE
                || kept == Long.MAX_VALUE) {
            throw reader.corrupt("a plane with impossible ids or times");
        }
        return new StoredWindow.Plane(
                Math.min(used, MAX_IDS / 2), Math.min(ids, MAX_IDS / 2), begin, end, kept);
    }

    private static Segment readSegment(FilterReader reader, StoredSegment stored)
            throws IOException {
        Generations generations = new Generations(stored.geometry.planes());
        stored.planes.forEach(generations::restore);
        PlaneArray array = PlaneArray.read(stored.geometry, reader);
        if (!array.holdsOnly(generations.live() | stored.retired)) {
            throw reader.corrupt("an array with ids in planes that are not in use");
        }
        if (stored.retired != 0) {
            array.retire(stored.retired);
        }
        return new Segment(
                array, generations, stored.capacity, stored.fpp, stored.role, stored.slice);
    }

    private static Segment.Role role(int code, FilterReader reader) throws CorruptFilterException {
        for (Segment.Role role : Segment.Role.values()) {
            if (role.code == code) {
                return role;
            }
        }
        throw reader.corrupt("role " + code);
    }

    private static int code(OverflowPolicy policy) {
        return switch (policy) {
            case FORGET_OLDEST -> 1;
            case FAIL -> 2;
        };
    }

    private static OverflowPolicy overflow(int code, FilterReader reader)
            throws CorruptFilterException {
        return switch (code) {
            case 1 -> OverflowPolicy.FORGET_OLDEST;
            case 2 -> OverflowPolicy.FAIL;
            default -> throw reader.corrupt("overflow policy " + code);
        };
    }
}
