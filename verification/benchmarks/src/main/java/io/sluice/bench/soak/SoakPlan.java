/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.time.Duration;

/**
 * How long, and how often what happens.
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
        return quick
                ? new SoakPlan(
                        seed,
                        length,
                        ids,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(6),
                        20_000,
                        2_000_000)
                : new SoakPlan(
                        seed,
                        length,
                        ids,
                        Duration.ofSeconds(5),
                        Duration.ofMinutes(3),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(1),
                        500_000,
                        20_000_000);
    }
}
