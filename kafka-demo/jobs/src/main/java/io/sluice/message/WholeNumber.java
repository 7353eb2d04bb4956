/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.math.BigDecimal;
import javax.annotation.Nullable;

/**
 * A whole number that a record has as text, by its value: 12, 12.0 and 1.2e1 are the same.
 *
 * @param value at most {@value #MAX} from 0; 0 if there is a fault
 * @param fault why the text is not such a number; null if it is
 */
record WholeNumber(long value, @Nullable Fault fault) {
    /**
     * Programs that hold numbers as doubles, as all in JavaScript, round what is larger; and it
     * takes a thousand of them until a sum no longer fits into a long.
     */
    static final long MAX = 1L << 53;

    /** As many digits as {@link #MAX} has, and one more. */
    private static final int DIGITS = 17;

    /** No writer needs so many characters for such a number. */
    private static final int MAX_TEXT = 400;

    private static final WholeNumber ZERO = new WholeNumber(0, null);

    /** Why a text is not a whole number. */
    enum Fault {
        /** It is not a number. */
        NO_NUMBER,
        /** It has a fractional part. */
        FRACTIONAL,
        /** It is further from 0 than {@link #MAX}. */
        TOO_LARGE
    }

    /** Reads a text. */
    static WholeNumber of(String text) {
        String number = text.strip();
        if (number.length() > MAX_TEXT) {
            return faulty(Fault.NO_NUMBER);
        }
        BigDecimal exact;
        try {
            exact = new BigDecimal(number);
        } catch (NumberFormatException e) {
            return faulty(Fault.NO_NUMBER);
        }
        if (exact.signum() == 0) {
            return ZERO;
        }
        // An exponent may claim digits that no memory holds.
        long digits = (long) exact.precision() - exact.scale();
        if (digits > DIGITS) {
            return faulty(Fault.TOO_LARGE);
        }
        if (digits <= 0 || exact.stripTrailingZeros().scale() > 0) {
            return faulty(Fault.FRACTIONAL);
        }
        long whole = exact.longValueExact();
        return Math.abs(whole) > MAX ? faulty(Fault.TOO_LARGE) : new WholeNumber(whole, null);
    }

    private static WholeNumber faulty(Fault fault) {
        return new WholeNumber(0, fault);
    }
}
