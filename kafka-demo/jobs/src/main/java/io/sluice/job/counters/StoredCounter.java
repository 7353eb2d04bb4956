/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;

/**
 * A counter as it is on its topic.
 *
 * @param key the bytes of its name, each as a character of ISO 8859-1
 * @param value the sum
 * @param expectedUndercount what it is expected to miss
 * @param timestamp of the youngest operation in it, in ms since 1970
 */
public record StoredCounter(String key, long value, double expectedUndercount, long timestamp) {

    /** Returns the key of a counter with this name. */
    public static String keyOf(String name) {
        return new String(name.getBytes(UTF_8), ISO_8859_1);
    }

    /** Returns its name; {@code 0x} and digits if its bytes are not UTF-8. */
    public String name() {
        byte[] bytes = key.getBytes(ISO_8859_1);
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return "0x" + HexFormat.of().formatHex(bytes);
        }
    }
}
