/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamReadException;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Finds several scalars in a JSON text in one pass that ends when all are found: what comes after
 * them is not read, so it may be damaged. Of several fields with the same name the first with a
 * scalar counts.
 *
 * <p>Scalars become text with one form for equal values: {@code "7"} and {@code 7} differ, {@code
 * 7}, {@code 7.0} and {@code 70e-1} do not. Used by one thread.
 */
final class JsonScalars {
    /**
     * The first byte of a value that a schema registry's serializer wrote; 4 bytes of id follow.
     */
    private static final byte REGISTRY_MAGIC = 0;

    private static final int REGISTRY_BYTES = 5;

    /** The first letter of a scalar's text if it was a string. */
    static final char STRING = 's';

    /** The first letter if it was a number; those of booleans are their own. */
    static final char NUMBER = 'n';

    /** Integers of up to this many characters are in their only form already. */
    private static final int PLAIN_DIGITS = 18;

    /** Names of fields come from strangers: none is kept for good, and no choice of them fails. */
    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
                    .build();

    /** A step of the pointers. */
    private static final class Step {
        private final Map<String, Step> next = new HashMap<>();

        /** Which pointers end here. */
        private int[] targets = {};

        Step then(String name) {
            return next.computeIfAbsent(name, unused -> new Step());
        }
    }

    private final Step root = new Step();
    private final int count;
    private final String[] found;
    private int missing;

    JsonScalars(List<List<String>> pointers) {
        count = pointers.size();
        found = new String[count];
        for (int i = 0; i < count; i++) {
            Step step = root;
            for (String name : pointers.get(i)) {
                step = step.then(name);
            }
            int[] more = Arrays.copyOf(step.targets, step.targets.length + 1);
            more[more.length - 1] = i;
            step.targets = more;
        }
    }

    /**
     * Looks for all scalars in {@code json}, which is UTF-8, perhaps after the 5 bytes of a schema
     * registry.
     *
     * @return false if it is not JSON as far as it was read, or nested too deeply
     */
    boolean read(@Nullable byte[] json) {
        Arrays.fill(found, null);
        missing = count;
        if (json == null) {
            return true;
        }
        int begin = json.length > REGISTRY_BYTES && json[0] == REGISTRY_MAGIC ? REGISTRY_BYTES : 0;
        try (JsonParser parser = FACTORY.createParser(json, begin, json.length - begin)) {
            if (parser.nextToken() == null) {
                return false;
            }
            take(parser, root);
            return true;
        } catch (IOException e) {
            // The bytes are in memory, so only their form can be wrong.
            return false;
        }
    }

    /** The scalar of a pointer; null if it was missing, null, an object or an array. */
    @Nullable
    String get(int pointer) {
        return found[pointer];
    }

    private void take(JsonParser parser, Step step) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            while (missing > 0 && parser.nextToken() == JsonToken.FIELD_NAME) {
                Step next = step.next.get(parser.currentName());
                parser.nextToken();
                enter(parser, next);
            }
        } else if (token == JsonToken.START_ARRAY) {
            for (int i = 0; missing > 0 && parser.nextToken() != JsonToken.END_ARRAY; i++) {
                enter(parser, step.next.get(Integer.toString(i)));
            }
        } else {
            found(parser, token, step);
        }
    }

    private void enter(JsonParser parser, @Nullable Step step) throws IOException {
        if (step == null) {
            parser.skipChildren();
        } else {
            take(parser, step);
        }
    }

    private void found(JsonParser parser, JsonToken token, Step step) throws IOException {
        if (step.targets.length == 0) {
            return;
        }
        String text = text(parser, token);
        for (int target : step.targets) {
            if (found[target] == null && text != null) {
                found[target] = text;
                missing--;
            }
        }
    }

    @Nullable
    private static String text(JsonParser parser, JsonToken token) throws IOException {
        return switch (token) {
            case VALUE_STRING -> STRING + parser.getText();
            case VALUE_TRUE -> "true";
            case VALUE_FALSE -> "false";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> NUMBER + number(parser, token);
            default -> null;
        };
    }

    private static String number(JsonParser parser, JsonToken token) throws IOException {
        String text = parser.getText();
        if (token == JsonToken.VALUE_NUMBER_INT && text.length() <= PLAIN_DIGITS) {
            return text.equals("-0") ? "0" : text;
        }
        try {
            BigDecimal value = parser.getDecimalValue();
            if (value.signum() == 0) {
                return "0";
            }
            BigDecimal stripped = value.stripTrailingZeros();
            // The digits of an integer are its form only while there are few.
            long digits = (long) stripped.precision() - stripped.scale();
            return stripped.scale() <= 0 && digits <= PLAIN_DIGITS
                    ? stripped.toBigInteger().toString()
                    : stripped.unscaledValue() + "e" + -(long) stripped.scale();
        } catch (ArithmeticException | NumberFormatException | StreamReadException e) {
            // An exponent beyond all sense: equal only to the same text.
            return text;
        }
    }
}
