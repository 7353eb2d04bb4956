/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.time.Duration;

/**
 * How long a run is, and how often what happens in it.
 *
 * @param length at least
 * @param ids at least, of both jobs
 * @param timeToLive of a flag; much longer than {@code stateRange} records take
 */
record SoakPlan(
        long seed,
        Duration length,
        long ids,
        Duration checkpoints,
        Duration failures,
        Duration samples,
        Duration timeToLive,
        long stateRange,
        long stateCapacity) {

    static SoakPlan of(boolean quick, long seed, Duration length, long ids) {
        return new SoakPlan(
                seed,
                length,
                ids,
                Duration.ofSeconds(quick ? 1 : 5),
                Duration.ofSeconds(quick ? 10 : 180),
                Duration.ofSeconds(quick ? 1 : 10),
                Duration.ofSeconds(quick ? 6 : 60),
                quick ? 20_000 : 500_000,
                quick ? 2_000_000 : 20_000_000);
    }
}
