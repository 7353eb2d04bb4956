/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import javax.annotation.Nullable;

/**
 * A counter as it is on its topic, or in a checkpoint.
 *
 * @param key the bytes of its name, each as a character of ISO 8859-1
 * @param value the sum
 * @param expectedUndercount what it is expected to miss
 * @param timestamp of the youngest operation in it, in ms since 1970; null in a checkpoint, which
 *     does not have it
 */
public record StoredCounter(
        String key, long value, double expectedUndercount, @Nullable Long timestamp) {

    /** Returns the key of a counter with this name. */
    public static String keyOf(String name) {
        return new String(name.getBytes(UTF_8), ISO_8859_1);
    }

    /**
     * Returns the key of a counter in the state of a job.
     *
     * @param uid of the operator: {@code job counters} keeps the bytes of a name as characters, a
     *     job of one's own the name itself or a number
     */
    public static String keyOfState(String uid, Object key) {
        return uid.equals(CountersJob.COUNTERS) ? key.toString() : keyOf(key.toString());
    }

    /** Returns the text whose bytes in UTF-8 these characters are; null if there is none. */
    @Nullable
    private static String decoded(String bytes) {
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(bytes.getBytes(ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Returns its name; {@code 0x} and digits if its bytes are not UTF-8. */
    public String name() {
        String text = decoded(key);
        return text == null ? "0x" + HexFormat.of().formatHex(key.getBytes(ISO_8859_1)) : text;
    }
}
