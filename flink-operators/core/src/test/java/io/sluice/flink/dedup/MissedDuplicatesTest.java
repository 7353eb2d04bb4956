/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import org.junit.jupiter.api.Test;

/** What the sample calls a missed duplicate really is one. */
class MissedDuplicatesTest {

    private static final long NOW = 1_700_000_000_000L;
    private static final long WINDOW = 60_000;

    private static Deduplicator create(long memory) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW)
                        .clockOfCaller()
                        .falsePositiveProbability(1e-3)
                        .build();
        return Deduplicator.create(options, new MemoryBudget(memory), 1_000, 1_000);
    }

    private static long hash(long id) {
        long x = (id + 1) * 0x9e3779b97f4a7c15L;
        x = (x ^ (x >>> 33)) * 0xff51afd7ed558ccdL;
        return x ^ (x >>> 29);
    }

    @Test
    void aWildTimestampFromBeforeTheFirstWatermarkIsNoMissedDuplicateAfterItsWindow() {
        Deduplicator ids = create(1 << 20);
        for (int id = 0; id < 50; id++) {
            ids.decide(hash(id), NOW + 10L * 365 * 86_400_000);
        }
        for (long now = NOW; now < NOW + 4_000_000; now += 1_000) {
            ids.advanceTo(now);
            ids.decide(hash(now), now);
        }
        for (int id = 0; id < 50; id++) {
            ids.decide(hash(id), NOW + 4_000_000);
        }
        assertThat(ids.missedDuplicates()).isZero();
    }

    @Test
    void idsOfTheLeastTimestampThatWereForgottenForWantOfMemoryAreNoMissedDuplicates() {
        Deduplicator ids = create(20_000);
        for (int round = 0; round < 3; round++) {
            for (int id = 0; id < 20_000; id++) {
                ids.decide(hash(id), Long.MIN_VALUE);
            }
        }
        assertThat(ids.missedDuplicates()).isZero();
    }
}
