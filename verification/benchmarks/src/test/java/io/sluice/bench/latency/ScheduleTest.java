/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.latency;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScheduleTest {

    @Test
    void aRecordIsSentWhenItIsDueAndNotEarlier() {
        Schedule schedule = Schedule.begin(1e6, 0);
        schedule.await(0);
        long start = System.nanoTime();
        schedule.await(20);
        assertThat(System.nanoTime() - start).isGreaterThan(19_000_000);
    }

    /** What waits behind a job that stands still is late from when it was due. */
    @Test
    void aRecordIsLateFromTheMomentAtWhichItWasDue() {
        Schedule schedule = Schedule.begin(1, 0);
        schedule.await(0);
        long start = System.nanoTime();
        while (System.nanoTime() - start < 5_000_000) {
            Thread.onSpinWait();
        }
        schedule.await(1_000);
        schedule.arrived(1_000);
        assertThat(schedule.latencies().getMaxValue()).isGreaterThan(4_900_000);
    }

    @Test
    void recordsOfTheWarmUpDoNotCount() {
        Schedule schedule = Schedule.begin(1, 2);
        schedule.await(0);
        for (long number = 0; number < 5; number++) {
            schedule.arrived(number);
        }
        assertThat(schedule.latencies().getTotalCount()).isEqualTo(3);
    }
}
