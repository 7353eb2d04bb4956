/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.util.OutputTag;

/** Deduplicate operators over a stream of {@code Long} values that are their own ids. */
final class DeduplicateFixture {

    static final OutputTag<Long> DUPLICATES = new OutputTag<>("duplicates", Types.LONG);
    static final OutputTag<Long> LATE = new OutputTag<>("late", Types.LONG);

    Duration window = Duration.ofSeconds(1);
    double fpp = 1e-9;
    long idsPerSecond = 1000;
    MemorySize memory = MemorySize.ofMebiBytes(64);
    OverflowPolicy overflow = OverflowPolicy.FAIL;
    TimeDomain timeDomain = TimeDomain.EVENT;
    boolean forgetDuringDowntime;
    int shadowIds = 4096;
    Duration maxFuture;
    Double maxFpp;
    boolean resetClock;
    OnDuplicate<Long> onDuplicate = OnDuplicate.drop();
    OnLate<Long> onLate = OnLate.forward();
    OnNullId<Long> onNullId = OnNullId.fail();
    PassRule rule = PassRule.FIRST;
    KeySelector<Long, Long> ids = identity();

    /** Null if contents are not compared. */
    Conflicts<Long> conflicts;

    /** Decides each record immediately, because tests check its output. */
    Batching batching = Batching.OFF;

    WindowSettings settings() {
        return settings(timeDomain, maxFuture, resetClock);
    }

    private WindowSettings settings(TimeDomain domain, Duration ahead, boolean resets) {
        return new WindowSettings(
                window,
                fpp,
                idsPerSecond,
                memory,
                overflow,
                domain,
                forgetDuringDowntime,
                shadowIds,
                ahead,
                resets,
                maxFpp,
                null);
    }

    Supplier<OneInputStreamOperator<Long, Long>> filter() {
        return this::deduplicate;
    }

    /** The wall clock of the test is checked by this clock. */
    Supplier<OneInputStreamOperator<Long, Long>> filter(LongSupplier steadyMillis) {
        return () -> {
            DeduplicateOperator<Long, Long> operator = deduplicate();
            operator.steadyNanos(() -> steadyMillis.getAsLong() * 1_000_000);
            return operator;
        };
    }

    private DeduplicateOperator<Long, Long> deduplicate() {
        return new DeduplicateOperator<>(
                settings(),
                batching,
                ids,
                hasher(),
                onDuplicate,
                conflicts,
                onLate,
                onNullId,
                rule);
    }

    Supplier<OneInputStreamOperator<Long, Long>> verified() {
        return () ->
                new VerifyingDeduplicateOperator<>(
                        settings(), ids, hasher(), onDuplicate, conflicts, onLate, onNullId);
    }

    /** The wall clock of the test is checked by this clock. */
    Supplier<OneInputStreamOperator<Long, Long>> verified(LongSupplier steadyMillis) {
        return () -> {
            VerifyingDeduplicateOperator<Long, Long> operator =
                    new VerifyingDeduplicateOperator<>(
                            settings(), ids, hasher(), onDuplicate, conflicts, onLate, onNullId);
            operator.steadyNanos(() -> steadyMillis.getAsLong() * 1_000_000);
            return operator;
        };
    }

    /** In processing time. */
    Supplier<OneInputStreamOperator<Long, Long>> inState() {
        return () -> state(settings(TimeDomain.PROCESSING, null, false));
    }

    /** With the clock that it has on disk, if it is in event time. */
    Supplier<OneInputStreamOperator<Long, Long>> onDisk() {
        return () -> state(settings());
    }

    private StateDeduplicateOperator<Long, Long> state(WindowSettings settings) {
        return new StateDeduplicateOperator<>(
                settings,
                false,
                batching,
                ids,
                hasher(),
                onDuplicate,
                conflicts,
                onLate,
                onNullId,
                rule);
    }

    Supplier<OneInputStreamOperator<Long, Long>> sorted() {
        return () ->
                new SortedDeduplicateOperator<>(
                        settings().windowMillis(),
                        settings().timeDomain(),
                        ids,
                        hasher(),
                        onDuplicate,
                        conflicts,
                        onNullId,
                        rule);
    }

    static Subtasks<Long, Long, Long> subtasks(int maxParallelism, Supplier<StateBackend> backend) {
        return new Subtasks<>(identity(), Types.LONG, maxParallelism, backend);
    }

    static KeySelector<Long, Long> identity() {
        return id -> id;
    }

    static IdHasher<Long> hasher() {
        return IdHasher.of(Types.LONG, new SerializerConfigImpl());
    }
}
