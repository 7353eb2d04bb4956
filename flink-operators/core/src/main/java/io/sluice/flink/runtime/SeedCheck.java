/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import io.sluice.filter.hash.Hashing;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A number that tells hash seeds apart without revealing them: state and messages contain it
 * instead of the seed. It is the beginning of a SHA-256, so a guessed seed can be confirmed with
 * it: choose the seed at random.
 */
final class SeedCheck {

    /** Stands for the seed where ids are not hashed. */
    static final long NONE = 0;

    private static final byte[] PREFIX = "sluice hash seed ".getBytes(StandardCharsets.US_ASCII);

    private SeedCheck() {}

    static long of(long seed) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(PREFIX);
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(seed).array());
            return ByteBuffer.wrap(digest.digest()).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JVM has SHA-256", e);
        }
    }

    /** Text for messages. */
    static String describe(long check) {
        if (check == NONE) {
            return "no seed";
        }
        String seed = check == of(Hashing.SEED) ? "the public seed " + Hashing.SEED : "a seed";
        return seed + " with the check value " + String.format("%016x", check);
    }
}
