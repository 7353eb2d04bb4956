/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.memory.Touches;
import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.PlaneArray;
import io.sluice.filter.plane.PlaneSizing;

/**
 * One array of a {@link ForgetfulFilter} with what its planes hold.
 *
 * <p>Time is divided into slices of equal length, numbered from 1970. Slice n goes to plane n
 * modulo the number of planes, in epoch n divided by it, so a lookup finds exactly the slices that
 * it asks for, however far the ids of the array are apart: where a plane holds slices of several
 * epochs, those of the others are not found (see {@link PlaneArray}), and the plane is kept for the
 * last.
 */
final class Segment {

    /** Which ids go to an array. */
    enum Role {
        /** Those of the window, and what is a little ahead of it. */
        MAIN(0),
        /** Those far ahead of the clock. */
        AHEAD(1),
        /** Those that were out of the window when they came. */
        LATE(2);

        /** The number that stands for this role in snapshots. */
        final int code;

        Role(int code) {
            this.code = code;
        }
    }

    /** A retired plane is empty again after this share of an array's ids was inserted. */
    private static final int SWEEP_SHARE = 64;

    /** As {@link #maxEpochs}, if each errs so seldom that more could be asked for. */
    private static final int MAX_EPOCHS = 1 << 12;

    /** Epochs that the window of the array's own slices may touch. */
    static final int EPOCHS_OF_WINDOW = 2;

    final PlaneArray array;
    final Generations generations;

    /** Ids that the array is made for. */
    final long capacity;

    /** The probability that the array was sized for. */
    final double fpp;

    final Role role;

    /** The ms of a slice. */
    final long slice;

    /**
     * Most epochs that a lookup asks for, the nearest ones. More than two are in reach only where
     * the window was made longer while the clock trailed by several of the shorter ones; each may
     * err.
     */
    private int maxEpochs = EPOCHS_OF_WINDOW;

    private boolean isLimited;

    private final int sweepWords;
    private final int planeMask;
    private final int epochShift;

    /** The least and the greatest slice that is held; the least is greater if none is. */
    private long first = Long.MAX_VALUE;

    private long last = Long.MIN_VALUE;

    Segment(
            PlaneArray array,
            Generations generations,
            long capacity,
            double fpp,
            Role role,
            long slice) {
        this.array = array;
        this.generations = generations;
        this.capacity = capacity;
        this.fpp = fpp;
        this.role = role;
        this.slice = slice;
        long share = Math.max(1, capacity / SWEEP_SHARE);
        this.sweepWords = (int) Math.min(1 << 14, array.geometry().words() / share + 8);
        this.planeMask = array.geometry().planes() - 1;
        this.epochShift = Integer.bitCount(planeMask);
        measureReach();
    }

    /** An empty one. */
    static Segment create(Geometry geometry, long capacity, double fpp, Role role, long slice) {
        Generations generations = new Generations(geometry.planes());
        return new Segment(PlaneArray.create(geometry), generations, capacity, fpp, role, slice);
    }

    private void measureReach() {
        first = Long.MAX_VALUE;
        last = Long.MIN_VALUE;
        if (generations.idsHeld() > 0) {
            first = SaturatedTime.slice(generations.oldestBegin(), slice);
            last = SaturatedTime.slice(generations.newestEnd(), slice);
        }
    }

    /** Whether {@code hash} was recorded with a timestamp in reach, or seems to have been. */
    boolean holds(long hash, NearbySlices reach) {
        boolean same = reach.slice == slice;
        long from = same ? reach.first() : SaturatedTime.slice(reach.from(), slice);
        long to = same ? reach.last() : SaturatedTime.slice(reach.to(), slice);
        // Of the slices at both ends only a part is in reach; where few ids come, none of theirs.
        if (generations.end(plane(from)) < reach.from()) {
            from++;
        }
        if (generations.begin(plane(to)) > reach.to()) {
            to--;
        }
        return holds(
                hash, from, to, same ? reach.number() : SaturatedTime.slice(reach.time(), slice));
    }

