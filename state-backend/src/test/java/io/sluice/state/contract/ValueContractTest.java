/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.junit.jupiter.api.Test;

/** What value, update and clear mean, for keys, namespaces and names. */
class ValueContractTest extends StateContract {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final int KEYS = 20_000;

    @Test
    void nothingIsMarkedAtFirst() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        assertThat(seen.at(1L, NOWHERE).value()).isNull();
        assertMarked(seen, 1000, number -> false);
    }

    @Test
    void everyMarkedKeyIsMarkedAndNoOther() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        for (long number = 0; number < KEYS; number += 2) {
            seen.mark(number, NOWHERE);
        }
        assertMarked(seen, KEYS, number -> number % 2 == 0);
    }

    @Test
    void anUpdateIsSeenAtOnce() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        long dropped = 0;
        for (long number = 0; number < KEYS; number++) {
            ValueState<Boolean> state = seen.at(number, NOWHERE);
            dropped += Boolean.TRUE.equals(state.value()) ? 1 : 0;
            state.update(true);
            assertThat(state.value()).isTrue();
            assertThat(seen.markFirst(number, NOWHERE)).isFalse();
        }
        assertThat(dropped).isLessThanOrEqualTo(allowed(KEYS));
    }

    @Test
    void aKeyIsMarkedOnceHoweverOftenItIsMarked() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        for (int i = 0; i < 1000; i++) {
            seen.mark(7L, NOWHERE);
        }
        seen.clear(7L, NOWHERE);
        assertThat(seen.isMarked(7L, NOWHERE)).isFalse();
    }

    @Test
    void clearForgetsAKeyAndOnlyThat() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 3000);
        for (long number = 0; number < 3000; number += 3) {
            seen.clear(number, NOWHERE);
        }
        assertMarked(seen, 3000, number -> number % 3 != 0);
        mark(seen, 0, 3000);
        assertMarked(seen, 3000, number -> true);
    }

    @Test
    void updateOfNullForgets() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 100);
        for (long number = 0; number < 50; number++) {
            seen.at(number, NOWHERE).update(null);
        }
        assertMarked(seen, 100, number -> number >= 50);
        assertThat(seen.at(0L, NOWHERE).value()).isNull();
    }

    @Test
    void clearOfAnAbsentKeyDoesNothing() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 100);
        for (long number = 100; number < 200; number++) {
            seen.clear(number, NOWHERE);
        }
        assertMarked(seen, 200, number -> number < 100);
    }

    @Test
    void namespacesAreApart() throws Exception {
        KeyedJob<Long> job = job();
        job.start(2);
        Flags<Long, String> seen = job.flags(backends.flag("seen"), StringSerializer.INSTANCE);
        for (long number = 0; number < 1000; number++) {
            seen.mark(number, "n" + number % 3);
        }
        seen.clear(5L, "n1");
        long wrong = 0;
        for (long number = 0; number < 1000; number++) {
            for (int namespace = 0; namespace < 3; namespace++) {
                boolean is = seen.isMarked(number, "n" + namespace);
                if (namespace == number % 3) {
                    assertThat(is).isTrue();
                } else {
                    wrong += is ? 1 : 0;
                }
            }
        }
        assertThat(wrong).isLessThanOrEqualTo(allowed(2000));
    }

    @Test
    void windowsAreNamespaces() throws Exception {
        KeyedJob<Long> job = job();
        job.start(1);
        Flags<Long, TimeWindow> seen =
                job.flags(backends.flag("seen"), new TimeWindow.Serializer());
        TimeWindow early = new TimeWindow(0, 10);
        TimeWindow late = new TimeWindow(10, 20);
        seen.mark(1L, early);
        assertThat(seen.isMarked(1L, early)).isTrue();
        assertThat(seen.at(1L, late).value()).isNull();
        seen.clear(1L, early);
        assertThat(seen.at(1L, early).value()).isNull();
    }

    @Test
    void aKeyAndANamespaceDoNotRunTogether() throws Exception {
        KeyedJob<String> job = job(KeyKind.STRINGS, MAX_PARALLELISM);
        job.start(1);
        Flags<String, String> seen = job.flags(backends.flag("seen"), StringSerializer.INSTANCE);
        seen.mark("ab", "c");
        assertThat(seen.at("a", "bc").value()).isNull();
        assertThat(seen.at("abc", "").value()).isNull();
        assertThat(seen.at("ab", "c").value()).isTrue();
    }

    @Test
    void statesOfOtherNamesAreApart() throws Exception {
        KeyedJob<Long> job = job();
        job.start(1);
        Flags<Long, VoidNamespace> one = job.flags(backends.flag("one"));
        Flags<Long, VoidNamespace> two = job.flags(backends.flag("two"));
        for (long number = 0; number < 1000; number++) {
            (number % 2 == 0 ? one : two).mark(number, NOWHERE);
        }
        assertMarked(one, 1000, number -> number % 2 == 0);
        assertMarked(two, 1000, number -> number % 2 == 1);
    }

    @Test
    void aStateIsTheSameForEveryCaller() throws Exception {
        KeyedJob<Long> job = job();
        job.start(1);
        Flags<Long, VoidNamespace> one = job.flags(backends.flag("seen"));
        Flags<Long, VoidNamespace> same = job.flags(backends.flag("seen"));
        one.mark(1L, NOWHERE);
        assertThat(same.isMarked(1L, NOWHERE)).isTrue();
        same.clear(1L, NOWHERE);
        assertThat(one.isMarked(1L, NOWHERE)).isFalse();
    }

    @Test
    void aStateFollowsTheCurrentKey() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        CheckpointableKeyedStateBackend<Long> backend = seen.job().subtask(0).backend();
        ValueState<Boolean> state = seen.at(1L, NOWHERE);
        assertThat(state.value()).isNull();
        backend.setCurrentKey(2L);
        state.update(true);
        backend.setCurrentKey(1L);
        assertThat(state.value()).isNull();
        backend.setCurrentKeyAndKeyGroup(
                2L, KeyGroupRangeAssignment.assignToKeyGroup(2L, MAX_PARALLELISM));
        assertThat(state.value()).isTrue();
        state.clear();
        backend.setCurrentKey(2L);
        assertThat(state.value()).isNull();
    }

    @Test
    void listenersHearOfEveryKey() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        CheckpointableKeyedStateBackend<Long> backend = seen.job().subtask(0).backend();
        List<Long> heard = new ArrayList<>();
        backend.registerKeySelectionListener(heard::add);
        seen.mark(3L, NOWHERE);
        seen.mark(4L, NOWHERE);
        backend.setCurrentKey(3L);
        assertThat(heard).containsExactly(3L, 4L, 3L);
        assertThat(backend.getCurrentKey()).isEqualTo(3L);
    }

    @Test
    void aDefaultIsAnsweredForWhatIsNotMarked() throws Exception {
        KeyedJob<Long> job = job();
        job.start(1);
        Flags<Long, VoidNamespace> seen = job.flags(backends.flagWithDefault("seen", false));
        assertThat(seen.at(1L, NOWHERE).value()).isFalse();
        seen.mark(1L, NOWHERE);
        assertThat(seen.at(1L, NOWHERE).value()).isTrue();
        seen.clear(1L, NOWHERE);
        assertThat(seen.at(1L, NOWHERE).value()).isFalse();
    }

    @Test
    void theBackendKnowsItsKeysSerializer() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        assertThat(seen.job().subtask(0).backend().getKeySerializer())
                .isEqualTo(LongSerializer.INSTANCE);
    }
}
