/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import java.security.SecureRandom;

/**
 * The secret of one exchange: 128 bits that decide which symbols an element is part of, and its
 * checksum. Who chooses elements without knowing the key cannot make their symbols collide. Draw
 * another key for each exchange, on one side; the symbols carry it to the other.
 *
 * @param low the first 64 bits
 * @param high the other 64 bits
 */
public record ExchangeKey(long low, long high) {

    private static final SecureRandom SECRETS = new SecureRandom();

    /** Draws a key. Thread-safe. */
    public static ExchangeKey random() {
        return new ExchangeKey(SECRETS.nextLong(), SECRETS.nextLong());
    }

    /** Keeps the secret. */
    @Override
    public String toString() {
        return "a secret key";
    }
}
