/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A place in a Kafka record: its key, its value, its topic, a header, a field of a value or key in
 * JSON or Avro, a JSON value without some of its fields, or the first of several places that has
 * something. Immutable; made from text by {@link #parse}.
 */
public final class Field implements Serializable {
    /** How to write each of them, for help and messages. */
    public static final String SYNTAX =
            "key, value, topic, header:NAME, json:/POINTER, key-json:/POINTER, avro:/POINTER,"
                    + " key-avro:/POINTER, json-without:/POINTER+/POINTER, or several with | in"
                    + " between, of which the first that a record has counts";

    /** Between alternatives; elsewhere it belongs to a name or a pointer. */
    private static final Pattern OR =
            Pattern.compile(
                    "\\|(?=(key|value|topic)(\\||$)"
                            + "|(header|json|key-json|avro|key-avro|json-without):)",
                    Pattern.CASE_INSENSITIVE);

    private static final long serialVersionUID = 1L;

    /** Which part of a record it is in. */
    enum Part {
        KEY,
        VALUE,
        TOPIC,
        HEADER,
        JSON,
        KEY_JSON,
        AVRO,
        KEY_AVRO,
        JSON_WITHOUT,
        FIRST_OF;

        /** Whether it is a part of its own, of bytes. */
        boolean isBytes() {
            return this == KEY || this == VALUE || this == HEADER;
        }

        /** Whether it is in a structure, at a pointer. */
        boolean isScalar() {
            return isJson() || isAvro();
        }

        boolean isJson() {
            return this == JSON || this == KEY_JSON;
        }

        boolean isAvro() {
            return this == AVRO || this == KEY_AVRO;
        }

        /** Whether it is in the record's key. */
        boolean isInKey() {
            return this == KEY || this == KEY_JSON || this == KEY_AVRO;
        }
    }

    private final Part part;
    private final String text;

    /** The header's name; otherwise empty. */
    private final String header;

    /** The steps of the pointer; otherwise empty. */
    private final ArrayList<String> pointer;

    /** Of several places, these; of a JSON value without fields, those. Otherwise empty. */
    private final ArrayList<Field> others;

    private Field(Part part, String text, String header, List<String> pointer) {
        this(part, text, header, pointer, List.of());
    }

    private Field(Part part, String text, String header, List<String> pointer, List<Field> others) {
        this.part = part;
        this.text = text;
        this.header = header;
        this.pointer = new ArrayList<>(pointer);
        this.others = new ArrayList<>(others);
    }

    /**
     * The field that {@code text} names: {@value #SYNTAX}. Pointers are those of RFC 6901: {@code
     * json:/order/id}, {@code json:/items/0}.
     *
     * @throws IllegalArgumentException if it is none of them
     */
    public static Field parse(String text) {
        String[] alternatives = OR.split(text, -1);
        if (alternatives.length == 1) {
            return parseOne(text);
        }
        List<Field> fields = Stream.of(alternatives).map(Field::parseOne).toList();
        return new Field(Part.FIRST_OF, text, "", List.of(), fields);
    }

    private static Field parseOne(String text) {
        int colon = text.indexOf(':');
        String kind = (colon < 0 ? text : text.substring(0, colon + 1)).toLowerCase(Locale.ROOT);
        String rest = text.substring(colon + 1);
        return switch (kind) {
            case "key" -> new Field(Part.KEY, text, "", List.of());
            case "value" -> new Field(Part.VALUE, text, "", List.of());
            case "topic" -> new Field(Part.TOPIC, text, "", List.of());
            case "header:" -> {
                if (rest.isEmpty()) {
                    throw new IllegalArgumentException(
                            "'" + text + "' names no header: write header:NAME");
                }
                yield new Field(Part.HEADER, text, rest, List.of());
            }
            case "json:" -> new Field(Part.JSON, text, "", steps(text, rest));
            case "key-json:" -> new Field(Part.KEY_JSON, text, "", steps(text, rest));
            case "avro:" -> new Field(Part.AVRO, text, "", avroSteps(text, rest));
            case "key-avro:" -> new Field(Part.KEY_AVRO, text, "", avroSteps(text, rest));
            case "json-without:" ->
                    new Field(
                            Part.JSON_WITHOUT,
                            text,
                            "",
                            List.of(),
                            Stream.of(rest.split("\\+(?=/)", -1))
                                    .map(each -> new Field(Part.JSON, each, "", steps(text, each)))
                                    .toList());
            default ->
                    throw new IllegalArgumentException(
                            "'" + text + "' is not a field of a record: write " + SYNTAX);
        };
    }

    /** A whole value may be a string or a number. */
    private static List<String> avroSteps(String text, String pointer) {
        return pointer.isEmpty() ? List.of() : steps(text, pointer);
    }

    private static List<String> steps(String text, String pointer) {
        if (!pointer.startsWith("/")) {
            throw new IllegalArgumentException(
                    "'"
                            + text
                            + "' has no pointer of RFC 6901: it begins with a slash, as in"
                            + " json:/order/id");
        }
        List<String> steps = new ArrayList<>();
        for (String step : pointer.substring(1).split("/", -1)) {
            if (step.matches("(?s).*~(?![01]).*")) {
                throw new IllegalArgumentException(
                        "'" + text + "' has a '~' that is not '~0' (for ~) or '~1' (for /)");
            }
            steps.add(step.replace("~1", "/").replace("~0", "~"));
        }
        return steps;
    }

    /** Whether it is in Avro, whose schema is in a registry. */
    public boolean isAvro() {
        return part.isAvro() || others.stream().anyMatch(Field::isAvro);
    }

    /** The places to look at, in this order: this one, unless it is the first of several. */
    List<Field> alternatives() {
        return part == Part.FIRST_OF ? others : List.of(this);
    }

    /** The pointers of what a JSON value is read without. */
    List<List<String>> without() {
        return others.stream().map(Field::pointer).toList();
    }

    Part part() {
        return part;
    }

    String header() {
        return header;
    }

    List<String> pointer() {
        return pointer;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Field that
                && part == that.part
                && header.equals(that.header)
                && pointer.equals(that.pointer)
                && others.equals(that.others);
    }

    @Override
    public int hashCode() {
        return Objects.hash(part, header, pointer, others);
    }

    /** As it was written. */
    @Override
    public String toString() {
        return text;
    }
}
