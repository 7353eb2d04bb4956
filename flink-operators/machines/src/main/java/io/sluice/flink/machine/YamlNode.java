/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.dataformat.yaml.YAMLFactory;

/**
 * A value in a YAML document that knows its line, which Jackson's own trees do not. Exactly one of
 * the three parts is not null, or none for a value that was left out.
 *
 * @param line from 1
 * @param text of a scalar, as it was written
 * @param items of a list
 * @param entries of a map, in their order
 */
record YamlNode(
        int line,
        @Nullable String text,
        @Nullable List<YamlNode> items,
        @Nullable Map<String, YamlNode> entries) {

    /** Deeper documents are no machines; protects the stack. */
    private static final int MAX_DEPTH = 16;

    /**
     * Reads the only document of a text.
     *
     * @throws IllegalArgumentException if it is not YAML
     */
    static YamlNode parse(String text, String source) {
        try (JsonParser parser = new YAMLFactory().createParser(text)) {
            if (parser.nextToken() == null) {
                throw new IllegalArgumentException(
                        source + ": the text is empty: write the definition of a machine.");
            }
            YamlNode root = read(parser, source, 0);
            if (parser.nextToken() != null) {
                throw at(source, line(parser), "a second document begins here: remove it.", null);
            }
            return root;
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            String reason = e.getOriginalMessage().replaceAll("\\s+", " ");
            throw at(source, line, "this is not YAML, correct it: " + reason, e);
        } catch (IOException e) {
            throw new IllegalArgumentException(source + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static YamlNode read(JsonParser parser, String source, int depth) throws IOException {
        int line = line(parser);
        if (depth > MAX_DEPTH) {
            throw at(
                    source,
                    line,
                    "values are nested too deeply: a machine needs four levels.",
                    null);
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, YamlNode> entries = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    int its = line(parser);
                    parser.nextToken();
                    if (entries.put(name, read(parser, source, depth + 1)) != null) {
                        throw at(source, its, "'" + name + "' is there twice: remove one.", null);
                    }
                }
                yield new YamlNode(line, null, null, entries);
            }
            case START_ARRAY -> {
                List<YamlNode> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(read(parser, source, depth + 1));
                }
                yield new YamlNode(line, null, items, null);
            }
            case VALUE_NULL -> new YamlNode(line, null, null, null);
            case VALUE_STRING, VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT, VALUE_TRUE, VALUE_FALSE ->
                    new YamlNode(line, parser.getText(), null, null);
            default ->
                    throw at(
                            source,
                            line,
                            "a text, a list or a map is expected here: write one.",
                            null);
        };
    }

    boolean isNull() {
        return text == null && items == null && entries == null;
    }

    /** Returns the place of this value, as the beginning of a message. */
    String where(String source) {
        return place(source, line);
    }

    private static int line(JsonParser parser) {
        return parser.currentTokenLocation().getLineNr();
    }

    private static String place(String source, int line) {
        return source + ", line " + line + ": ";
    }

    private static IllegalArgumentException at(
            String source, int line, String message, @Nullable Throwable cause) {
        return new IllegalArgumentException(place(source, line) + message, cause);
    }
}
