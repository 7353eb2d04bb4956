/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

import java.security.SecureRandom;

/**
 * Where hashes belong in tables in memory. A secret number decides, which each process draws anew:
 * so neither who sends records nor who writes a checkpoint can choose hashes that share a slot,
 * which would make each access as slow as the table is long. An order of slots means nothing, also
 * where it was written down. Thread-safe.
 */
public final class SecretSpread {

    private static final long SECRET = new SecureRandom().nextLong();

    private SecretSpread() {}

    /**
     * The slot of {@code hash}, from 0 on.
     *
     * @param slots a power of two
     */
    public static int slot(long hash, int slots) {
        return (int) Hashing.mix(hash ^ SECRET) & (slots - 1);
    }
}
