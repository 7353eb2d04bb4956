/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.annotation.Internal;
import java.util.Arrays;

/**
 * The error of a table by the number of ids in its planes alone, for those who have not read its
 * words. Pure functions.
 *
 * <p>Internal: public for the filters that are made of planes.
 */
@Internal
public final class ExpectedError {

    private ExpectedError() {}

    /**
     * Probability that an absent id is reported. The formulas are those that arrays are sized by;
     * {@link PlaneArray#measuredFpp} counts instead.
     *
     * @param idsOfPlanes ids in each plane, each counted once
     */
    public static double fpp(Geometry geometry, double... idsOfPlanes) {
        return switch (geometry.layout()) {
            case FINGERPRINTS -> {
                int bits = geometry.perLine();
                yield ofTable(
                        geometry,
                        FingerprintTable.lanesPerWord(bits) * Geometry.LINE_WORDS,
                        bits,
                        idsOfPlanes);
            }
            case QUOTIENT -> {
                QuotientLine line = new QuotientLine(geometry.perLine());
                yield ofTable(geometry, line.slots(), line.fingerprintBits(), idsOfPlanes);
            }
        };
    }

    /** A table is a whole: in which plane an id is does not matter. */
    private static double ofTable(Geometry geometry, int slots, double bits, double[] ids) {
        double lines = (double) geometry.words() / Geometry.LINE_WORDS;
        double perLine = Math.min(slots, Arrays.stream(ids).sum() / lines);
        return FingerprintModel.fpp(perLine, slots, bits, geometry.lines());
    }
}
