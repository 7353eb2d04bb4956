/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The measured probability of a false positive against 1 - e^(-load / 2^r). */
class QuotientFppTest {

    private static final int Q = 16;

    /** Keys that were inserted are random too: n and the collisions among them count. */
    @ParameterizedTest
    @CsvSource({
        "0.5, 4", "0.75, 4", "0.9, 4", "0.95, 4",
        "0.5, 8", "0.75, 8", "0.9, 8", "0.95, 8",
        "0.5, 11", "0.95, 11"
    })
    void isWithinFiveStandardErrorsOfTheModel(double load, int remainderBits) {
        QuotientFilter filter = QuotientFilter.builder().bits(Q, remainderBits).build();
        SplittableRandom random = Seeds.random();
        long keys = (long) (load * (1 << Q));
        for (long i = 0; i < keys; i++) {
            filter.insert(random.nextLong());
        }
        double model = -Math.expm1(-load / (1 << remainderBits));
        assertThat(filter.fpp()).isCloseTo(model, within(1e-4 * model));
        int probes = 2_000_000;
        int positives = 0;
        for (int i = 0; i < probes; i++) {
            positives += filter.mightContain(random.nextLong()) ? 1 : 0;
        }
        // Variances due to the probes, and to the number of distinct fingerprints among the keys.
        double ofProbes = model * (1 - model) / probes;
        double ofKeys = keys * model / Math.pow(2, 2 * (Q + remainderBits));
        assertThat((double) positives / probes)
                .isCloseTo(model, within(5 * Math.sqrt(ofProbes + ofKeys)));
    }
}
