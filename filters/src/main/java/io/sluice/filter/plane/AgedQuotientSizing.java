/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * From a probability to the shape of an {@link AgedQuotientTable}. Pure functions (thread-safe).
 */
final class AgedQuotientSizing {

    /**
     * Share of the lines that may have sent an id on: there a lookup asks a second line, which is a
     * cache miss without a prefetch. The same as in a {@link FingerprintTable} at its greatest
     * load.
     */
    static final double MAX_PASSED = 0.23;

    /** No higher load is searched. */
    private static final double MAX_LOAD = 0.98;

    private static final double LOAD_STEP = 0.995;
    private static final int MAX_REMEMBERED = 1 << 10;
    private static final Map<Double, Shape> SHAPES = new ConcurrentHashMap<>();

    private AgedQuotientSizing() {}

    /** A line, and how many ids it may have on average. */
    record Shape(QuotientLine line, double idsPerLine) {}

    /** The smallest table whose error is at most {@code fpp} when it holds {@code mostIds}. */
    static Geometry geometry(double fpp, double mostIds) {
        Shape shape = shape(fpp);
        return Geometry.quotient(mostIds / shape.idsPerLine, shape.line);
    }

    /**
     * The shape with the most ids per line. Cached, because the search takes tens of microseconds.
     */
    static Shape shape(double fpp) {
        if (SHAPES.size() > MAX_REMEMBERED) {
            SHAPES.clear();
        }
        return SHAPES.computeIfAbsent(fpp, AgedQuotientSizing::search);
    }

    private static Shape search(double fpp) {
        Shape best = new Shape(new QuotientLine(QuotientLine.MIN_SLOTS), 0);
        for (int slots = QuotientLine.MAX_SLOTS; slots >= QuotientLine.MIN_SLOTS; slots--) {
            QuotientLine line = new QuotientLine(slots);
            double ids = idsPerLine(line, fpp, MAX_PASSED, best.idsPerLine);
            if (ids > best.idsPerLine) {
                best = new Shape(line, ids);
            }
        }
        return best;
    }

    /**
     * The most ids per line, on average, that keep {@code fpp}; if that is fewer than {@code
     * least}, some number of at most {@code least}.
     *
     * @param mostPassed share of the lines that may have sent an id on
     */
    static double idsPerLine(QuotientLine line, double fpp, double mostPassed, double least) {
        int slots = line.slots();
        double bits = line.fingerprintBits();
        double ids = MAX_LOAD * slots;
        while (ids > least
                && (FingerprintModel.full(ids, slots) > mostPassed
                        || FingerprintModel.fpp(ids, slots, bits, Geometry.MAX_LINES) > fpp)) {
            ids *= LOAD_STEP;
        }
        return ids;
    }
}
