/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreChoiceTest {

    private static StoreSettings settings(long expected, double error) {
        StateClasses classes =
                new StateClasses(List.of(new StateClasses.Of(4, Duration.ofHours(1), false)));
        List<double[]> frequencies = List.of(new double[] {0.25, 0.25, 0.25, 0.25});
        return new StoreSettings(
                new Nouns("event", "machine"),
                null,
                new StateTimes(classes, 1, StateTimes.NONE),
                frequencies,
                expected,
                KeyValueGenerations.bits(error, 1, 1024, frequencies),
                error,
                Duration.ofHours(1).toMillis(),
                MemorySize.MAX_VALUE,
                WhenFull.IGNORE,
                0);
    }

    /** The smallest tables of many key groups decide where there are few machines. */
    @ParameterizedTest
    @CsvSource({
        "1000000, 0.1, 128, FINGERPRINTS",
        "1000000, 1e-4, 128, FINGERPRINTS",
        "1000000, 1e-9, 128, FINGERPRINTS",
        "100000000, 1e-4, 1, FINGERPRINTS",
        "1, 1e-4, 1, EXACT",
        "100, 1e-4, 32768, EXACT",
        "1000, 1e-6, 128, EXACT"
    })
    void theStoreWithTheLeastMemoryIsChosen(
            long expected, double error, int keyGroups, StoreKind kind) {
        StoreSettings settings = settings(expected, error);
        StoreChoice choice = StoreChoice.of(settings, keyGroups);
        assertThat(choice.kind()).isEqualTo(kind);
        assertThat(settings.chosen(keyGroups).kind()).isEqualTo(kind);
        assertThat(choice.offers())
                .allMatch(each -> each.error() <= error)
                .allMatch(each -> each.bytes() >= choice.offers().get(0).bytes());
    }

    /** More than the most fingerprints can tell apart. */
    @Test
    void aStoreThatCannotHaveTheErrorIsNotOffered() {
        StoreChoice choice = StoreChoice.of(settings(1L << 40, 1e-9), 1);
        assertThat(choice.offers())
                .extracting(StoreChoice.Offer::kind)
                .doesNotContain(StoreKind.FINGERPRINTS);
        assertThat(choice.kind()).isEqualTo(StoreKind.EXACT);
    }

    @Test
    void theReasonNamesWhatTheOthersTake() {
        assertThat(StoreChoice.of(settings(1_000_000, 1e-3), 128).reason("'orders'"))
                .containsPattern(
                        "^Operator 'orders': the store FINGERPRINTS takes the least memory for"
                            + " 1,000,000 machines and an error probability of 0\\.001, about"
                            + " [12][0-9] bits for each \\((KBF [1-9][0-9]+, EXACT 201|EXACT 201,"
                            + " KBF [1-9][0-9]+)\\)");
    }
}
