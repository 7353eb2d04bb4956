/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

import io.sluice.filter.annotation.Internal;
import java.security.SecureRandom;

/**
 * Where hashes belong in a table in memory: the same places in each process, or places that a
 * secret number decides. With a {@link #secret} nobody who sends records or writes a checkpoint can
 * choose hashes that share a slot, which would make each access as slow as the table is long; nor
 * do entries that another table stored in the order of its slots crowd together in a smaller table
 * that grows while it takes them. The order of slots is then another one in each table. Immutable.
 */
@Internal
public final class HashSpread {

    private static final SecureRandom SECRETS = new SecureRandom();

    private static final HashSpread KNOWN = new HashSpread(0);

    private final long secret;

    private HashSpread(long secret) {
        this.secret = secret;
    }

    /** The same for all tables: equal uses of two tables leave entries in equal slots. */
    public static HashSpread known() {
        return KNOWN;
    }

    /** Draws a secret: for one table. */
    public static HashSpread secret() {
        return new HashSpread(SECRETS.nextLong());
    }

    /** Returns whether the spread is secret, so that callers cannot force collisions. */
    public boolean isSecret() {
        return this != KNOWN;
    }

    /**
     * The slot of {@code hash}, from 0 on.
     *
     * @param slots a power of two
     */
    public int slot(long hash, int slots) {
        return (int) Hashing.mix(hash ^ secret) & (slots - 1);
    }
}
