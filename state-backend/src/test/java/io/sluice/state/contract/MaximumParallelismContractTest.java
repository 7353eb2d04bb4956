/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With any number of key groups, from one to Flink's maximum, all marks are kept. */
class MaximumParallelismContractTest extends StateContract {

    private static final int KEYS = 3000;

    @ParameterizedTest
    @ValueSource(ints = {1, 127, 128, 32767, 32768})
    @Timeout(value = 3, unit = TimeUnit.MINUTES) // a failure here would loop for ever
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
