/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.StreamKey;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When totals expire that are touched at the edges of time, or whose keys are not texts. */
class ExpiringCounterEdgesTest {

    private static final SerializerConfigImpl CONFIG = new SerializerConfigImpl();

    /** An operation on a counter. */
    record Operation<K>(K counter, long id) {}

    private static <K> Supplier<OneInputStreamOperator<Operation<K>, CounterValue<K>>> counters(
            TypeInformation<K> type, long emitMillis, boolean withFilter) {
        WindowSettings settings = ExpiringCountersFixture.settings(TimeDomain.EVENT, false);
        KeySelector<Operation<K>, K> counter = Operation::counter;
        KeySelector<Operation<K>, Long> id = Operation::id;
        IdHasher<K> hasher = IdHasher.of(type, CONFIG);
        Counting<Operation<K>, K> counting =
                new Counting<>(
                        counter,
                        operation -> 1,
                        emitMillis,
                        type.createSerializer(CONFIG),
                        hasher,
                        OnNullId.fail(),
                        CounterExpiry.of(settings, Duration.ofSeconds(10)),
                        null);
        return () ->
                withFilter
                        ? new CounterOperator<>(
                                counting,
                                CounterStore.emission(),
                                settings,
                                Batching.OFF,
                                new OperationHasher<>(
                                        hasher, id, IdHasher.of(Types.LONG, CONFIG), false),
                                OnDuplicate.drop(),
                                OnLate.forward(),
                                OnNullId.fail(),
                                0)
                        : new PlainCounterOperator<>(counting, TimeDomain.EVENT);
    }

    private static <K> Subtasks<Object, Operation<K>, CounterValue<K>> subtasks(
            TypeInformation<K> type) {
        IdHasher<K> hasher = IdHasher.of(type, CONFIG);
        KeySelector<Operation<K>, K> counter = Operation::counter;
        return new Subtasks<>(
                new StreamKey<>(counter, hasher), hasher.keyType(), 90, Backends.HASHMAP);
    }

    private static <K> void whoseUpdateWaits(TypeInformation<K> type, K counter) throws Exception {
        Subtasks<Object, Operation<K>, CounterValue<K>> stream = subtasks(type);
        try {
            stream.start(1, counters(type, 1_000_000, true));
            stream.watermark(0);
            stream.process(new Operation<>(counter, 1), 1000);
            stream.snapshot();
            stream.process(new Operation<>(counter, 2), 13_000);

            stream.watermark(12_000);

            assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
            List<CounterValue<K>> last = stream.endInput();
            assertThat(last).extracting(CounterValue::value).containsExactly(2L);
        } finally {
            stream.close();
        }
    }

    @Test
    void aCounterWhoseUpdateWaitsIsNotForgottenWhateverItsType() throws Exception {
        whoseUpdateWaits(Types.STRING, "a");
        whoseUpdateWaits(Types.LONG, 7L);
        whoseUpdateWaits(Types.INT, 7);
        whoseUpdateWaits(Types.TUPLE(Types.STRING, Types.INT), Tuple2.of("a", 7));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTouchAfterARestoreAndBeforeItsFirstWatermarkCounts(boolean withFilter) throws Exception {
        Subtasks<Object, Operation<String>, CounterValue<String>> stream = subtasks(Types.STRING);
        try {
            stream.start(1, counters(Types.STRING, 0, withFilter));
            stream.watermark(0);
            stream.process(new Operation<>("a", 1), 1000);
            stream.process(new Operation<>("b", 2), 1000);
            stream.snapshot();
            stream.start(2, counters(Types.STRING, 0, withFilter));

            stream.process(new Operation<>("a", 3), 12_500);
            stream.watermark(12_000);

            assertThat(stream.process(new Operation<>("a", 4), 12_600))
                    .extracting(CounterValue::value)
                    .containsExactly(3L);
            assertThat(stream.process(new Operation<>("b", 5), 12_600))
                    .extracting(CounterValue::value)
                    .containsExactly(1L);
            stream.watermark(22_000);
            assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
            stream.watermark(1_000_000);
            assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(3);
        } finally {
            stream.close();
        }
    }
}
