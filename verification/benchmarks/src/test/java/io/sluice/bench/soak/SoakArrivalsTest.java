/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SoakArrivalsTest {
    private final SoakArrivals arrivals = new SoakArrivals(Duration.ofSeconds(60));

    private double lately(long second, long position) {
        return arrivals.lately(Duration.ofSeconds(second).toNanos(), position);
    }

    @Test
    void untilALifetimeHasPassedItIsNotKnown() {
        assertThat(lately(0, 0)).isNaN();
        assertThat(lately(59, 5_900)).isNaN();
        assertThat(lately(60, 6_000)).isEqualTo(6_000);
    }

    @Test
    void itIsWhatCameWithinALifetimeUpToASampleMore() {
        for (long second = 0; second < 300; second += 7) {
            double lately = lately(second, 100 * second);
            assertThat(second < 60 || (lately >= 6_000 && lately < 6_700)).isTrue();
        }
    }

    @Test
    void whatComesAgainAfterARestoreIsNotNew() {
        lately(0, 0);
        lately(30, 3_000);
        assertThat(lately(60, 1_000)).isEqualTo(3_000);
        assertThat(lately(90, 4_000)).isEqualTo(1_000);
    }
}