    private boolean holds(long hash, long from, long to, long middle) {
        long low = Math.max(from, first);
        long high = Math.min(to, last);
        if (low > high) {
            return false;
        }
        long lowEpoch = low >> epochShift;
        long highEpoch = high >> epochShift;
        if (highEpoch - lowEpoch >= maxEpochs) {
            lowEpoch = Math.max(lowEpoch, (middle >> epochShift) - (maxEpochs - 1) / 2);
            highEpoch = Math.min(highEpoch, lowEpoch + maxEpochs - 1);
        }
        for (long epoch = highEpoch; epoch >= lowEpoch; epoch--) {
            long planes = planes(epoch, low, high);
            if (planes != 0 && array.holds(hash, epoch, planes)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Sets how many epochs a lookup may ask for.
     *
     * @param epochs as many as may err together
     * @param window within which a lookup looks, before and after its timestamp
     */
    void limitEpochs(double epochs, long window) {
        maxEpochs = (int) Math.min(MAX_EPOCHS, Math.max(EPOCHS_OF_WINDOW, epochs));
        // Both ends may lie within an epoch.
        double inReach = 2.0 * window / slice / (planeMask + 1) + 2;
        isLimited = slice < WindowSizing.sliceMillis(window) && inReach > maxEpochs;
    }

    /** Whether lookups ask for fewer epochs than are in reach, so that not all ids are found. */
    boolean isAskedInPart() {
        return isLimited
                && first <= last
                && (last >> epochShift) - (first >> epochShift) >= maxEpochs;
    }

    /** The live planes of the slices from {@code low} to {@code high} that are in an epoch. */
    private long planes(long epoch, long low, long high) {
        long planes = generations.live();
        if (low >> epochShift == epoch) {
            planes &= -1L << (low & planeMask);
        }
        if (high >> epochShift == epoch) {
            planes &= -1L >>> (Long.SIZE - 1 - (high & planeMask));
        }
        return planes;
    }

    /**
     * Whether {@code hash} was recorded in the slice of {@code timestamp}, or seems to have been.
     */
    boolean holdsInSlice(long hash, long timestamp) {
        long number = SaturatedTime.slice(timestamp, slice);
        return holds(hash, number, number, number);
    }

    /** Notes the memory that a lookup or insertion will need. */
    void touch(long hash, Touches into) {
        array.touch(hash, into);
    }

    /** The plane of slice {@code number}. */
    int plane(long number) {
        return (int) (number & planeMask);
    }

    /**
     * Records an id, and its companion in the same plane: as long as a lookup finds the one, it
     * finds the other. Returns false if the array has no room; then the id is not recorded, but the
     * companion may be.
     *
     * @param companion another hash, or {@code hash} if there is none
     * @param number the slice of {@code timestamp}
     * @param kept the time that has to leave the window before the id may be forgotten
     */
    boolean insert(long hash, long companion, long number, long timestamp, long kept) {
        // In this order: a companion alone says nothing.
        return (companion == hash
                        || holds(companion, number, number, number)
                        || put(companion, number, timestamp, kept))
                && put(hash, number, timestamp, kept);
    }

    private boolean put(long hash, long number, long timestamp, long kept) {
        int plane = plane(number);
        if (!generations.isLive(plane)) {
            if ((array.dirty() >>> plane & 1) != 0) {
                array.finishSweep();
            }
            generations.open(plane);
        }
        if (!array.set(hash, number >> epochShift, 1L << plane)) {
            generations.dropIfEmpty(plane);
            return false;
        }
        generations.record(plane, timestamp, kept);
        first = Math.min(first, number);
        last = Math.max(last, number);
        sweep();
        return true;
    }

    /** Makes the slice of an id that is held last as long as {@code timestamp}. */
    void extend(long timestamp, long kept) {
        generations.extend(plane(SaturatedTime.slice(timestamp, slice)), timestamp, kept);
        sweep();
    }

    private void sweep() {
        if (array.dirty() != 0) {
            array.sweep(sweepWords);
        }
    }

    /**
     * Probability that a new id is reported as seen, measured in a sample of at most {@code
     * maxLines} cache lines.
     *
     * @param reach what is in reach of the id's timestamp
     */
    double predictedFpp(int maxLines, NearbySlices reach) {
        boolean same = reach.slice == slice;
        long low = Math.max(same ? reach.first() : SaturatedTime.slice(reach.from(), slice), first);
        long high = Math.min(same ? reach.last() : SaturatedTime.slice(reach.to(), slice), last);
        double none = 1;
        long lowEpoch = Math.max(low >> epochShift, (high >> epochShift) - maxEpochs + 1);
        for (long epoch = lowEpoch; low <= high && epoch <= high >> epochShift; epoch++) {
            none *= 1 - array.measuredFpp(planes(epoch, low, high), maxLines);
        }
        return 1 - none;
    }

    /** Empties everything at once: O(size). */
    void clear() {
        array.clear();
        generations.reset();
        measureReach();
    }

    /** Begins to empty {@code planes}. */
    void retire(long planes) {
        generations.drop(planes);
        array.retire(planes);
        measureReach();
    }

    /** Ids of a window that the segment is sized for. */
    double windowCapacity() {
        return capacity / WindowSizing.SPARE;
    }

    /** The most ids when the probability may rise from {@code fpp} to {@code maxFpp}. */
    double mostIds(double maxFpp) {
        return capacity * PlaneSizing.stretch(array.geometry(), fpp, maxFpp);
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
    static final long OVERHEAD_BYTES = 1_000;
}
