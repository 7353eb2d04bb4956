/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamReadException;
import io.sluice.message.KafkaMessage.Problem;
import java.io.IOException;
import java.util.List;
import javax.annotation.Nullable;

/**
 * {@link Scalars} in a JSON text, which is UTF-8, perhaps after the 5 bytes of a schema registry.
 */
final class JsonScalars extends Scalars {
    /**
     * The first byte of a value that a schema registry's serializer wrote; 4 bytes of id follow.
     */
    private static final byte REGISTRY_MAGIC = 0;

    private static final int REGISTRY_BYTES = 5;

    /** Names of fields come from strangers: none is kept for good, and no choice of them fails. */
    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
                    .build();

    JsonScalars(List<List<String>> pointers, boolean strict) {
        super(pointers, strict);
    }

    @Override
    @Nullable
    Problem read(byte[] json, Step root) {
        try (JsonParser parser = parser(json)) {
            if (parser.nextToken() == null) {
                return Problem.NOT_JSON;
            }
            take(parser, root);
            return isStrict() && parser.nextToken() != null ? Problem.NOT_JSON : null;
        } catch (IOException e) {
            // The bytes are in memory, so only their form can be wrong.
            return Problem.NOT_JSON;
        }
    }

    /** A parser of a text, perhaps after the 5 bytes of a schema registry. */
    static JsonParser parser(byte[] json) throws IOException {
        int begin = json.length > REGISTRY_BYTES && json[0] == REGISTRY_MAGIC ? REGISTRY_BYTES : 0;
        return FACTORY.createParser(json, begin, json.length - begin);
    }

    private void take(JsonParser parser, Step step) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            while (!isComplete() && parser.nextToken() == JsonToken.FIELD_NAME) {
                Step next = step.to(parser.currentName());
                parser.nextToken();
                enter(parser, next);
            }
        } else if (token == JsonToken.START_ARRAY) {
            for (int i = 0; !isComplete() && parser.nextToken() != JsonToken.END_ARRAY; i++) {
                enter(parser, step.to(Integer.toString(i)));
            }
        } else if (isTarget(step)) {
            found(step, text(parser, token));
        }
    }

    private void enter(JsonParser parser, @Nullable Step step) throws IOException {
        if (step == null) {
            parser.skipChildren();
        } else {
            take(parser, step);
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

    static String number(JsonParser parser, JsonToken token) throws IOException {
        String text = parser.getText();
        if (token == JsonToken.VALUE_NUMBER_INT && text.length() <= PLAIN_DIGITS) {
            return text.equals("-0") ? "0" : text;
        }
        try {
            return number(parser.getDecimalValue());
        } catch (ArithmeticException | NumberFormatException | StreamReadException e) {
            // An exponent that is too large to compare by value: equal only to the same text.
            return text;
        }
    }
}
