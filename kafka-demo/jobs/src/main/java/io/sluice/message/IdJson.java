/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.sluice.message.Field.Part;
import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An id as other programs can read it: bytes as they were, or JSON. Reads what {@link
 * MessageReader} wrote for the same fields.
 *
 * <p>In JSON an id of one field is a string, number or boolean, and one of several is an array of
 * them. Bytes that are no UTF-8 are read as ISO 8859-1. An id that was too long to be kept is its
 * SHA-256: {@code "sha256:9f86..."}. An id of other fields, which was held when a job was restored
 * with these, is its text: nothing makes this throw.
 */
public final class IdJson implements Serializable {
    private static final long serialVersionUID = 1L;

    /** More than an id has characters. */
    private static final int MAX_LENGTH_DIGITS = 6;

    /** A number as {@link Scalars#number} writes it. */
    private static final Pattern NUMBER =
            Pattern.compile(Scalars.NUMBER + "-?(0|[1-9][0-9]*)(e-?[0-9]+)?");

    /** Most digits of an integer that is written without an exponent. */
    private static final int MAX_DIGITS = 40;

    private final Part[] parts;

    /**
     * @param idFields that ids are read from
     */
    public IdJson(List<Field> idFields) {
        parts = idFields.stream().map(Field::part).toArray(Part[]::new);
    }

    /** The bytes of an id that is key, value or header; the JSON of any other. */
    public byte[] bytes(String id) {
        boolean plain = id.charAt(0) == MessageReader.PLAIN;
        return plain && parts.length == 1 && parts[0].isBytes()
                ? id.substring(1).getBytes(ISO_8859_1)
                : json(id).getBytes(UTF_8);
    }

    /** The JSON of an id. */
    public String json(String id) {
        StringBuilder json = new StringBuilder();
        if (id.charAt(0) != MessageReader.PLAIN) {
            byte[] hash = id.substring(1).getBytes(ISO_8859_1);
            quote("sha256:" + HexFormat.of().formatHex(hash), json);
        } else if (parts.length == 1) {
            append(parts[0], id.substring(1), json);
        } else if (!appendAll(id, json)) {
            json.setLength(0);
            quote(decoded(id.substring(1)), json);
        }
        return json.toString();
    }

    /** Returns false if it is not an id of this number of fields. */
    private boolean appendAll(String id, StringBuilder json) {
        int at = 1;
        for (int i = 0; i < parts.length; i++) {
            int colon = id.indexOf(':', at);
            int end = colon + 1 + length(id, at, colon);
            if (end <= colon || end > id.length()) {
                return false;
            }
            json.append(i == 0 ? '[' : ',');
            append(parts[i], id.substring(colon + 1, end), json);
            at = end;
        }
        json.append(']');
        return at == id.length();
    }

    /** The length of a field, which is at most that of an id; negative if there is none. */
    private static int length(String id, int from, int to) {
        int length = from < to && to - from <= MAX_LENGTH_DIGITS ? 0 : Integer.MIN_VALUE;
        for (int i = from; i < to && length >= 0; i++) {
            int digit = Character.digit(id.charAt(i), 10);
            length = digit < 0 ? Integer.MIN_VALUE : 10 * length + digit;
        }
        return length;
    }

    private static void append(Part part, String text, StringBuilder json) {
        if (part == Part.TOPIC || part.isBytes()) {
            quote(part == Part.TOPIC ? text : decoded(text), json);
            return;
        }
        char kind = text.isEmpty() ? 0 : text.charAt(0);
        if (kind == Scalars.STRING) {
            quote(text.substring(1), json);
        } else if (kind == Scalars.BYTES) {
            quote(decoded(text.substring(1)), json);
        } else if (NUMBER.matcher(text).matches()) {
            json.append(plain(text.substring(1)));
        } else if (kind == Scalars.DOCUMENT) {
            json.append(text, 1, text.length());
        } else if (text.equals("true") || text.equals("false")) {
            json.append(text);
        } else {
            quote(decoded(text), json);
        }
    }

    /** An integer in digits, where these are few: most programs read an exponent as a double. */
    private static String plain(String number) {
        if (number.indexOf('e') < 0) {
            return number;
        }
        BigDecimal value = new BigDecimal(number);
        boolean isShortInteger =
                value.scale() <= 0 && (long) value.precision() - value.scale() <= MAX_DIGITS;
        return isShortInteger ? value.toBigInteger().toString() : number;
    }

    /** Characters that were bytes in UTF-8; the same text if they were not. */
    static String decoded(String bytes) {
        if (!ISO_8859_1.newEncoder().canEncode(bytes)) {
            return bytes;
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(bytes.getBytes(ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return bytes;
        }
    }

    private static void quote(String text, StringBuilder json) {
        json.append('"');
        JsonStringEncoder.getInstance().quoteAsString(text, json);
        json.append('"');
    }
}
