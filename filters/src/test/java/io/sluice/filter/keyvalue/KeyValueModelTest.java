/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.Seeds;
import io.sluice.filter.keyvalue.code.CodeKind;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The closed forms against filters. */
class KeyValueModelTest {

    private static final int KEYS = 60_000;
    private static final double SIGMAS = 5;

    private static int draw(double[] cumulative, SplittableRandom random) {
        double u = random.nextDouble();
        int value = 0;
        while (value < cumulative.length - 1 && u >= cumulative[value]) {
            value++;
        }
        return value;
    }

    private static double[] cumulative(double[] probabilities) {
        double[] sums = probabilities.clone();
        for (int i = 1; i < sums.length; i++) {
            sums[i] += sums[i - 1];
        }
        return sums;
    }

    /** Neighbouring keys share cells, so errors come in pairs: the variance is up to twice that. */
    private static void agrees(String what, int hits, double expected, int of) {
        double mean = expected * of;
        assertThat((double) hits)
                .as("%s: %d of %d, expected %.1f", what, hits, of, mean)
                .isCloseTo(mean, within(SIGMAS * Math.sqrt(2 * mean) + 3));
    }

    @ParameterizedTest
    @CsvSource({
        "PRODUCT_PAIRS, 0, 3, 2.91, 0",
        "PRODUCT_PAIRS, 2, 4, 4.27, 0",
        "PRODUCT_PAIRS, 2, 2, 1.1, 0",
        "PRODUCT_PAIRS, 0, 3, 2.37, 3000",
        "PRODUCT_TRIPLES, 0, 2, 2.13, 0",
        "PRODUCT_TRIPLES, 0, 2, 1.64, 3000",
        "PRODUCT_TRIPLES, 4, 3, 2.37, 0",
        "PRODUCT_TRIPLES, 1, 1, 1.2, 5",
    })
    void filtersErrAsOftenAsTheModelSays(
            CodeKind code, int tagBits, int probes, double cellsPerKey, int values) {
        double[] probabilities = values == 0 ? Shapes.TCP : KeyValueModel.uniform(values);
        KeyValueModel model = KeyValueModel.of(code, probes, cellsPerKey, tagBits, probabilities);
        KeyValueBloomFilter filter =
                Shapes.filter(
                        Shapes.shape(
                                code, probabilities.length, tagBits, probes, cellsPerKey, KEYS),
                        KEYS);
        SplittableRandom random = Seeds.random();
        double[] cumulative = cumulative(probabilities);
        long[] hashes = random.longs(KEYS).toArray();
        int[] valueOf = new int[KEYS];
        for (int i = 0; i < KEYS; i++) {
            valueOf[i] = draw(cumulative, random);
            filter.insert(hashes[i], valueOf[i]);
        }
        int ambiguous = 0;
        int positive = 0;
        int withValue = 0;
        for (int i = 0; i < KEYS; i++) {
            int found = filter.query(hashes[i]);
            if (found == KeyValueFilter.AMBIGUOUS) {
                ambiguous++;
            } else {
                assertThat(found).isEqualTo(valueOf[i]);
            }
            int absent = filter.query(random.nextLong());
            positive += absent == KeyValueFilter.ABSENT ? 0 : 1;
            withValue += absent >= 0 ? 1 : 0;
        }
        agrees("ambiguous", ambiguous, model.ambiguous(), KEYS);
        agrees("false positives", positive, model.falsePositives(), KEYS);
        agrees("absent with a value", withValue, model.falseValues(), KEYS);
    }

    /** Tabulated by an independent implementation, for values that are all different. */
    @ParameterizedTest
    @CsvSource({
        "1, 4, 0.005561, 7.024e-05",
        "1, 10, 1.705e-07, 2.375e-13",
        "2, 6, 0.02653, 0.0004265",
        "3, 10, 0.0405, 0.0003891",
    })
    void agreesWithTheCorrectedClosedForms(double rho, int k, double pairs, double triples) {
        double cellsPerKey = k / (rho * Math.log(2));
        double[] many = KeyValueModel.uniform(1 << 20);
        assertThat(KeyValueModel.of(CodeKind.PRODUCT_PAIRS, k, cellsPerKey, 0, many).ambiguous())
                .isCloseTo(pairs, within(1e-3 * pairs));
        assertThat(KeyValueModel.of(CodeKind.PRODUCT_TRIPLES, k, cellsPerKey, 0, many).ambiguous())
                .isCloseTo(triples, within(0.05 * triples));
    }

    @Test
    void refusesWhatIsNotAProbability() {
        assertThatThrownBy(() -> KeyValueModel.of(CodeKind.PRODUCT_PAIRS, 2, 2, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("probabilities");
        assertThatThrownBy(() -> KeyValueModel.of(CodeKind.PRODUCT_PAIRS, 2, 2, 0, 1, -1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> KeyValueModel.of(CodeKind.PRODUCT_PAIRS, 0, 2, 0, 1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("probes");
    }
}
