/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CounterOperatorTest {

    /** An operation on a counter. */
    record Click(String page, long request, long amount) {}

    private static final OutputTag<Click> RETRIES =
            new OutputTag<>("retries", TypeInformation.of(new TypeHint<Click>() {}));

    private double fpp = 1e-9;
    private long emitMillis;
    private Batching batching = Batching.OFF;
    private OnDuplicate<Click> onDuplicate = OnDuplicate.drop();
    private OnLate<Click> onLate = OnLate.forward();
    private Subtasks<String, Click, CounterValue<String>> stream = subtasks(Backends.HASHMAP);

    private static Subtasks<String, Click, CounterValue<String>> subtasks(Backends backend) {
        return new Subtasks<>(Click::page, Types.STRING, 90, backend);
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private Supplier<OneInputStreamOperator<Click, CounterValue<String>>> counters(
            boolean withFilter) {
        WindowSettings settings =
                new WindowSettings(
                        Duration.ofSeconds(1),
                        fpp,
                        100_000,
                        MemorySize.ofMebiBytes(64),
                        OverflowPolicy.FORGET_OLDEST,
                        TimeDomain.EVENT,
                        false,
                        1024,
                        null,
                        false,
                        null,
                        null);
        KeySelector<Click, String> page = Click::page;
        KeySelector<Click, Long> request = Click::request;
        IdHasher<String> pages = IdHasher.of(Types.STRING, new SerializerConfigImpl());
        OperationHasher<Click, String, Long> hasher =
                new OperationHasher<>(
                        pages, request, IdHasher.of(Types.LONG, new SerializerConfigImpl()), false);
        Counting<Click, String> counting =
                new Counting<>(
                        page,
                        Click::amount,
                        emitMillis,
                        StringSerializer.INSTANCE,
                        pages,
                        OnNullId.fail(),
                        CounterExpiry.of(settings, null),
                        null);
        return () ->
                withFilter
                        ? new CounterOperator<>(
                                counting,
                                CounterStore.emission(),
                                settings,
                                batching,
                                hasher,
                                onDuplicate,
                                onLate,
                                OnNullId.fail(),
                                0)
                        : new PlainCounterOperator<>(counting, settings.timeDomain());
    }

    private static List<Long> values(List<CounterValue<String>> emitted) {
        return emitted.stream().map(CounterValue::value).toList();
    }

    @Test
    void aRetryIsNotCounted() throws Exception {
        onDuplicate = OnDuplicate.sideOutput(RETRIES);
        stream.start(1, counters(true));
        assertThat(values(stream.process(new Click("a", 1, 5), 10))).containsExactly(5L);
        assertThat(stream.process(new Click("a", 1, 5), 11)).isEmpty();
        assertThat(values(stream.process(new Click("a", 2, -2), 12))).containsExactly(3L);
        assertThat(stream.sideOutput(RETRIES)).containsExactly(new Click("a", 1, 5));
        assertThat(stream.counter(DeduplicateMetrics.RECORDS)).isEqualTo(3);
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(1);
    }

    @Test
    void oneOperationIdOnTwoCountersIsTwoOperations() throws Exception {
        stream.start(1, counters(true));
        assertThat(values(stream.process(new Click("a", 1, 1), 0))).containsExactly(1L);
        assertThat(values(stream.process(new Click("b", 1, 1), 0))).containsExactly(1L);
        assertThat(stream.process(new Click("b", 1, 1), 0)).isEmpty();
    }

    @Test
    void withoutFilterEveryRetryCounts() throws Exception {
        stream.start(1, counters(false));
        stream.process(new Click("a", 1, 1), 0);
        assertThat(values(stream.process(new Click("a", 1, 1), 0))).containsExactly(2L);
    }

    @Test
    void valuesCarryTimestampAndBound() throws Exception {
        fpp = 0.01;
        stream.start(1, counters(true));
        for (long request = 0; request < 5000; request++) {
            stream.process(new Click("a", request, 3), request / 10);
        }
        CounterValue<String> value = null;
        while (value == null) {
            var emitted = stream.process(new Click("a", Seeds.seed(0), 3), 777);
            value = emitted.isEmpty() ? null : emitted.get(0);
        }
        assertThat(value.timestamp()).isEqualTo(777);
        double lost = 3.0 * 5001 - value.value();
        // Multiples of 3, five sigma, and a tenth for the sampled prediction.
        assertThat(value.expectedUndercount())
                .isPositive()
                .isCloseTo(lost, within(3 * 5 * Math.sqrt(lost / 3) + lost / 10));
    }

    @Test
    void theExpectedUndercountIsWhatIsLostInTheMean() throws Exception {
        fpp = 0.25;
        stream.start(2, counters(true));
        long counted = 0;
        double expected = 0;
        long operations = 40_000;
        Map<String, CounterValue<String>> last = new HashMap<>();
        for (long request = 0; request < operations; request++) {
            Click click = new Click("page" + request % 300, request, 1);
            stream.process(click, 0).forEach(value -> last.put(value.counter(), value));
        }
        for (CounterValue<String> value : last.values()) {
            counted += value.value();
            expected += value.expectedUndercount();
        }
        double lost = operations - counted;
        // Poisson to five sigma, and a tenth for the sampled prediction.
        assertThat(lost).isGreaterThan(20);
        assertThat(expected).isCloseTo(lost, within(5 * Math.sqrt(lost) + lost / 10));
    }

    @Test
    void undercountIsPOverOneMinusPOfTheDelta() {
        assertThat(CounterTotal.undercount(9, 0.1)).isCloseTo(1.0, within(1e-12));
        assertThat(CounterTotal.undercount(-9, 0.1)).isCloseTo(-1.0, within(1e-12));
        assertThat(CounterTotal.undercount(9, 0)).isZero();
        assertThat(CounterTotal.undercount(1, 1)).isFinite();
    }

    @Test
    void lateOperationsFollowThePolicy() throws Exception {
        stream.start(1, counters(true));
        stream.watermark(5000);
        assertThat(values(stream.process(new Click("a", 1, 1), 10))).containsExactly(1L);
        onLate = OnLate.drop();
        stream.start(1, counters(true));
        stream.watermark(5000);
        assertThat(stream.process(new Click("a", 1, 1), 10)).isEmpty();
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isEqualTo(1);
    }

    @Test
    void changedCountersAreEmittedOncePerInterval() throws Exception {
        emitMillis = 1000;
        stream.start(1, counters(true));
        for (long request = 0; request < 10; request++) {
            assertThat(stream.process(new Click("a", request, 1), request)).isEmpty();
        }
        var harness = stream.harnesses().get(0);
        stream.processingTime(999);
        assertThat(harness.extractOutputValues()).isEmpty();
        stream.processingTime(1000);
        assertThat(harness.extractOutputValues()).hasSize(1);
        CounterValue<String> value = harness.extractOutputValues().get(0);
        assertThat(value.value()).isEqualTo(10);
        assertThat(value.timestamp()).isEqualTo(9);
        stream.processingTime(5000);
        assertThat(harness.extractOutputValues()).as("nothing changed").hasSize(1);
    }

    @Test
    void checkpointAndEndOfInputFlush() throws Exception {
        emitMillis = 1_000_000;
        stream.start(2, counters(true));
        stream.process(new Click("a", 1, 1), 0);
        stream.process(new Click("b", 1, 2), 0);
        assertThat(values(stream.snapshot())).containsExactlyInAnyOrder(1L, 2L);
        assertThat(stream.snapshot()).isEmpty();
        stream.process(new Click("a", 2, 1), 0);
        stream.start(3, counters(true));
        assertThat(stream.process(new Click("a", 1, 1), 0)).isEmpty();
        stream.process(new Click("a", 2, 1), 0);
        assertThat(values(stream.endInput())).containsExactly(2L);
    }

    @Test
    void nothingOvertakesAnOperationThatWaitsForItsBatch() throws Exception {
        batching = new Batching(100, 5);
        stream.start(1, counters(true));
        var harness = stream.harnesses().get(0);
        assertThat(stream.process(new Click("a", 1, 1), 10)).isEmpty();
        stream.watermark(10);
        assertThat(values(harness.extractOutputValues())).containsExactly(1L);
        assertThat(harness.getOutput().toArray()[1]).isEqualTo(new Watermark(10));
        assertThat(stream.process(new Click("a", 1, 1), 10)).isEmpty();
        assertThat(stream.process(new Click("a", 2, 1), 10)).isEmpty();
        assertThat(values(stream.snapshot())).containsExactly(2L);
        assertThat(stream.process(new Click("a", 3, 1), 10)).isEmpty();
        assertThat(values(stream.endInput())).containsExactly(3L);
    }

    @Test
    void anOperationWaitsNoLongerThanTheDelayOfTheBatch() throws Exception {
        batching = new Batching(100, 5);
        stream.start(1, counters(true));
        var harness = stream.harnesses().get(0);
        stream.process(new Click("a", 1, 1), 10);
        stream.processingTime(4);
        assertThat(harness.extractOutputValues()).isEmpty();
        stream.processingTime(5);
        assertThat(values(harness.extractOutputValues())).containsExactly(1L);
    }

    @Test
    void withoutFilterThereIsNoBatch() throws Exception {
        batching = new Batching(100, 5);
        stream.start(1, counters(false));
        assertThat(values(stream.process(new Click("a", 1, 1), 0))).containsExactly(1L);
    }

    @Test
    void pendingUpdatesAreBounded() throws Exception {
        emitMillis = 1_000_000;
        stream.start(1, counters(false));
        for (int page = 0; page < PendingUpdates.MAX_COUNTERS; page++) {
            assertThat(stream.process(new Click("p" + page, 1, 1), 0)).isEmpty();
        }
        assertThat(stream.process(new Click("one more", 1, 1), 0))
                .hasSize(PendingUpdates.MAX_COUNTERS);
        assertThat(stream.endInput()).hasSize(1);
    }

    @Test
    void aSavepointWithoutFilterIsNoneWithFilter() throws Exception {
        stream.start(1, counters(false));
        stream.process(new Click("a", 1, 1), 0);
        stream.snapshot();
        assertThatThrownBy(() -> stream.start(1, counters(true)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("counters without filter", "counters with filter");
    }

    @ParameterizedTest
    @EnumSource
    void agreesWithTheTruthOverFailuresAndRescaling(Backends backend) throws Exception {
        stream = subtasks(backend);
        Random random = new Random(Seeds.seed(0));
        emitMillis = backend == Backends.HASHMAP ? 0 : 100;
        Map<String, Long> truth = new HashMap<>();
        Map<String, Long> savedTruth = new HashMap<>();
        Set<Long> applied = new HashSet<>();
        Set<Long> savedApplied = new HashSet<>();
        Map<String, Long> emitted = new HashMap<>();
        Map<String, Long> savedEmitted = new HashMap<>();
        int[] parallelisms = {3, 2, 5, 4};
        for (int parallelism : parallelisms) {
            batching = new Batching(1 + random.nextInt(20), 5);
            stream.start(parallelism, counters(true));
            truth = new HashMap<>(savedTruth);
            applied = new HashSet<>(savedApplied);
            emitted = new HashMap<>(savedEmitted);
            for (int i = 0; i < 2000; i++) {
                if (i == 1500) {
                    put(stream.snapshot(), emitted);
                    savedEmitted = new HashMap<>(emitted);
                    savedTruth = new HashMap<>(truth);
                    savedApplied = new HashSet<>(applied);
                }
                long request = random.nextInt(1500);
                Click click = new Click("page" + request % 40, request, 1 + request % 3);
                if (applied.add(request)) {
                    truth.merge(click.page(), click.amount(), Long::sum);
                }
                put(stream.process(click, 100), emitted);
            }
        }
        put(stream.endInput(), emitted);
        assertThat(emitted).as(Seeds.describe(Seeds.seed(0))).isEqualTo(truth);
    }

    private static void put(List<CounterValue<String>> values, Map<String, Long> into) {
        values.forEach(value -> into.put(value.counter(), value.value()));
    }
}
