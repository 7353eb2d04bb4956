/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import io.sluice.message.KafkaMessage.Problem;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Finds several scalars in a structured value in one pass. Unless it is strict, the pass ends when
 * all are found: what comes after them is not read, so it may be damaged. Of several fields with
 * the same name the first with a scalar counts.
 *
 * <p>Scalars become text with one form for equal values, whatever format they are in: a letter that
 * says what they are, or {@code true} or {@code false}, and their own text. Used by one thread.
 */
abstract class Scalars {
    /** The first letter of a scalar's text if it was a string. */
    static final char STRING = 's';

    /** The first letter if it was a number; those of booleans are their own. */
    static final char NUMBER = 'n';

    /** The first letter if it was bytes, which follow in ISO 8859-1. */
    static final char BYTES = 'b';

    /** The first letter of a whole JSON value, which follows in its one form. */
    static final char DOCUMENT = 'd';

    /** Integers of up to this many characters are in their only form already. */
    static final int PLAIN_DIGITS = 18;

    /** A step of the pointers. */
    static final class Step {
        private final Map<String, Step> next = new HashMap<>();

        /** Which pointers end here. */
        private int[] targets = {};

        private Step make(String name) {
            return next.computeIfAbsent(name, unused -> new Step());
        }

        /** The step to a field or element; null if no pointer goes there. */
        @Nullable
        final Step to(String name) {
            return next.get(name);
        }
    }

    private final Step root = new Step();
    private final String[] found;
    private final EpochUnit[] units;
    private final boolean strict;
    private int missing;

    /**
     * @param strict whether a value is read to its end, so that one that is cut off has a problem
     */
    Scalars(List<List<String>> pointers, boolean strict) {
        this.strict = strict;
        found = new String[pointers.size()];
        units = new EpochUnit[found.length];
        for (int i = 0; i < found.length; i++) {
            Step step = root;
            for (String name : pointers.get(i)) {
                step = step.make(name);
            }
            int[] more = Arrays.copyOf(step.targets, step.targets.length + 1);
            more[more.length - 1] = i;
            step.targets = more;
        }
    }

    /**
     * Looks for all scalars in {@code value}; null, and nothing found, if that is null.
     *
     * @throws SchemaRegistryException if its schema cannot be fetched
     */
    @Nullable
    final Problem read(@Nullable byte[] value) throws SchemaRegistryException {
        Arrays.fill(found, null);
        missing = found.length;
        return value == null ? null : read(value, root);
    }

    /** Reads a value, as far as {@link #isComplete} is false; the problem if it cannot be read. */
    @Nullable
    abstract Problem read(byte[] value, Step root) throws SchemaRegistryException;

    /** The scalar of a pointer; null if it was missing, null, or not a scalar. */
    @Nullable
    final String get(int pointer) {
        return found[pointer];
    }

    /**
     * What the scalar of a pointer counts if it is a time; null if its schema does not say that.
     */
    @Nullable
    final EpochUnit unit(int pointer) {
        return units[pointer];
    }

    /** Whether the rest of a value does not matter. */
    final boolean isComplete() {
        return missing == 0 && !strict;
    }

    final boolean isStrict() {
        return strict;
    }

    /** Whether a pointer ends at {@code step}. */
    static boolean isTarget(@Nullable Step step) {
        return step != null && step.targets.length > 0;
    }

    /** Notes the scalar at {@code step}; null if there is none. */
    final void found(Step step, @Nullable String text) {
        found(step, text, null);
    }

    /** As {@link #found(Step, String)}, with what it counts if it is a time. */
    final void found(Step step, @Nullable String text, @Nullable EpochUnit unit) {
        for (int target : step.targets) {
            if (found[target] == null && text != null) {
                found[target] = text;
                units[target] = unit;
                missing--;
            }
        }
    }

    /**
     * The one text of a number.
     *
     * @throws ArithmeticException if its exponent is beyond all sense
     */
    static String number(BigDecimal value) {
        if (value.signum() == 0) {
            return "0";
        }
        BigDecimal stripped = value.stripTrailingZeros();
        // The digits of an integer are its form only while there are few.
        long digits = (long) stripped.precision() - stripped.scale();
        return stripped.scale() <= 0 && digits <= PLAIN_DIGITS
                ? stripped.toBigInteger().toString()
                : stripped.unscaledValue() + "e" + -(long) stripped.scale();
    }
}
