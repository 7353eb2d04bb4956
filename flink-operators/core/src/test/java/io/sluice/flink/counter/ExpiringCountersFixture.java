/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.AfterEach;

/**
 * Counters that expire, in a harness. The fields are options; what is set counts from the next
 * {@link #counters} on.
 */
abstract class ExpiringCountersFixture {

    /** An operation on a counter. */
    record Click(String page, long request) {}

    static final long MAX_WATERMARK = Long.MAX_VALUE;

    TimeDomain timeDomain = TimeDomain.EVENT;
    Duration expireAfter = Duration.ofSeconds(10);
    long emitMillis;
    boolean withFilter = true;
    boolean forgetDuringDowntime;
    long requests;

    /** Null if the wall clock of the test is used as it is. */
    @Nullable LongSupplier steadyNanos;

    Subtasks<String, Click, CounterValue<String>> stream = subtasks(Backends.HASHMAP);

    static Subtasks<String, Click, CounterValue<String>> subtasks(Backends backend) {
        return new Subtasks<>(Click::page, Types.STRING, 90, backend);
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    /** Five seconds of retries, and event times that are believed for twenty. */
    static WindowSettings settings(TimeDomain timeDomain, boolean forgetDuringDowntime) {
        return new WindowSettings(
                Duration.ofSeconds(5),
                1e-9,
                1000,
                MemorySize.ofMebiBytes(16),
                OverflowPolicy.FAIL,
                timeDomain,
                forgetDuringDowntime,
                0,
                timeDomain == TimeDomain.EVENT ? Duration.ofSeconds(20) : null,
                false,
                null,
                null);
    }

    Supplier<OneInputStreamOperator<Click, CounterValue<String>>> counters() {
        WindowSettings settings = settings(timeDomain, forgetDuringDowntime);
        KeySelector<Click, String> page = Click::page;
        KeySelector<Click, Long> request = Click::request;
        IdHasher<String> pages = IdHasher.of(Types.STRING, new SerializerConfigImpl());
        Counting<Click, String> counting =
                new Counting<>(
                        page,
                        click -> 1,
                        emitMillis,
                        StringSerializer.INSTANCE,
                        pages,
                        OnNullId.fail(),
                        CounterExpiry.of(settings, expireAfter),
                        null);
        OperationHasher<Click, String, Long> hasher =
                new OperationHasher<>(
                        pages, request, IdHasher.of(Types.LONG, new SerializerConfigImpl()), false);
        boolean filter = withFilter;
        TimeDomain domain = timeDomain;
        LongSupplier steady = steadyNanos;
        return () -> {
            KeyGroupedOperator<Click, CounterValue<String>, ?> operator =
                    filter
                            ? new CounterOperator<>(
                                    counting,
                                    CounterStore.emission(),
                                    settings,
                                    Batching.OFF,
                                    hasher,
                                    OnDuplicate.drop(),
                                    OnLate.forward(),
                                    OnNullId.fail(),
                                    0)
                            : new PlainCounterOperator<>(counting, domain);
            operator.steadyNanos(steady);
            return operator;
        };
    }

    /** Applies a new operation, and returns the value of its counter. */
    long click(String page, long timestamp) throws Exception {
        List<CounterValue<String>> values = stream.process(new Click(page, requests++), timestamp);
        assertThat(values).hasSize(1);
        return values.get(0).value();
    }

    long timers() {
        return stream.harnesses().stream()
                .mapToLong(
                        harness -> harness.numEventTimeTimers() + harness.numProcessingTimeTimers())
                .sum();
    }

    void restart(int parallelism) throws Exception {
        stream.snapshot();
        stream.start(parallelism, counters());
    }
}
