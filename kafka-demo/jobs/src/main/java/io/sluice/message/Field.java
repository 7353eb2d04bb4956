/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A place in a Kafka record: its key, its value, its topic, a header, or a field of a value or key
 * in JSON or Avro. Immutable; made from text by {@link #parse}.
 */
public final class Field implements Serializable {
    /** How to write each of them, for help and messages. */
    public static final String SYNTAX =
            "key, value, topic, header:NAME, json:/POINTER, key-json:/POINTER, avro:/POINTER or"
                    + " key-avro:/POINTER";

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
        KEY_AVRO;

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

    private Field(Part part, String text, String header, List<String> pointer) {
        this.part = part;
        this.text = text;
        this.header = header;
        this.pointer = new ArrayList<>(pointer);
    }

    /**
     * The field that {@code text} names: {@value #SYNTAX}. Pointers are those of RFC 6901: {@code
     * json:/order/id}, {@code json:/items/0}.
     *
     * @throws IllegalArgumentException if it is none of them
     */
    public static Field parse(String text) {
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
        return part.isAvro();
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
                && pointer.equals(that.pointer);
    }

    @Override
    public int hashCode() {
        return Objects.hash(part, header, pointer);
    }

    /** As it was written. */
    @Override
    public String toString() {
        return text;
    }
}
