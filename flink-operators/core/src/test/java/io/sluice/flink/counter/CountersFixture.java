/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.IdHasher;
import java.time.Duration;
import java.util.function.Supplier;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;

/** Operators for operations that are their own ids, in event time. */
final class CountersFixture {

    Duration window = Duration.ofSeconds(1);
    double fpp = 1e-9;
    long idsPerSecond = 1_000;
    MemorySize memory = MemorySize.ofMebiBytes(16);
    OverflowPolicy overflow = OverflowPolicy.FAIL;
    Delta<Long> delta = operation -> 1;
    long emitMillis;
    Batching batching = Batching.OFF;
    boolean resetClock;
    Duration expireAfter;
    KeySelector<Long, Long> id = operation -> operation;

    /** By how much operations may be older than their corrections. */
    long olderMillis;

    private final KeySelector<Long, Long> counter;
    private final IdHasher<Long> longs = IdHasher.of(Types.LONG, new SerializerConfigImpl());

    CountersFixture(KeySelector<Long, Long> counter) {
        this.counter = counter;
    }

    Supplier<OneInputStreamOperator<Long, CounterValue<Long>>> withFilter() {
        WindowSettings settings = settings();
        Counting<Long, Long> counting = counting(settings);
        Batching batches = batching;
        long older = olderMillis;
        return () ->
                new CounterOperator<>(
                        counting,
                        CounterStore.emission(),
                        settings,
                        batches,
                        hasher(),
                        OnDuplicate.drop(),
                        OnLate.forward(),
                        OnNullId.fail(),
                        older);
    }

    Supplier<OneInputStreamOperator<Long, CounterValue<Long>>> withoutFilter() {
        Counting<Long, Long> counting = counting(settings());
        return () -> new PlainCounterOperator<>(counting, TimeDomain.EVENT);
    }

    /** For operations in the order of BATCH execution. */
    Supplier<OneInputStreamOperator<Long, CounterValue<Long>>> sorted() {
        WindowSettings settings = settings();
        Counting<Long, Long> counting = counting(settings);
        return () ->
                new SortedCounterOperator<>(
                        counting, settings, hasher(), OnDuplicate.drop(), OnNullId.fail());
    }

    /** The first of two phases. */
    Supplier<OneInputStreamOperator<Long, CounterUpdate<Long>>> sums() {
        WindowSettings settings = settings();
        Counting<Long, Long> counting = counting(settings).local();
        Batching batches = batching;
        return () ->
                new CounterOperator<>(
                        counting,
                        LocalSums.emission(),
                        settings,
                        batches,
                        hasher(true),
                        OnDuplicate.drop(),
                        OnLate.forward(),
                        OnNullId.fail(),
                        0);
    }

    /** The second of two phases. */
    Supplier<OneInputStreamOperator<CounterUpdate<Long>, CounterValue<Long>>> totals() {
        Counting<CounterUpdate<Long>, Long> counting = counting(settings()).global();
        return () -> new GlobalCounterOperator<>(counting, TimeDomain.EVENT);
    }

    private OperationHasher<Long, Long, Long> hasher() {
        return hasher(false);
    }

    private OperationHasher<Long, Long, Long> hasher(boolean keyedById) {
        return new OperationHasher<>(longs, id, longs, keyedById);
    }

    private WindowSettings settings() {
        return new WindowSettings(
                window,
                fpp,
                idsPerSecond,
                memory,
                overflow,
                TimeDomain.EVENT,
                false,
                0,
                null,
                resetClock,
                null,
                null);
    }

    private Counting<Long, Long> counting(WindowSettings settings) {
        return new Counting<>(
                counter,
                delta,
                emitMillis,
                LongSerializer.INSTANCE,
                longs,
                OnNullId.fail(),
                CounterExpiry.of(settings, expireAfter),
                null);
    }
}
