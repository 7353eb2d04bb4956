/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every mark is found by the subtask that its key goes to, whatever the parallelism was before. */
class RescaleContractTest extends StateContract {

    static Stream<Arguments> rescales() {
        return Stream.of(
                Arguments.of(128, List.of(1, 2, 4, 2, 1)),
                Arguments.of(128, List.of(1, 3, 2, 5, 1)),
                Arguments.of(50, List.of(2, 7, 3, 4)),
                Arguments.of(97, List.of(5, 2, 3, 3, 1)),
                Arguments.of(7, List.of(1, 7, 2)),
                Arguments.of(1, List.of(1, 1)),
                Arguments.of(1000, List.of(3, 1, 4)));
    }

    @ParameterizedTest
    @MethodSource("rescales")
    void marksFollowTheirKeys(int maxParallelism, List<Integer> parallelisms) throws Exception {
        KeyedJob<Long> job = job(KeyKind.LONGS, maxParallelism);
        Flags<Long, VoidNamespace> seen = job.flags(backends.flag("seen"));
        long known = 0;
        for (int parallelism : parallelisms) {
            job.start(parallelism);
            long before = known;
            assertMarked(seen, before + 1000, number -> number < before);
            known += 2000;
            mark(seen, before, known);
            job.checkpoint();
        }
        job.start(parallelisms.get(0));
        long all = known;
        assertMarked(seen, all + 1000, number -> number < all);
    }

    @Test
    void aFailureWhileRescalingDoesNoHarm() throws Exception {
        Flags<Long, VoidNamespace> seen = started(3);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 3000);
        job.checkpoint();
        for (int parallelism : new int[] {2, 5, 1, 3}) {
            job.start(parallelism);
            mark(seen, 3000, 3500);
            Checkpoint checkpoint = job.begin();
            job.abort(checkpoint);
        }
        job.start(2);
        assertMarked(seen, 4000, number -> number < 3000);
    }

    @Test
    void whatWasClearedBeforeARescaleStaysCleared() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 3000);
        job.checkpoint();
        for (long number = 0; number < 3000; number += 2) {
            seen.clear(number, VoidNamespace.INSTANCE);
        }
        job.checkpoint();
        for (int parallelism : new int[] {3, 1}) {
            job.start(parallelism);
            assertMarked(seen, 3000, number -> number % 2 == 1);
            job.checkpoint();
        }
        mark(seen, 0, 3000);
        job.checkpoint();
        job.start(2);
        assertMarked(seen, 3000, number -> true);
    }

    /** Subtasks that were split and are joined again: what both hold is not a duplicate. */
    @Test
    void partsThatMeetAgainAreOneState() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        KeyedJob<Long> job = seen.job();
        for (int round = 0; round < 4; round++) {
            mark(seen, round * 1000L, round * 1000L + 1500);
            job.checkpoint();
            job.start(round % 2 == 0 ? 4 : 1);
            for (long number = 0; number < round * 1000L + 1500; number += 7) {
                assertThat(seen.markFirst(number, VoidNamespace.INSTANCE)).isFalse();
            }
        }
        assertMarked(seen, 6000, number -> number < 4500);
    }
}
