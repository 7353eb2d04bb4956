/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import io.sluice.filter.plane.FalsePositiveModel;
import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.PlaneArray;
import io.sluice.filter.plane.PlaneSizing;
import java.util.Arrays;

/** One array of a {@link WindowedFilter} with what its planes hold. */
final class Segment {

    /** A retired plane is empty again after this share of a slice's ids was inserted. */
    private static final int SWEEP_SHARE = 8;

    final PlaneArray array;
    final Generations generations;

    /** Ids that a slice is sized for. */
    final long sliceCapacity;

    /** The probability that the array was sized for. */
    final double fpp;

    private final int sweepWords;

    /** Probability of a false positive in each plane that is complete; NaN: not measured yet. */
    private final double[] completeFpp = new double[PlaneSizing.PLANES];

    Segment(PlaneArray array, Generations generations, long sliceCapacity, double fpp) {
        this.array = array;
        this.generations = generations;
        this.sliceCapacity = sliceCapacity;
        this.fpp = fpp;
        long share = Math.max(1, sliceCapacity / SWEEP_SHARE);
        Arrays.fill(completeFpp, Double.NaN);
        this.sweepWords = (int) Math.min(1 << 14, array.geometry().words() / share + 8);
    }

    /** An empty one. */
    static Segment create(Geometry geometry, long sliceCapacity, double fpp) {
        return new Segment(
                PlaneArray.create(geometry),
                new Generations(PlaneSizing.PLANES),
                sliceCapacity,
                fpp);
    }

    /**
     * Probability that a new id is reported as seen, measured in a sample of at most {@code
     * maxLines} cache lines. Where planes have bits of their own, those that get no more ids are
     * measured only once.
     *
     * @param filling whether the active plane still gets ids
     */
    double predictedFpp(int maxLines, boolean filling) {
        if (array.planesShareRoom()) {
            return array.measuredFpp(generations.live(), maxLines);
        }
        double[] planes = new double[PlaneSizing.PLANES];
        for (int plane = 0; plane < planes.length; plane++) {
            if (!generations.isLive(plane) || generations.ids(plane) == 0) {
                completeFpp[plane] = Double.NaN;
            } else if (filling && plane == generations.active()) {
                planes[plane] = array.measuredFpp(1L << plane, maxLines);
                completeFpp[plane] = Double.NaN;
            } else {
                if (Double.isNaN(completeFpp[plane])) {
                    completeFpp[plane] = array.measuredFpp(1L << plane, maxLines);
                }
                planes[plane] = completeFpp[plane];
            }
        }
        return FalsePositiveModel.any(planes);
    }

    /** Opens {@code plane}, which is free, as the active one. */
    void open(int plane) {
        completeFpp[plane] = Double.NaN;
        generations.open(plane);
    }

    /**
     * For an array whose slices may expire in another order than they were opened in: opens another
     * one if the active slice has no timestamp at or above {@code horizon}, so that it can go.
     */
    void leaveIfExpired(long horizon) {
        if (generations.activeIds() == 0 || generations.end(generations.active()) >= horizon) {
            return;
        }
        if (free() == 0) {
            array.finishSweep();
        }
        long free = free();
        if (free != 0) {
            open(Long.numberOfTrailingZeros(free));
        }
    }

    /** Empties everything at once: O(size). */
    void clear() {
        Arrays.fill(completeFpp, Double.NaN);
        array.clear();
        generations.reset(0);
    }

    boolean holds(long hash) {
        return array.holds(hash, generations.live());
    }

    /**
     * Records an id in the active plane. Returns false, and changes nothing, if the array has no
     * room.
     */
    boolean insert(long hash, long timestamp, long clock) {
        if (!array.set(hash, 1L << generations.active())) {
            return false;
        }
        generations.record(timestamp, clock);
        sweep();
        return true;
    }

    /** Makes the active plane, which has an id with this timestamp too, last as long as that. */
    void extend(long timestamp, long clock) {
        generations.extend(timestamp, clock);
        sweep();
    }

    private void sweep() {
        if (array.dirty() != 0) {
            array.sweep(sweepWords);
        }
    }

    /** Planes that can be opened: empty, and not in use. */
    long free() {
        return ~(generations.live() | array.dirty()) & (1L << PlaneSizing.PLANES) - 1;
    }

    /** Begins to empty {@code planes}. */
    void retire(long planes) {
        generations.drop(planes);
        array.retire(planes);
    }

    /** Ids of a window that the segment is sized for. */
    double windowCapacity() {
        return sliceCapacity * WindowSizing.SLICES_PER_WINDOW;
    }

    /** Most ids of a slice when the probability may rise from {@code fpp} to {@code maxFpp}. */
    double mostSliceIds(double maxFpp) {
        return sliceCapacity * PlaneSizing.stretch(array.geometry(), fpp, maxFpp);
    }

    /** Bytes that are reserved for it in the budget. */
    long bytes() {
        return bytes(array.geometry());
    }

    /** Bytes of a segment with this geometry. */
    static long bytes(Geometry geometry) {
        return geometry.bytes() + OVERHEAD_BYTES;
    }

    /** Padding, headers and the times of the planes. */
    static final long OVERHEAD_BYTES = 640;
}
