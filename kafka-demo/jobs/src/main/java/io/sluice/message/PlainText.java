/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.sluice.message.Field.Part;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import javax.annotation.Nullable;

/**
 * What a field has, as a program outside would write it: without a sign of what it was. The number
 * 7, "7" and the bytes of 7 are the same.
 *
 * @param part that the field is in
 * @param found as {@link MessageReader} finds it there
 */
record PlainText(Part part, String found) {

    /** Reads one of several fields. */
    interface Reading<F> {
        /** Returns what a field has; null if nothing. */
        @Nullable
        PlainText read(F field) throws SchemaRegistryException;
    }

    /**
     * Returns the bytes of several fields as one name, each as a character of ISO 8859-1: those of
     * one field as they are, those of more as an array of strings in JSON. Null if one is missing,
     * or has no such form.
     */
    @Nullable
    static <F> String bytes(List<F> fields, Reading<F> reading) throws SchemaRegistryException {
        if (fields.size() == 1) {
            PlainText only = reading.read(fields.get(0));
            return only == null ? null : only.bytes();
        }
        StringBuilder array = new StringBuilder();
        for (F field : fields) {
            PlainText next = reading.read(field);
            String text = next == null ? null : next.text();
            if (text == null) {
                return null;
            }
            array.append(array.isEmpty() ? "[\"" : ",\"");
            JsonStringEncoder.getInstance().quoteAsString(text, array);
            array.append('"');
        }
        return utf8(array.append(']').toString());
    }

    /** Returns its characters; null if they are bytes that are not UTF-8. */
    @Nullable
    String text() {
        if (part == Part.TOPIC) {
            return found;
        }
        if (isBytes()) {
            try {
                return UTF_8.newDecoder()
                        .decode(ByteBuffer.wrap(ownBytes().getBytes(ISO_8859_1)))
                        .toString();
            } catch (CharacterCodingException e) {
                return null;
            }
        }
        return switch (found.charAt(0)) {
            case Scalars.STRING, Scalars.NUMBER, Scalars.DOCUMENT -> found.substring(1);
            default -> found;
        };
    }

    @Nullable
    private String bytes() {
        return isBytes() ? ownBytes() : utf8(text());
    }

    private boolean isBytes() {
        return part.isBytes() || (part.isScalar() && found.charAt(0) == Scalars.BYTES);
    }

    private String ownBytes() {
        return part.isBytes() ? found : found.substring(1);
    }

    /** Returns its bytes; null for half of a surrogate pair, which has none of its own. */
    @Nullable
    private static String utf8(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            ByteBuffer bytes = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return ISO_8859_1.decode(bytes).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
