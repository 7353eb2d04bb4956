/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.hash.Hashing;
import org.junit.jupiter.api.Test;

/** The predicted error between its measurements. */
class PredictedErrorTest {

    private static final long WINDOW = 1000;
    private static final int BURST = 100_000;
    private static final double FPP = 1e-2;

    private final Deduplicator deduplicator =
            Deduplicator.create(
                    WindowOptions.builder()
                            .windowMillis(WINDOW)
                            .falsePositiveProbability(FPP)
                            .expectedPerWindow(BURST)
                            .clockOfCaller()
                            .build(),
                    new MemoryBudget(64 << 20),
                    BURST,
                    0);

    private void burst() {
        deduplicator.advanceTo(0);
        for (int id = 0; id < BURST; id++) {
            deduplicator.decide(Hashing.hash(id), 0);
            assertThat(deduplicator.predictedFpp()).isLessThan(FPP);
        }
        assertThat(deduplicator.predictedFpp()).isGreaterThan(FPP / 100);
    }

    @Test
    void whatWasForgottenIsNotPredictedToErr() {
        burst();
        deduplicator.advanceTo(3 * WINDOW);
        assertThat(deduplicator.idsHeld()).isZero();
        assertThat(deduplicator.predictedFpp()).isZero();
    }

    @Test
    void theFirstIdsOfACalmAfterABurstAreNotPredictedToBeLostLikeThoseOfTheBurst() {
        burst();
        for (int id = BURST; id < BURST + 20; id++) {
            deduplicator.advanceTo(deduplicator.clock() + WINDOW);
            deduplicator.decide(Hashing.hash(id), deduplicator.clock());
        }
        assertThat(deduplicator.predictedFpp()).isLessThan(FPP / 1000);
    }
}
