/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PrimeFieldTest {

    private static final BigInteger PRIME =
            BigInteger.ONE.shiftLeft(64).subtract(BigInteger.valueOf(PrimeField.EXCESS));

    private static final long[] EDGES = {
        0,
        1,
        2,
        3,
        58,
        59,
        60,
        -1,
        -2,
        -58,
        -59,
        -60,
        -61,
        1L << 32,
        -1L >>> 32,
        1000,
        -1000,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MIN_VALUE + 1,
        PrimeField.PRIME / 2
    };

    private static long[] numbers(int random) {
        SplittableRandom numbers = Seeds.random();
        return LongStream.concat(Arrays.stream(EDGES), numbers.longs(random)).toArray();
    }

    private static BigInteger unsigned(long number) {
        return new BigInteger(Long.toUnsignedString(number));
    }

    @Test
    void theModulusIsPrime() {
        assertThat(unsigned(PrimeField.PRIME)).isEqualTo(PRIME);
        assertThat(PRIME.isProbablePrime(100)).isTrue();
        assertThat(BigInteger.valueOf(SymbolArray.CHECK_PRIME).isProbablePrime(100)).isTrue();
    }

    @Test
    void residuesAreThoseOfExactNumbers() {
        for (long number : numbers(1_000)) {
            assertThat(unsigned(PrimeField.residue(number))).isEqualTo(unsigned(number).mod(PRIME));
            assertThat(unsigned(PrimeField.ofSigned(number)))
                    .isEqualTo(BigInteger.valueOf(number).mod(PRIME));
            assertThat(PrimeField.isElement(number))
                    .isEqualTo(unsigned(number).compareTo(PRIME) < 0);
        }
    }

    @Test
    void sumsAndProductsAreThoseOfExactNumbers() {
        for (long a : numbers(200)) {
            for (long b : numbers(200)) {
                long x = PrimeField.residue(a);
                long y = PrimeField.residue(b);
                assertThat(unsigned(PrimeField.add(x, y)))
                        .isEqualTo(unsigned(x).add(unsigned(y)).mod(PRIME));
                assertThat(unsigned(PrimeField.multiply(x, y)))
                        .isEqualTo(unsigned(x).multiply(unsigned(y)).mod(PRIME));
            }
        }
    }

    @Test
    void aNumberTimesItsInverseIsOne() {
        for (long number : numbers(2_000)) {
            if (number != 0) {
                long inverse = PrimeField.inverse(number);
                assertThat(PrimeField.multiply(PrimeField.ofSigned(number), inverse))
                        .as("%d", number)
                        .isOne();
            }
        }
    }
}
