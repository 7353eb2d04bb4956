/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

import java.security.SecureRandom;

/**
 * Where hashes belong in a table in memory. A secret number decides, which each table draws anew.
 * So nobody who sends records or writes a checkpoint can choose hashes that share a slot, which
 * would make each access as slow as the table is long; nor do entries that were stored in the order
 * of their slots crowd together in a smaller table that grows while it takes them. The order of
 * slots means nothing, not even where entries are stored in it. Immutable.
 */
public final class SecretSpread {

    private static final SecureRandom SECRETS = new SecureRandom();

    private final long secret = SECRETS.nextLong();

    /**
     * The slot of {@code hash}, from 0 on.
     *
     * @param slots a power of two
     */
    public int slot(long hash, int slots) {
        return (int) Hashing.mix(hash ^ secret) & (slots - 1);
    }
}
