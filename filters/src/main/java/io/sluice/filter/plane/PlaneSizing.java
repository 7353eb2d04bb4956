/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.FilterSizing;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * From the ids of a slice and a probability to the shape of an array. Pure functions (thread-safe).
 *
 * <p>An array has {@value #PLANES} planes in words of 8 bits. Each plane may have the share
 * 1/{@value #FPP_SHARES} of the requested probability: there are eight planes, and the active one
 * may be one eighth too full until the sweep of the next ends.
 *
 * <p>Internal: public for the filters that are made of planes.
 */
public final class PlaneSizing {

    /** Planes of an array that is sized here. */
    public static final int PLANES = 8;

    private static final double FPP_SHARES = 9;

    /** Spends a little more memory on fewer positions: each is a cache miss. */
    private static final double SCATTERED_SLACK = 1.05;

    private static final double LINES_PER_DECIMAL = 0.6;

    /** A slice may be too full by this share until the sweep of the next ends. */
    private static final double OVERFULL = 0.125;

    private static final int MAX_LANES = 9;

    /** Beyond this, many lookups ask a second line. */
    private static final double MAX_LOAD = 0.85;

    private static final double LOAD_STEP = 0.98;

    /** Beyond this, a table refuses ids, and lookups ask several lines. */
    private static final double FULL_LOAD = 0.95;

    private static final int MAX_LINES = Geometry.MAX_LINES;
    private static final int LINE_BYTES = Geometry.LINE_WORDS * Long.BYTES;

    /** Greatest share of the probability for which there still is something to decide. */
    private static final double MAX_SHARE = 0.1;

    /** Enough to make rounding to a line negligible. */
    private static final int SAMPLE_IDS = 1 << 20;

    private static final int MAX_REMEMBERED = 1 << 10;
    private static final Map<Shape, Double> BITS_PER_ID = new ConcurrentHashMap<>();
    private static final Map<Double, Table> TABLES = new ConcurrentHashMap<>();

    private PlaneSizing() {}

    /** The table layout that takes less memory for this probability. */
    public static Layout smallerTable(double fpp) {
        long quotients = geometry(Layout.QUOTIENT, fpp, SAMPLE_IDS).bytes();
        long fingerprints = geometry(Layout.FINGERPRINTS, fpp, SAMPLE_IDS).bytes();
        return quotients < fingerprints ? Layout.QUOTIENT : Layout.FINGERPRINTS;
    }

    /** The smallest array with this probability, all of whose planes hold {@code sliceCapacity}. */
    public static Geometry geometry(Layout layout, double fpp, long sliceCapacity) {
        if (layout == Layout.FINGERPRINTS) {
            return fingerprints(fpp, sliceCapacity);
        }
        if (layout == Layout.QUOTIENT) {
            return AgedQuotientSizing.geometry(fpp, (PLANES + OVERFULL) * sliceCapacity);
        }
        double share = fpp / FPP_SHARES;
        if (layout == Layout.SCATTERED) {
            int probes = FilterSizing.fewestProbes(share, SCATTERED_SLACK);
            double positions = FilterSizing.bitsPerKey(share, probes) * sliceCapacity;
            return Geometry.scattered(PLANES, (long) Math.ceil(positions), probes);
        }
        int lines = lines(fpp);
        int best = 0;
        double positions = Double.MAX_VALUE;
        for (int perLine = 4; perLine <= 8; perLine *= 2) {
            double needed = sliceCapacity * blockedBitsPerId(share, lines, perLine);
            if (needed < positions) {
                best = perLine;
                positions = needed;
            }
        }
        return Geometry.blocked(PLANES, (long) Math.ceil(positions), lines, best);
    }

    /**
     * Bytes of the array that {@link #geometry} gives, without rounding to a line, even if no array
     * can be that large.
     */
    public static double bytes(Layout layout, double fpp, double sliceCapacity) {
        double bytesPerId =
                switch (layout) {
                    case FINGERPRINTS -> LINE_BYTES * (PLANES + OVERFULL) / table(fpp).idsPerLine;
                    case QUOTIENT ->
                            LINE_BYTES
                                    * (PLANES + OVERFULL)
                                    / AgedQuotientSizing.shape(fpp).idsPerLine();
                    case SCATTERED, BLOCKED -> {
                        Geometry sample = geometry(layout, fpp, SAMPLE_IDS);
                        yield (double) sample.bytes() / SAMPLE_IDS;
                    }
                };
        return Math.max(LINE_BYTES, Math.ceil(bytesPerId * sliceCapacity));
    }

    /** Ids per slice of the largest array of at most {@code bytes}, without rounding. */
    public static double idsPerSlice(Layout layout, double fpp, long bytes) {
        return bytes / bytes(layout, fpp, SAMPLE_IDS) * SAMPLE_IDS;
    }

    /** The largest slice for which there is an array. */
    public static long maxSliceCapacity(Layout layout, double fpp) {
        // A position is a byte in all layouts, because there are eight planes.
        return (long) (0.999 * layout.maxPositions() / bytes(layout, fpp, SAMPLE_IDS) * SAMPLE_IDS);
    }

    /**
     * The multiple of its planned ids that an array may hold when its probability may rise from
     * {@code fpp} to {@code maxFpp}; at least 1.
     */
    public static double stretch(Geometry geometry, double fpp, double maxFpp) {
        double least = fpp / FPP_SHARES;
        double most = Math.min(MAX_SHARE, maxFpp / FPP_SHARES);
        if (most <= least) {
            return 1;
        }
        return switch (geometry.layout()) {
            case SCATTERED ->
                    FilterSizing.bitsPerKey(least, geometry.probes())
                            / FilterSizing.bitsPerKey(most, geometry.probes());
            case BLOCKED ->
                    blockedBitsPerId(least, geometry.lines(), geometry.perLine())
                            / blockedBitsPerId(most, geometry.lines(), geometry.perLine());
            case QUOTIENT -> {
                int columns = geometry.perLine();
                double ids = AgedQuotientSizing.shape(fpp).idsPerLine();
                double full = FULL_LOAD * AgedQuotientTable.slots(columns);
                yield Math.max(
                        1,
                        Math.min(full, AgedQuotientSizing.idsPerLine(columns, maxFpp, 1, ids))
                                / ids);
            }
            case FINGERPRINTS -> {
                int bits = geometry.perLine();
                int slots = FingerprintTable.lanesPerWord(bits) * Geometry.LINE_WORDS;
                double full = FULL_LOAD * slots;
                double ids = Math.min(full, table(fpp).idsPerLine);
                double to = full;
                while (to > ids && FingerprintModel.fpp(to, slots, bits, MAX_LINES) > maxFpp) {
                    to *= LOAD_STEP;
                }
                yield Math.max(1, to / ids);
            }
        };
    }

    /** The smallest table whose error is at most {@code fpp} when all planes are full. */
    private static Geometry fingerprints(double fpp, long sliceCapacity) {
        Table table = table(fpp);
        double mostIds = (PLANES + OVERFULL) * sliceCapacity;
        return Geometry.fingerprints(mostIds / table.idsPerLine, table.fingerprintBits);
    }

    private static Table table(double fpp) {
        if (TABLES.size() > MAX_REMEMBERED) {
            TABLES.clear();
        }
        return TABLES.computeIfAbsent(fpp, PlaneSizing::searchTable);
    }

    /** Bits of a fingerprint, and how many ids a line of the table may have on average. */
    private record Table(int fingerprintBits, double idsPerLine) {}

    /**
     * Words hold one to {@value #MAX_LANES} slots, with the longest fingerprint that fits. Fewer
     * and longer ones, or a lower load, give a smaller error; this finds the most ids per line that
     * give {@code fpp}.
     */
    private static Table searchTable(double fpp) {
        Table best = new Table(FingerprintTable.fingerprintBits(1), 0);
        for (int lanes = MAX_LANES; lanes >= 1; lanes--) {
            int bits = FingerprintTable.fingerprintBits(lanes);
            int slots = lanes * Geometry.LINE_WORDS;
            double ids = MAX_LOAD * slots;
            while (ids > best.idsPerLine
                    && FingerprintModel.fpp(ids, slots, bits, MAX_LINES) > fpp) {
                ids *= LOAD_STEP;
            }
            if (ids > best.idsPerLine) {
                best = new Table(bits, ids);
            }
        }
        return best;
    }

    /**
     * Cache lines per id in the blocked layout. One line per decimal of the probability would take
     * the fewest bits; about two thirds of that number cost a tenth to a fifth more memory and are
     * half as fast again. The reason is not only that there are fewer lines: when an absent id
     * passes its first line by chance in some plane, the branch that skips the others is
     * mispredicted, on a cache miss. With fewer lines each of them decides more (for 1e-3: wrong in
     * 8 % of the lookups, not 33 %).
     */
    public static int lines(double fpp) {
        double lines = Math.ceil(-LINES_PER_DECIMAL * Math.log10(fpp));
        return (int) Math.min(Geometry.MAX_LINES, Math.max(2, lines));
    }

    /** Arguments of {@link #blockedBitsPerId}. */
    private record Shape(double fpp, int lines, int perLine) {}

    /**
     * Bits per id and plane that give {@code fpp} in the blocked layout with words of 8 bits. They
     * do not depend on the number of ids. Cached, because the search takes up to a millisecond, and
     * filters that look for memory ask the same again and again.
     */
    static double blockedBitsPerId(double fpp, int lines, int perLine) {
        if (BITS_PER_ID.size() > MAX_REMEMBERED) {
            BITS_PER_ID.clear();
        }
        return BITS_PER_ID.computeIfAbsent(
                new Shape(fpp, lines, perLine), PlaneSizing::searchBitsPerId);
    }

    private static double searchBitsPerId(Shape shape) {
        int line = Geometry.LINE_WORDS * Long.SIZE / PLANES;
        double low = 1;
        double high = 1 << 20;
        // The probability falls with the bits: bisection, to less than the rounding to a line.
        while (high / low > 1 + 1e-6) {
            double middle = Math.sqrt(low * high);
            if (FalsePositiveModel.blocked(1, middle, line, shape.lines, shape.perLine)
                    > shape.fpp) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
}
