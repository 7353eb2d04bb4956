/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From one key group to as many as Flink allows, all of them keep their marks. */
class MaximumParallelismContractTest extends StateContract {

    private static final int KEYS = 3000;

    @ParameterizedTest
    @ValueSource(ints = {1, 127, 128, 32767, 32768})
    @Timeout(value = 3, unit = TimeUnit.MINUTES) // what is wrong here spins for ever
    void everyKeyGroupKeepsItsMarksThroughCheckpointsAndRescales(int maxParallelism)
            throws Exception {
        KeyedJob<Long> job = job(KeyKind.LONGS, maxParallelism);
        Flags<Long, VoidNamespace> seen = job.flags(backends.flag("seen"));
        long inLastKeyGroup = keyOfLastKeyGroup(maxParallelism);
        job.start(1);
        mark(seen, 0, KEYS);
        seen.mark(inLastKeyGroup, VoidNamespace.INSTANCE);
        job.checkpoint();
        for (int parallelism : new int[] {Math.min(2, maxParallelism), 1}) {
            job.start(parallelism);
            assertThat(seen.isMarked(inLastKeyGroup, VoidNamespace.INSTANCE)).isTrue();
            assertMarked(seen, 2 * KEYS, number -> number < KEYS || number == inLastKeyGroup);
            job.checkpoint();
        }
    }

    private static long keyOfLastKeyGroup(int maxParallelism) {
        long key = 10 * KEYS;
        while (KeyGroupRangeAssignment.assignToKeyGroup(key, maxParallelism)
                != maxParallelism - 1) {
            key++;
        }
        return key;
    }
}
