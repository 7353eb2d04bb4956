/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GaloisFieldTest {

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 8, 11, 16, 20})
    void isAField(int bits) {
        GaloisField field = GaloisField.of(bits);
        assertThat(field.bits()).isEqualTo(bits);
        assertThat(GaloisField.of(bits)).isSameAs(field);
        SplittableRandom random = Seeds.random();
        int bound = 1 << bits;
        for (int i = 0; i < 20_000; i++) {
            int a = random.nextInt(bound);
            int b = random.nextInt(bound);
            int c = random.nextInt(bound);
            assertThat(field.multiply(a, b)).isEqualTo(field.multiply(b, a)).isLessThan(bound);
            assertThat(field.multiply(a, b ^ c))
                    .isEqualTo(field.multiply(a, b) ^ field.multiply(a, c));
            assertThat(field.multiply(a, field.multiply(b, c)))
                    .isEqualTo(field.multiply(field.multiply(a, b), c));
            assertThat(field.multiply(a, 1)).isEqualTo(a);
            assertThat(field.multiply(a, 0)).isZero();
            assertThat(field.square(a)).isEqualTo(field.multiply(a, a));
            assertThat(field.square(field.squareRoot(a))).isEqualTo(a);
            if (b != 0) {
                assertThat(field.multiply(field.divide(a, b), b)).isEqualTo(a);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 7, 10})
    void knowsRootsOrThatThereAreNone(int bits) {
        GaloisField field = GaloisField.of(bits);
        for (int c = 0; c < 1 << bits; c++) {
            boolean quadratic = false;
            boolean cubic = false;
            for (int x = 0; x < 1 << bits; x++) {
                quadratic |= (field.square(x) ^ x) == c;
                cubic |= (field.multiply(x, field.square(x)) ^ x) == c;
            }
            int t = field.quadraticRoot(c);
            int w = field.cubicRoot(c);
            assertThat(t >= 0).isEqualTo(quadratic);
            assertThat(w >= 0).isEqualTo(cubic);
            assertThat(t < 0 || (field.square(t) ^ t) == c).isTrue();
            assertThat(w < 0 || (field.multiply(w, field.square(w)) ^ w) == c).isTrue();
        }
        assertThat(field.quadraticRoot(field.quadraticWithoutRoot())).isNegative();
        assertThat(field.cubicRoot(field.cubicWithoutRoot())).isNegative();
    }
}
