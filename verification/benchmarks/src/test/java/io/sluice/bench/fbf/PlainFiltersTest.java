/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fbf.PlainFilters.Rule;
import io.sluice.capture.SplitMix64;
import org.junit.jupiter.api.Test;

class PlainFiltersTest {
    private static final long SEED = Long.getLong("test.seed", 20261101L);
    private static final int BITS = 100_000;

    private static long id(int slice, int i) {
        return SplitMix64.mix(SEED + 1000L * slice + i);
    }

    /** Slice 0 is the newest. */
    private static PlainFilters filled(int past) {
        PlainFilters filters = new PlainFilters(BITS, 5, past);
        for (int slice = past + 1; slice >= 0; slice--) {
            for (int i = 0; i < 10; i++) {
                filters.add(id(slice, i));
            }
            if (slice > 0) {
                filters.refresh();
            }
        }
        return filters;
    }

    @Test
    void theLetterOfAlgorithm2DeniesTheOldestSlice() {
        PlainFilters filters = filled(4);
        for (int slice = 0; slice <= 5; slice++) {
            for (int i = 0; i < 10; i++) {
                assertThat(filters.contains(id(slice, i), Rule.CORRECTED))
                        .as("corrected, slice %d, seed %d", slice, SEED)
                        .isTrue();
                assertThat(filters.contains(id(slice, i), Rule.LITERAL))
                        .as("to the letter, slice %d, seed %d", slice, SEED)
                        .isEqualTo(slice < 5);
            }
        }
    }

    @Test
    void withOnePastFilterTheLetterIsRight() {
        PlainFilters filters = filled(1);
        for (int slice = 0; slice <= 2; slice++) {
            assertThat(filters.contains(id(slice, 0), Rule.LITERAL)).isTrue();
        }
    }

    @Test
    void growingByEmptyFiltersDeniesWhatOnlyTheOldestHeld() {
        PlainFilters filters = filled(1);
        filters.resize(6);
        assertThat(filters.contains(id(2, 0), Rule.CORRECTED)).isFalse();
        assertThat(filters.contains(id(1, 0), Rule.CORRECTED)).isTrue();
    }

    @Test
    void aRefreshForgetsTheOldest() {
        PlainFilters filters = filled(2);
        filters.refresh();
        assertThat(filters.contains(id(3, 0), Rule.SIMPLE)).isFalse();
        assertThat(filters.contains(id(2, 0), Rule.CORRECTED)).isTrue();
    }
}
