/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.sluice.message.Field.Part;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import java.util.List;

/**
 * An id as other programs can read it: bytes as they were, or JSON. Reads what {@link
 * MessageReader} wrote for the same fields.
 *
 * <p>In JSON an id of one field is a string, number or boolean, and one of several is an array of
 * them. Bytes that are no UTF-8 are read as ISO 8859-1. An id that was too long to be kept is its
 * SHA-256: {@code "sha256:9f86..."}.
 */
public final class IdJson implements Serializable {
    private static final long serialVersionUID = 1L;

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
        return plain && parts.length == 1 && !parts[0].isScalar() && parts[0] != Part.TOPIC
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
        } else {
            appendAll(id, json);
        }
        return json.toString();
    }

    private void appendAll(String id, StringBuilder json) {
        int at = 1;
        for (int i = 0; i < parts.length; i++) {
            int colon = id.indexOf(':', at);
            int end = colon + 1 + Integer.parseInt(id.substring(at, colon));
            json.append(i == 0 ? '[' : ',');
            append(parts[i], id.substring(colon + 1, end), json);
            at = end;
        }
        json.append(']');
    }

    private static void append(Part part, String text, StringBuilder json) {
        if (!part.isScalar()) {
            quote(part == Part.TOPIC ? text : decoded(text), json);
            return;
        }
        switch (text.charAt(0)) {
            case Scalars.STRING -> quote(text.substring(1), json);
            case Scalars.BYTES -> quote(decoded(text.substring(1)), json);
            case Scalars.NUMBER -> json.append(text, 1, text.length());
            default -> json.append(text);
        }
    }

    private static String decoded(String bytes) {
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
