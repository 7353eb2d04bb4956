/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * The one text of a JSON value without some of its fields: fields in the order of their names,
 * numbers by value, no space. Of several fields with the same name the last counts, as for most
 * readers. Elements of arrays stay where they are; one that is left out is {@code null}.
 */
final class CanonicalJson {
    private final Set<List<String>> without;
    private final List<String> at = new ArrayList<>();

    /**
     * @param without pointers of what is left out
     */
    CanonicalJson(List<List<String>> without) {
        this.without = new HashSet<>(without);
    }

    /**
     * The text of a value; null if that is not one JSON value.
     *
     * <p>Memory and time: O(length), and the depth that the parser allows.
     */
    @Nullable
    String of(byte[] json) {
        at.clear();
        try (JsonParser parser = JsonScalars.parser(json)) {
            if (parser.nextToken() == null) {
                return null;
            }
            String text = value(parser);
            return parser.nextToken() == null ? text : null;
        } catch (IOException e) {
            // The bytes are in memory, so only their form can be wrong.
            return null;
        }
    }

    private String value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> quoted(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> JsonScalars.number(parser, token);
            default -> parser.getText();
        };
    }

    private String object(JsonParser parser) throws IOException {
        Map<String, String> fields = new TreeMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            String value = inner(name, parser);
            if (value != null) {
                fields.put(name, value);
            }
        }
        StringBuilder text = new StringBuilder("{");
        fields.forEach(
                (name, value) ->
                        text.append(text.length() == 1 ? "" : ",")
                                .append(quoted(name))
                                .append(':')
                                .append(value));
        return text.append('}').toString();
    }

    private String array(JsonParser parser) throws IOException {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
            text.append(i == 0 ? "" : ",").append(inner(Integer.toString(i), parser));
        }
        return text.append(']').toString();
    }

    /** Null if it is left out. */
    @Nullable
    private String inner(String step, JsonParser parser) throws IOException {
        at.add(step);
        String value = null;
        if (without.contains(at)) {
            parser.skipChildren();
        } else {
            value = value(parser);
        }
        at.remove(at.size() - 1);
        return value;
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        JsonStringEncoder.getInstance().quoteAsString(text, quoted);
        return quoted.append('"').toString();
    }
}
