/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

/**
 * SipHash-2-4 of 64-bit numbers: a pseudorandom function, so that its values cannot be predicted
 * without the key. Allocates nothing per hash. Thread-safe.
 *
 * <p>Source: Aumasson, Bernstein, <i>SipHash: a Fast Short-Input PRF</i> (2012).
 */
final class SipHash {

    /** The last block of a message of 8 bytes: its length in the top byte. */
    private static final long LENGTH_BLOCK = (long) Long.BYTES << 56;

    private final ExchangeKey key;

    SipHash(ExchangeKey key) {
        this.key = key;
    }

    ExchangeKey key() {
        return key;
    }

    /** Hashes the 8 bytes of {@code message}, in little-endian order. */
    long hash(long message) {
        long v0 = key.low() ^ 0x736f6d6570736575L;
        long v1 = key.high() ^ 0x646f72616e646f6dL;
        long v2 = key.low() ^ 0x6c7967656e657261L;
        long v3 = key.high() ^ 0x7465646279746573L;
        // Two blocks of two rounds each, then four rounds.
        for (int round = 0; round < 8; round++) {
            if (round == 0) {
                v3 ^= message;
            } else if (round == 2) {
                v0 ^= message;
                v3 ^= LENGTH_BLOCK;
            } else if (round == 4) {
                v0 ^= LENGTH_BLOCK;
                v2 ^= 0xff;
            }
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
