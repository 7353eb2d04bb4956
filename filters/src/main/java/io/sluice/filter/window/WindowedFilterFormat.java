/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.GeometryFormat;
import io.sluice.filter.plane.PlaneArray;
import io.sluice.filter.plane.PlaneSizing;
import io.sluice.filter.window.StoredWindow.StoredSegment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Persistent form of a {@link WindowedFilter}: an envelope ({@link io.sluice.filter.format}) of
 * kind {@value #KIND}.
 *
 * <pre>
 *   parameters: window (8), fpp (8, double), greatest fpp (8, double), expected (8), overflow
 *               policy (1), layout (1), clock (8), covered since (8), the same of ids that were not
 *               ahead of the clock (8), overflows (8), number of
 *               segments (4), segments, oldest first; the last is the current one
 *   segment:    geometry ({@link GeometryFormat}), slice capacity (8), fpp (8, double), active
 *               plane (1), live planes (8), retired planes (8), for each plane: number in the order
 *               of opening (8), ids (8), begin (8), end (8), greatest time not ahead of the clock (8)
 *   payload:    the words of each segment in the same order
 * </pre>
 */
final class WindowedFilterFormat {

    static final int KIND = 1;

    /**
     * The oldest version that is read. 1 and 2, which were never released, knew neither the
     * greatest probability nor the order in which planes were opened.
     */
    static final int VERSION_3 = 3;

    static final int VERSION_CURRENT = VERSION_3;

    private static final int OPTIONS_BYTES = 4 * Long.BYTES + 2;
    private static final int FILTER_BYTES = OPTIONS_BYTES + 4 * Long.BYTES + Integer.BYTES;
    private static final int SEGMENT_BYTES =
            GeometryFormat.BYTES + 4 * Long.BYTES + 1 + 5 * Long.BYTES * PlaneSizing.PLANES;

    /**
     * No slice has more than 2^48 ids, so sums stay far from overflowing. What is read may have at
     * most half of that and goes on counting, so that what is written then can be read again.
     */
    private static final long MAX_IDS = 1L << 48;

    /** More than any filter reaches: a reader that goes on counting from here does not overflow. */
    private static final long MAX_OVERFLOWS = 1L << 62;

    private static final long ALL_PLANES = (1L << PlaneSizing.PLANES) - 1;

    private WindowedFilterFormat() {}

    static WindowedFilterSnapshot pin(WindowedFilter filter) {
        List<Segment> segments = filter.segments();
        ByteBuffer parameters =
                ByteBuffer.allocate(FILTER_BYTES + segments.size() * SEGMENT_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        WindowOptions options = filter.options();
        parameters
                .putLong(options.windowMillis())
                .putDouble(options.fpp())
                .putDouble(options.maxFpp())
                .putLong(options.expectedPerWindow())
                .put((byte) code(options.overflow()))
                .put(GeometryFormat.code(options.layout()))
                .putLong(filter.clock())
                .putLong(filter.coveredSince())
                .putLong(filter.coveredBehind())
                .putLong(Math.min(filter.overflows(), MAX_OVERFLOWS))
                .putInt(segments.size());
        for (Segment segment : segments) {
            writeParameters(segment, parameters);
        }
        return WindowedFilterSnapshot.pin(VERSION_CURRENT, parameters.flip(), segments);
    }

    private static void writeParameters(Segment segment, ByteBuffer to) {
        Geometry geometry = segment.array.geometry();
        Generations generations = segment.generations;
        GeometryFormat.write(geometry, to);
        to.putLong(segment.sliceCapacity)
                .putDouble(segment.fpp)
                .put((byte) generations.active())
                .putLong(generations.live())
                .putLong(segment.array.dirty());
        for (int plane = 0; plane < PlaneSizing.PLANES; plane++) {
            boolean live = generations.isLive(plane);
            to.putLong(live ? generations.opened(plane) : 0)
                    .putLong(live ? generations.ids(plane) : 0)
                    .putLong(live ? generations.begin(plane) : 0)
                    .putLong(live ? generations.end(plane) : 0)
                    .putLong(live ? generations.behind(plane) : 0);
        }
    }

    /**
     * @param now the caller's options, for what is not part of the format
     */
    static WindowedFilter read(
            InputStream in, String source, WindowOptions now, MemoryBudget budget)
            throws IOException {
        FilterReader reader = open(in, source);
        StoredWindow stored =
                parameters(reader, now.maxFutureMillis(), now.clockFollowsTimestamps());
        try {
            WindowedFilter filter = new WindowedFilter(stored.options(), budget, stored.clock());
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
        return new FilterReader(in, source, KIND, VERSION_3, VERSION_CURRENT);
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
        if (geometry.wordBits() != PlaneSizing.PLANES) {
            throw reader.corrupt("impossible words of " + geometry.wordBits() + " bits");
        }
        long sliceCapacity = from.getLong();
        double fpp = from.getDouble();
        int active = from.get();
        long live = from.getLong();
        long retired = from.getLong();
        if (sliceCapacity < 1
                || sliceCapacity > MAX_IDS
                || !(fpp > 0 && fpp < 1)
                || active < 0
                || active >= PlaneSizing.PLANES
                || (live >>> active & 1) == 0
                || (live & retired) != 0
                || ((live | retired) & ~ALL_PLANES) != 0) {
            throw reader.corrupt("a segment with impossible parameters");
        }
        List<StoredWindow.Plane> planes = new ArrayList<>();
        for (int plane = 0; plane < PlaneSizing.PLANES; plane++) {
            long opened = from.getLong();
            long ids = from.getLong();
            long begin = from.getLong();
            long end = from.getLong();
            long behind = from.getLong();
            if (opened < 0
                    || opened > MAX_IDS
                    || ids < 0
                    || ids > MAX_IDS
                    || (ids > 0 && (begin > end || begin == Long.MIN_VALUE))
                    || (ids == 0 && (live >>> plane & 1) != 0 && end != Long.MIN_VALUE)) {
                throw reader.corrupt("a plane with impossible ids or times");
            }
            planes.add(
                    new StoredWindow.Plane(
                            Math.min(opened, MAX_IDS / 2),
                            Math.min(ids, MAX_IDS / 2),
                            begin,
                            end,
                            behind));
        }
        return new StoredSegment(geometry, sliceCapacity, fpp, active, live, retired, planes);
    }

    private static Segment readSegment(FilterReader reader, StoredSegment stored)
            throws IOException {
        Generations generations = new Generations(PlaneSizing.PLANES);
        for (int plane = 0; plane < PlaneSizing.PLANES; plane++) {
            StoredWindow.Plane held = stored.planes.get(plane);
            generations.restore(
                    plane, held.opened(), held.ids(), held.begin(), held.end(), held.behind());
        }
        generations.activate(stored.active, stored.live);
        PlaneArray array = PlaneArray.read(stored.geometry, reader);
        if (!array.holdsOnly(stored.live | stored.retired)) {
            throw reader.corrupt("an array with ids in planes that are not in use");
        }
        if (stored.retired != 0) {
            array.retire(stored.retired);
        }
        return new Segment(array, generations, stored.sliceCapacity, stored.fpp);
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
