/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.annotation.Internal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * From the ids of a table and a probability to its shape. All planes share the room and the
 * probability. Pure functions (thread-safe).
 *
 * <p>Internal: public for the filters that are made of planes.
 */
@Internal
public final class PlaneSizing {

    /** Planes of a table: there are enough for twice the window. */
    public static final int TABLE_PLANES = 16;

    private static final int MAX_LANES = 7;

    /** Beyond this, many lookups ask a second line. */
    private static final double MAX_LOAD = 0.85;

    private static final double LOAD_STEP = 0.98;

    /** Beyond this, a table refuses ids, and lookups ask several lines. */
    private static final double FULL_LOAD = 0.95;

    private static final int MAX_LINES = Geometry.MAX_LINES;
    private static final int LINE_BYTES = Geometry.LINE_WORDS * Long.BYTES;

    /** Enough to make rounding to a line negligible. */
    private static final int SAMPLE_IDS = 1 << 20;

    private static final int MAX_REMEMBERED = 1 << 10;
    private static final Map<Double, Table> TABLES = new ConcurrentHashMap<>();

    private PlaneSizing() {}

    /** The table layout that takes less memory for this probability. */
    public static Layout smallerTable(double fpp) {
        long quotients = geometry(Layout.QUOTIENT, fpp, SAMPLE_IDS).bytes();
        long fingerprints = geometry(Layout.FINGERPRINTS, fpp, SAMPLE_IDS).bytes();
        return quotients < fingerprints ? Layout.QUOTIENT : Layout.FINGERPRINTS;
    }

    /** The smallest table with this probability when it holds {@code ids}, at least 1. */
    public static Geometry geometry(Layout layout, double fpp, long ids) {
        return switch (layout) {
            case FINGERPRINTS -> fingerprints(fpp, ids);
            case QUOTIENT -> AgedQuotientSizing.geometry(fpp, (double) ids);
        };
    }

    /**
     * Bytes of the array that {@link #geometry} gives, without rounding to a line, even if no array
     * can be that large.
     */
    public static double bytes(Layout layout, double fpp, double ids) {
        double bytesPerId =
                switch (layout) {
                    case FINGERPRINTS -> LINE_BYTES / table(fpp).idsPerLine;
                    case QUOTIENT -> LINE_BYTES / AgedQuotientSizing.shape(fpp).idsPerLine();
                };
        return Math.max(LINE_BYTES, Math.ceil(bytesPerId * ids));
    }

    /** Ids of the largest array of at most {@code bytes}, without rounding. */
    public static double ids(Layout layout, double fpp, long bytes) {
        return bytes / bytes(layout, fpp, SAMPLE_IDS) * SAMPLE_IDS;
    }

    /** The most ids for which there is an array. */
    public static long maxIds(Layout layout, double fpp) {
        // A position is a byte.
        return (long)
                (0.999 * Geometry.MAX_TABLE_BYTES / bytes(layout, fpp, SAMPLE_IDS) * SAMPLE_IDS);
    }

    /**
     * The multiple of its planned ids that an array may hold when its probability may rise from
     * {@code fpp} to {@code maxFpp}; at least 1.
     */
    public static double stretch(Geometry geometry, double fpp, double maxFpp) {
        return switch (geometry.layout()) {
            case QUOTIENT -> {
                QuotientLine line = new QuotientLine(geometry.perLine());
                double ids = AgedQuotientSizing.shape(fpp).idsPerLine();
                double full = FULL_LOAD * line.slots();
                yield Math.max(
                        1,
                        Math.min(full, AgedQuotientSizing.idsPerLine(line, maxFpp, 1, ids)) / ids);
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

    /** The smallest table whose error is at most {@code fpp} with these ids. */
    private static Geometry fingerprints(double fpp, long ids) {
        Table table = table(fpp);
        return Geometry.fingerprints((double) ids / table.idsPerLine, table.fingerprintBits);
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
}
