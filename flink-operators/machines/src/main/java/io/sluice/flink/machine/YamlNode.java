/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import org.apache.flink.shaded.jackson2.org.yaml.snakeyaml.error.MarkedYAMLException;
import org.apache.flink.shaded.jackson2.org.yaml.snakeyaml.reader.StreamReader;

/**
 * A value in a YAML document that knows its line, which Jackson's own trees do not. Exactly one of
 * the three parts is not null, or none for a value that was left out.
 *
 * <p>Aliases are refused: Jackson's parser takes one for a text, the name of its anchor.
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

    /**
     * A text that begins like an object of JSON. The parser of YAML takes neither tabs at the
     * beginning of lines nor all escapes of JSON.
     */
    private static final Pattern JSON = Pattern.compile("\\s*\\{\\s*\"");

    /** Deeper documents are no machines; protects the stack. */
    private static final int MAX_DEPTH = 16;

    /** Longer values are neither names nor times, and would fill the messages. */
    private static final int MAX_VALUE = 256;

    /**
     * Reads the only document of a text.
     *
     * @throws IllegalArgumentException if it is not YAML
     */
    static YamlNode parse(String text, String source) {
        requireAllowed(text, source);
        if (JSON.matcher(text).lookingAt()) {
            return parse(new JsonFactory(), text, source, "JSON");
        }
        return parse(new YAMLFactory(), text, source, "YAML");
    }

    private static YamlNode parse(JsonFactory language, String text, String source, String name) {
        try (JsonParser parser = language.createParser(text)) {
            if (parser.nextToken() == null) {
                throw at(source, 1, "the text is empty: write the definition of a machine.", null);
            }
            YamlNode root = read(parser, source, 0);
            if (parser.nextToken() != null) {
                throw at(source, line(parser), "a second document begins here: remove it.", null);
            }
            return root;
        } catch (JsonProcessingException e) {
            String reason = e.getOriginalMessage().replaceAll("\\s+", " ");
            throw at(source, line(e), "this is not " + name + ", correct it: " + reason, e);
        } catch (IOException e) {
            throw new IllegalArgumentException(source + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /** Jackson's location is where it was; the problem may be on a later line. */
    private static int line(JsonProcessingException e) {
        if (e.getCause() instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
            return marked.getProblemMark().getLine() + 1;
        }
        return e.getLocation() == null ? 1 : e.getLocation().getLineNr();
    }

    /** The parser refuses such characters too, but does not know their line. */
    private static void requireAllowed(String text, String source) {
        int line = 1;
        for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            int each = text.codePointAt(at);
            if (each == '\n') {
                line++;
            } else if (!StreamReader.isPrintable(each)) {
                throw at(
                        source,
                        line,
                        String.format(
                                Locale.ROOT,
                                "the character U+%04X is not allowed in YAML: remove it.",
                                each),
                        null);
            }
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
                    int its = line(parser);
                    String name = value(parser.currentName(), source, its);
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
            case VALUE_STRING, VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT, VALUE_TRUE, VALUE_FALSE -> {
                String text = value(parser.getText(), source, line);
                if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
                    throw at(
                            source,
                            line,
                            "the alias '*" + text + "' is not read: write the value itself.",
                            null);
                }
                yield new YamlNode(line, text, null, null);
            }
            default ->
                    throw at(
                            source,
                            line,
                            "a text, a list or a map is expected here: write one.",
                            null);
        };
    }

    private static String value(String text, String source, int line) {
        if (text.length() > MAX_VALUE) {
            throw at(
                    source,
                    line,
                    "a value has "
                            + text.length()
                            + " characters, but names and times have at most "
                            + MAX_VALUE
                            + ": shorten it.",
                    null);
        }
        return text;
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
