/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.time.Duration;
import java.util.stream.LongStream;
import org.apache.flink.annotation.Internal;

/**
 * What a store knows of the states that it holds: their classes, and how finely their times are
 * told apart. A time-to-live is cut into slices, so a machine may be idle for between the
 * time-to-live and {@code 1 + 1 / slices} times that. Immutable.
 */
@Internal
public final class StateTimes implements Serializable {

    private static final long serialVersionUID = 1L;

    /** Times in milliseconds beyond these are not real, and would overflow. */
    public static final long MAX_MILLIS = 1L << 55;

    /** {@link #sacrificed}: all classes are alike. */
    public static final int NONE = -1;

    private final StateClasses classes;
    private final int slices;
    private final int sacrificed;
    private final byte[] codes;
    private final long[] sliceMillis;

    /**
     * @param slices of a time-to-live, at least 1
     * @param sacrificed the class whose machines alone make room while they are more than half of
     *     all, or {@link #NONE}
     */
    public StateTimes(StateClasses classes, int slices, int sacrificed) {
        this.classes = requireNonNull(classes, "classes");
        if (slices < 1) {
            throw new IllegalArgumentException("slices must be at least 1, got " + slices);
        }
        if (sacrificed < NONE || sacrificed >= classes.count()) {
            throw new IllegalArgumentException("there is no class " + sacrificed);
        }
        this.slices = slices;
        this.sacrificed = sacrificed;
        codes = new byte[classes.states()];
        for (int state = 0; state < codes.length; state++) {
            codes[state] = (byte) classes.codeOf(state);
        }
        sliceMillis = new long[classes.count()];
        for (int code = 0; code < sliceMillis.length; code++) {
            sliceMillis[code] = sliceMillis(classes.timeToLive(code), slices);
        }
    }

    /** Returns the length of the slices of a time in milliseconds, at least 1. */
    public static long sliceMillis(Duration time, int slices) {
        return Math.max(1, (time.toMillis() + slices - 1) / slices);
    }

    /** Returns the classes. */
    public StateClasses classes() {
        return classes;
    }

    /** Returns how many states are held. */
    public int states() {
        return codes.length;
    }

    /** Returns the number of the class of a state. */
    public int codeOf(int state) {
        return codes[state];
    }

    /** Returns whether the machines in a state are finished. */
    public boolean isTerminal(int state) {
        return classes.isTerminal(codes[state]);
    }

    /** Returns the number of slices of a time-to-live. */
    public int slices() {
        return slices;
    }

    /** Returns the longest time-to-live in milliseconds, in whole slices. */
    public long longestMillis() {
        return LongStream.of(sliceMillis).max().orElse(0) * slices;
    }

    /** Returns the length of the shortest slice in milliseconds. */
    public long shortestSliceMillis() {
        return LongStream.of(sliceMillis).min().orElse(1);
    }

    /**
     * Returns the next watermark after {@code watermark} that may time out further machines: the
     * last millisecond of the slice that ends first.
     */
    public long nextSliceEnd(long watermark) {
        long least = Long.MAX_VALUE;
        for (long slice : sliceMillis) {
            least = Math.min(least, slice - Math.floorMod(watermark + 1, slice));
        }
        return watermark > Long.MAX_VALUE - least ? Long.MAX_VALUE : watermark + least;
    }

    /** Returns the length of the slices of a class in milliseconds, at least 1. */
    public long sliceMillis(int code) {
        return sliceMillis[code];
    }

    /**
     * Returns the class whose machines alone make room while they are more than half of all, or
     * {@link #NONE}: such a class is what a flood of new keys fills.
     */
    public int sacrificed() {
        return sacrificed;
    }
}
