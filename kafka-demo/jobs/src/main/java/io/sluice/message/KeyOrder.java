/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.util.Arrays;

/**
 * Makes ids by which Flink sends all records of one Kafka key to the same subtask, whatever their
 * ids, so that they keep their order. Flink distributes by the hash code of an id, so the id gets
 * an ending with which its hash code is that of the key.
 */
final class KeyOrder {
    /** The factor of {@link String#hashCode}. */
    private static final int FACTOR = 31;

    /** So many digits to the base of the factor make every hash code. */
    static final int ENDING = 7;

    private KeyOrder() {}

    /** The id with its ending; equal for equal ids of one key. */
    static String of(String id, byte[] key) {
        int begin = id.hashCode();
        for (int i = 0; i < ENDING; i++) {
            begin *= FACTOR;
        }
        long rest = Integer.toUnsignedLong(Arrays.hashCode(key) - begin);
        char[] ending = new char[ENDING];
        for (int i = ENDING - 1; i >= 0; i--) {
            ending[i] = (char) (rest % FACTOR);
            rest /= FACTOR;
        }
        return id.concat(new String(ending));
    }
}
