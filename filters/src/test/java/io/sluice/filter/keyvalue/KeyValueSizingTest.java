/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.Seeds;
import io.sluice.filter.keyvalue.KeyValueSizing.Plan;
import io.sluice.filter.keyvalue.code.CodeKind;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyValueSizingTest {

    /** The sized filter errs as promised, for skewed and for equally likely values. */
    @ParameterizedTest
    @CsvSource({"32, true", "64, true", "64, false", "48, false"})
    void thePlanIsKept(double bitsPerKey, boolean tcp) {
        int keys = 50_000;
        double[] probabilities = tcp ? Shapes.TCP : KeyValueModel.uniform(300);
        Plan plan = KeyValueSizing.best(bitsPerKey, 4, 6, probabilities);
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .probabilities(probabilities)
                        .sized(keys, bitsPerKey)
                        .build();
        assertThat(8.0 * filter.sizeInBytes() / keys).isCloseTo(bitsPerKey, within(0.2));
        assertThat(filter.shape().tagBits()).isEqualTo(plan.tagBits());
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < keys; i++) {
            filter.insert(i * 0x9E3779B97F4A7C15L, draw(probabilities, random));
        }
        int errors = 0;
        for (int i = 0; i < keys; i++) {
            errors += filter.query(i * 0x9E3779B97F4A7C15L) < 0 ? 1 : 0;
            errors += filter.query(random.nextLong()) == KeyValueFilter.ABSENT ? 0 : 1;
        }
        double expected = plan.totalError() * keys;
        assertThat((double) errors).isCloseTo(expected, within(5 * Math.sqrt(2 * expected) + 3));
    }

    private static int draw(double[] probabilities, SplittableRandom random) {
        double u = random.nextDouble();
        int value = 0;
        while (value < probabilities.length - 1 && u >= probabilities[value]) {
            u -= probabilities[value++];
        }
        return value;
    }

    @Test
    void noNeighbouringChoiceIsBetter() {
        Plan plan = KeyValueSizing.best(64, 3, 8, Shapes.TCP);
        for (CodeKind code : new CodeKind[] {CodeKind.PRODUCT_PAIRS, CodeKind.PRODUCT_TRIPLES}) {
            for (int tag = 0; tag <= 8; tag++) {
                for (int probes = 1; probes <= 8; probes++) {
                    double cells = 64.0 / (3 + code.wordBits(11 << tag));
                    KeyValueModel other = KeyValueModel.of(code, probes, cells, tag, Shapes.TCP);
                    assertThat(other.ambiguous() + other.falsePositives())
                            .isGreaterThanOrEqualTo(plan.totalError());
                }
            }
        }
    }

    /** The aim of the design at 64 bits per key. */
    @Test
    void errorsOfTcpStatesAreBelowTwoPercentAt64Bits() {
        assertThat(KeyValueSizing.best(64, 4, 6, Shapes.TCP).totalError()).isLessThan(0.006);
        assertThat(KeyValueSizing.best(32, 3, 6, Shapes.TCP).totalError()).isLessThan(0.09);
    }

    @Test
    void moreMemoryNeverErrsMore() {
        double last = 2;
        for (double bits = 8; bits <= 200; bits *= 1.1) {
            double error = KeyValueSizing.best(bits, 4, 6, Shapes.TCP).totalError();
            assertThat(error).isLessThanOrEqualTo(last);
            last = error;
        }
    }

    @Test
    void knowingTheSkewNeverHurts() {
        double[] skewed = new double[2_000];
        for (int i = 0; i < skewed.length; i++) {
            skewed[i] = 1.0 / (i + 1);
        }
        Plan plan = KeyValueSizing.best(64, 4, 6, skewed);
        assertThat(plan.totalError()).isPositive().isLessThan(0.2);
    }

    @Test
    void refusesImpossibleArguments() {
        assertThatThrownBy(() -> KeyValueSizing.best(0, 4, 6, Shapes.TCP))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bitsPerKey");
        assertThatThrownBy(() -> KeyValueSizing.best(64, 4, 33, Shapes.TCP))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mostProbes");
        assertThatThrownBy(
                        () -> KeyValueSizing.best(64, 4, 6, KeyValueModel.uniform((1 << 20) + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("values");
    }
}
