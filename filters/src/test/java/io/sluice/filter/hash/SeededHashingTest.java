/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SeededHashingTest {

    private static final byte[] BYTES =
            "some bytes that are longer than sixteen".getBytes(StandardCharsets.UTF_8);

    @Test
    void thePublicSeedGivesThePublicHashes() {
        SeededHashing hashing = SeededHashing.of(Hashing.SEED);
        for (long v : new long[] {0, 1, -1, Long.MIN_VALUE, 0x1234_5678_9abc_def0L}) {
            assertThat(hashing.hash(v)).isEqualTo(Hashing.hash(v));
            assertThat(hashing.combine(v, 3)).isEqualTo(Hashing.combine(v, 3));
        }
        assertThat(hashing.hash("naïve")).isEqualTo(Hashing.hash("naïve"));
        assertThat(hashing.hash(BYTES)).isEqualTo(Hashing.hash(BYTES));
        assertThat(hashing.hash(BYTES, 3, 20)).isEqualTo(Hashing.hash(BYTES, 3, 20));
    }

    @Test
    void anotherSeedGivesUnrelatedHashes() {
        SeededHashing hashing = SeededHashing.of(42);
        assertThat(hashing.hash(7L)).isNotEqualTo(Hashing.hash(7L));
        assertThat(hashing.hash("a")).isNotEqualTo(Hashing.hash("a"));
        assertThat(hashing.hash(BYTES)).isNotEqualTo(Hashing.hash(BYTES));
        assertThat(hashing.hash(BYTES, 3, 20)).isNotEqualTo(Hashing.hash(BYTES, 3, 20));
        assertThat(hashing.combine(1, 2)).isNotEqualTo(Hashing.combine(1, 2));
    }

    /**
     * XXH3 of 16 bytes adds up the low half with its bytes in reverse, the high half, and the
     * product of both, each half combined with a constant by exclusive or. So if one half equals
     * its constant, only the other one is left, and two inputs have the same hash: anyone that
     * knows the seed can write down any number of them.
     */
    @Test
    void idsThatCollideUnderThePublicSeedDoNotUnderASecretOne() {
        long lowConstant = 0x1f67b3b7a4a44072L ^ 0x78e5c0cc4ee679cbL;
        long highConstant = 0x2172ffcc7dd05a82L ^ 0x8e2443f7744608b8L;
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            long x = random.nextLong();
            byte[] one = halves(lowConstant, x ^ highConstant);
            byte[] other = halves(Long.reverseBytes(x) ^ lowConstant, highConstant);
            assertThat(Hashing.hash(one)).isEqualTo(Hashing.hash(other));
            SeededHashing secret = SeededHashing.of(random.nextLong());
            assertThat(secret.hash(one)).isNotEqualTo(secret.hash(other));
        }
    }

    private static byte[] halves(long low, long high) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(low)
                .putLong(high)
                .array();
    }

    @Test
    void isTheSameAfterItsSerialization() throws Exception {
        SeededHashing hashing = SeededHashing.of(42);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(hashing);
        }
        Object read =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        assertThat(((SeededHashing) read).hash(7L)).isEqualTo(hashing.hash(7L));
    }

    @Test
    void theSeedIsNotPrinted() {
        assertThat(SeededHashing.of(987654321).toString()).doesNotContain("987654321");
    }
}
