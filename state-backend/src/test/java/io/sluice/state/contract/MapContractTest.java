/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.StateTtlConfig.UpdateType;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Maps whose entries only say "seen". */
class MapContractTest extends StateContract {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final TypeSerializer<VoidNamespace> NO_NAMESPACES =
            VoidNamespaceSerializer.INSTANCE;

    /** Entries are spread over so many keys. */
    private static final int KEYS = 13;

    private static final long START = 1_700_000_000_000L;
    private static final long TTL = 10_000;

    private MapFlags<VoidNamespace> startedMap(int parallelism) throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(parallelism);
        return job.mapFlags(StateBackends.mapOfFlags(), NO_NAMESPACES);
    }

    private static MapStateDescriptor<String, Boolean> expiring(UpdateType update) {
        MapStateDescriptor<String, Boolean> descriptor = StateBackends.mapOfFlags();
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(TTL)).setUpdateType(update).build());
        return descriptor;
    }

    private static void mark(MapFlags<VoidNamespace> flags, long from, long to) throws Exception {
        for (long number = from; number < to; number++) {
            flags.mark(number % KEYS, NOWHERE, "m" + number);
        }
    }

    private void assertMarked(MapFlags<VoidNamespace> flags, long end, LongPredicate marked)
            throws Exception {
        long absent = 0;
        long wrong = 0;
        long lost = 0;
        for (long number = 0; number < end; number++) {
            boolean is = flags.isMarked(number % KEYS, NOWHERE, "m" + number);
            if (marked.test(number)) {
                lost += is ? 0 : 1;
            } else {
                absent++;
                wrong += is ? 1 : 0;
            }
        }
        assertThat(lost).as("lost").isLessThanOrEqualTo(allowed(flags.removes()));
        assertThat(wrong).as("without cause of %d", absent).isLessThanOrEqualTo(allowed(absent));
    }

    @Test
    void everyEntryIsThereAndNoOther() throws Exception {
        MapFlags<VoidNamespace> flags = startedMap(2);
        mark(flags, 0, 3000);
        assertMarked(flags, 9000, number -> number < 3000);
    }

    @Test
    void anEntryIsSeenAtOnceAndMayBePutAgain() throws Exception {
        MapFlags<VoidNamespace> flags = startedMap(1);
        var map = flags.at(7, NOWHERE);
        assertThat(map.contains("a")).isFalse();
        map.put("a", true);
        assertThat(map.get("a")).isTrue();
        map.put("a", true);
        assertThat(map.contains("a")).isTrue();
        map.remove("a");
        assertThat(map.get("a")).isNull();
        map.put("a", true);
        assertThat(map.get("a")).isTrue();
    }

    @Test
    void aMapFollowsTheCurrentKey() throws Exception {
        MapFlags<VoidNamespace> flags = startedMap(1);
        var map = flags.at(1, NOWHERE);
        map.put("a", true);
        var backend = flags.job().subtask(0).backend();
        backend.setCurrentKey(2L);
        assertThat(map.contains("a")).isFalse();
        map.put("a", true);
        backend.setCurrentKey(3L);
        map.put("b", true);
        assertThat(map.contains("a")).isFalse();
        backend.setCurrentKey(2L);
        assertThat(map.contains("a")).isTrue();
        assertThat(map.contains("b")).isFalse();
    }

    @Test
    void aRemovedEntryIsGoneAndOnlyThat() throws Exception {
        MapFlags<VoidNamespace> flags = startedMap(2);
        mark(flags, 0, 2000);
        for (long number = 0; number < 2000; number += 2) {
            flags.remove(number % KEYS, NOWHERE, "m" + number);
        }
        assertMarked(flags, 2000, number -> number % 2 == 1);
    }

    @Test
    void allEntriesOfAMapArePut() throws Exception {
        MapFlags<VoidNamespace> flags = startedMap(2);
        for (long key = 0; key < KEYS; key++) {
            Map<String, Boolean> entries = new HashMap<>();
            for (long number = key; number < 2000; number += KEYS) {
                entries.put("m" + number, true);
            }
            flags.markAll(key, NOWHERE, entries);
            flags.markAll(key, NOWHERE, Map.of());
        }
        assertMarked(flags, 4000, number -> number < 2000);
    }

    @Test
    void namespacesKeysAndKeysOfMapsDoNotRunTogether() throws Exception {
        KeyedJob<Long> job = job();
        job.start(2);
        MapFlags<String> flags =
                job.mapFlags(StateBackends.mapOfFlags(), StringSerializer.INSTANCE);
        int numbers = 1600;
        for (int number = 0; number < numbers; number += 3) {
            flags.mark(number / 16, "s" + number / 4 % 4, "s" + number % 4);
        }
        long wrong = 0;
        for (int number = 0; number < numbers; number++) {
            boolean is = flags.isMarked(number / 16, "s" + number / 4 % 4, "s" + number % 4);
            if (number % 3 == 0) {
                assertThat(is).as("%d is marked", number).isTrue();
            } else {
                wrong += is ? 1 : 0;
            }
        }
        assertThat(wrong).isLessThanOrEqualTo(allowed(numbers));
    }

    @Test
    void entriesComeBackAtAnyParallelism() throws Exception {
        MapFlags<VoidNamespace> flags = startedMap(2);
        KeyedJob<Long> job = flags.job();
        long end = 0;
        for (int parallelism : new int[] {3, 1, 4}) {
            mark(flags, end, end + 2000);
            end += 2000;
            long known = end;
            job.checkpoint();
            mark(flags, known, known + 500);
            job.start(parallelism);
            assertMarked(flags, known + 500, number -> number < known);
        }
    }

    @ParameterizedTest
    @EnumSource(SavepointFormatType.class)
    void savepointsOfBothFormatsHoldEntries(SavepointFormatType format) throws Exception {
        MapFlags<VoidNamespace> flags = startedMap(2);
        mark(flags, 0, 2000);
        Checkpoint savepoint = flags.job().checkpoint(SavepointType.savepoint(format));
        flags.job().start(3, savepoint);
        assertMarked(flags, 6000, number -> number < 2000);
    }

    private long slack() {
        int buckets = backends.timeToLiveBuckets();
        return buckets == 0 ? 0 : (TTL + buckets - 1) / buckets;
    }

    @Test
    void eachEntryHasATimeToLiveOfItsOwn() throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(2);
        MapFlags<VoidNamespace> flags =
                job.mapFlags(expiring(UpdateType.OnCreateAndWrite), NO_NAMESPACES);
        mark(flags, 0, 1000);
        job.time().setCurrentTimestamp(START + TTL / 2);
        mark(flags, 1000, 2000);
        mark(flags, 0, 200);
        job.checkpoint();
        job.start(3);
        job.time().setCurrentTimestamp(START + TTL - 1);
        assertMarked(flags, 2000, number -> true);
        job.time().setCurrentTimestamp(START + TTL + slack());
        assertMarked(flags, 2000, number -> number < 200 || number >= 1000);
        job.time().setCurrentTimestamp(START + TTL / 2 + TTL + slack());
        assertMarked(flags, 2000, number -> false);
    }

    @Test
    void aReadBeginsTheTimeAgainWhereThatWasAskedFor() throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(1);
        MapFlags<VoidNamespace> flags =
                job.mapFlags(expiring(UpdateType.OnReadAndWrite), NO_NAMESPACES);
        mark(flags, 0, 1000);
        job.time().setCurrentTimestamp(START + TTL - 1);
        assertMarked(flags, 500, number -> true);
        job.time().setCurrentTimestamp(START + TTL + slack());
        assertMarked(flags, 1000, number -> number < 500);
    }

    /** Entries that RocksDB has kept exactly, restored by the backend under test. */
    @Test
    void entriesMoveIn() throws Exception {
        MapFlags<VoidNamespace> flags = moved(StateBackends.mapOfFlags());
        assertMarked(flags, 4500, number -> number < 1500);
        mark(flags, 1500, 2000);
        flags.job().checkpoint();
        flags.job().start(1);
        assertMarked(flags, 4500, number -> number < 2000);
    }

    @Test
    void entriesThatMoveInKeepTheirAge() throws Exception {
        MapFlags<VoidNamespace> flags = moved(expiring(UpdateType.OnCreateAndWrite));
        KeyedJob<Long> job = flags.job();
        long now = START + 4 * TTL;
        assertMarked(flags, 1500, number -> number >= 500);
        job.time().setCurrentTimestamp(now + TTL / 2 - 1);
        assertMarked(flags, 1500, number -> number >= 500);
        job.time().setCurrentTimestamp(now + TTL / 2 + slack());
        assertMarked(flags, 1500, number -> number >= 1000);
        job.time().setCurrentTimestamp(now + TTL - TTL / 4 + slack());
        assertMarked(flags, 1500, number -> false);
    }

    /** Three times 500 entries: 4, 0.5 and 0.25 times the time-to-live old. */
    private MapFlags<VoidNamespace> moved(MapStateDescriptor<String, Boolean> descriptor)
            throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.changeBackend(StateBackends.ROCKSDB::create);
        job.start(2);
        MapFlags<VoidNamespace> flags = job.mapFlags(descriptor, NO_NAMESPACES);
        long now = START + 4 * TTL;
        mark(flags, 0, 500);
        job.time().setCurrentTimestamp(now - TTL / 2);
        mark(flags, 500, 1000);
        job.time().setCurrentTimestamp(now - TTL / 4);
        mark(flags, 1000, 1500);
        Checkpoint savepoint =
                job.checkpoint(SavepointType.savepoint(SavepointFormatType.CANONICAL));
        job.stop();
        job.time().setCurrentTimestamp(now);
        job.changeBackend(backends::create);
        job.start(3, savepoint);
        return flags;
    }
}
