/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

/**
 * Bytes of exchanges that are not built here, by their published formulas. A <b>difference</b> is a
 * pair of element and multiplicity that only one side has.
 *
 * <p>All formulas favour the others: the number of differences is taken as known, whereas a real
 * protocol must estimate it or ask again, and final checks are left out.
 */
final class OtherExchanges {
    /**
     * Coded symbols per difference if there are many: Yang, Gilad, Alizadeh, <i>Practical Rateless
     * Set Reconciliation</i> (2024), section 5. For few differences up to 1.72.
     */
    private static final double RATELESS_SYMBOLS = 1.35;

    /** A symbol: sum of elements, a check of 8 bytes, and its count in about one byte (ibid.). */
    private static final double RATELESS_SYMBOL_BYTES = Exchange.ELEMENT_BYTES + Long.BYTES + 1.05;

    /** The largest field of minisketch, 64 bits, holds 56 bits of the hash and a count. */
    private static final double SKETCH_BYTES = Long.BYTES;

    private OtherExchanges() {}

    /**
     * A PinSketch (Dodis, Ostrovsky, Reyzin, Smith 2008), as minisketch implements it: b bits for
     * each of c differences. The fewest bytes of all; decoding takes O(c^2) multiplications in the
     * field.
     */
    static double sketch(double differences) {
        return SKETCH_BYTES * differences;
    }

    static double ratelessTable(double differences) {
        return RATELESS_SYMBOLS * RATELESS_SYMBOL_BYTES * Math.max(1, differences);
    }

    /** Both sides send everything they have. */
    static double everything(double elementsOfBoth) {
        return Exchange.ELEMENT_BYTES * elementsOfBoth;
    }
}
