/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.plane.Layout;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A filter that gets far fewer ids than it was made for forgets them on time all the same. */
class FewIdsTest {

    private static final long WINDOW = 8_000;

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdIsForgottenASliceAfterTheWindow(Layout layout) {
        ForgetfulFilter filter =
                ForgetfulFilter.create(
                        WindowOptions.builder()
                                .window(Duration.ofMillis(WINDOW))
                                .expectedPerWindow(100_000)
                                .falsePositiveProbability(1e-9)
                                .layout(layout)
                                .clockOfCaller()
                                .build(),
                        new MemoryBudget(64 << 20),
                        0);
        SplittableRandom random = Seeds.random();
        long[] hashes = random.longs(4_000).toArray();
        long longest = 0;
        for (int i = 0; i < hashes.length; i++) {
            long now = i * 100L;
            filter.advanceTo(now);
            filter.add(hashes[i], now);
            for (int before = i - 1; before >= 0 && i - before < 2_000; before--) {
                if (filter.mightContain(hashes[before], now)) {
                    longest = Math.max(longest, now - before * 100L);
                }
            }
        }
        assertThat(longest).isBetween(WINDOW, WINDOW + WINDOW / WindowSizing.SLICES_PER_WINDOW);
    }
}
