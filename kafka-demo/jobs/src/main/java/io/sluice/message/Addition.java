/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.message.KafkaMessage.Problem;
import java.math.BigDecimal;
import javax.annotation.Nullable;

/**
 * What a record adds to which counter.
 *
 * @param counter the bytes of the counter's name, each as a character of ISO 8859-1, so that equal
 *     names are equal bytes whatever they are
 * @param delta at most {@value #MAX_DELTA} from 0
 */
public record Addition(String counter, long delta) {
    /**
     * Programs that hold numbers as doubles, as all in JavaScript, round what is larger; and it
     * takes a thousand of them until a sum no longer fits into a long.
     */
    static final long MAX_DELTA = 1L << 53;

    /** Names are keys of a topic and of Flink's state, and no place for whole documents. */
    static final int MAX_COUNTER = 1_000;

    /** As many digits as {@link #MAX_DELTA} has, and one more. */
    private static final int DIGITS = 17;

    /** A number that says as much in so many characters has a form for nobody. */
    private static final int MAX_TEXT = 400;

    /** Returns the bytes of the counter's name. */
    public byte[] name() {
        return counter.getBytes(ISO_8859_1);
    }

    /**
     * Returns the message with what it adds, or with the problem that keeps it from being counted.
     *
     * @param counter bytes of the name, as in an addition
     * @param delta text of a number; null for 1
     */
    static KafkaMessage to(KafkaMessage message, String counter, @Nullable String delta) {
        if (counter.length() > MAX_COUNTER) {
            return message.with(Problem.LONG_COUNTER);
        }
        if (delta == null) {
            return message.with(new Addition(counter, 1));
        }
        String number = delta.strip();
        if (number.length() > MAX_TEXT) {
            return message.with(Problem.NO_DELTA);
        }
        BigDecimal exact;
        try {
            exact = new BigDecimal(number);
        } catch (NumberFormatException e) {
            return message.with(Problem.NO_DELTA);
        }
        if (exact.signum() == 0) {
            return message.with(new Addition(counter, 0));
        }
        // An exponent may claim digits that no memory holds.
        long digits = (long) exact.precision() - exact.scale();
        if (digits > DIGITS) {
            return message.with(Problem.LARGE_DELTA);
        }
        if (digits <= 0 || exact.stripTrailingZeros().scale() > 0) {
            return message.with(Problem.FRACTIONAL_DELTA);
        }
        long whole = exact.longValueExact();
        return Math.abs(whole) > MAX_DELTA
                ? message.with(Problem.LARGE_DELTA)
                : message.with(new Addition(counter, whole));
    }
}
