/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SipHashTest {

    /** Of the authors' reference implementation: bytes 0 to 7 under a key of bytes 0 to 15. */
    @Test
    void hasTheReferenceValue() {
        ExchangeKey key = new ExchangeKey(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
        assertThat(new SipHash(key).hash(0x0706050403020100L)).isEqualTo(0x93f5f5799a932462L);
    }

    @Test
    void eachBitOfKeyAndMessageChangesAboutHalfOfTheValue() {
        SplittableRandom random = Seeds.random();
        int changed = 0;
        int tries = 50;
        for (int i = 0; i < tries; i++) {
            ExchangeKey key = new ExchangeKey(random.nextLong(), random.nextLong());
            long message = random.nextLong();
            long value = new SipHash(key).hash(message);
            for (int bit = 0; bit < Long.SIZE; bit++) {
                long flip = 1L << bit;
                ExchangeKey low = new ExchangeKey(key.low() ^ flip, key.high());
                ExchangeKey high = new ExchangeKey(key.low(), key.high() ^ flip);
                changed += Long.bitCount(value ^ new SipHash(low).hash(message));
                changed += Long.bitCount(value ^ new SipHash(high).hash(message));
                changed += Long.bitCount(value ^ new SipHash(key).hash(message ^ flip));
            }
        }
        double mean = changed / (tries * 3.0 * Long.SIZE);
        assertThat(mean).isBetween(31.5, 32.5);
    }

    @Test
    void keysAreDrawnAndNotShown() {
        ExchangeKey key = ExchangeKey.random();
        assertThat(key).isNotEqualTo(ExchangeKey.random());
        assertThat(key.toString())
                .doesNotContain(Long.toString(key.low()))
                .doesNotContain(Long.toString(key.high()));
    }
}
