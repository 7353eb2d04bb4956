/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.OptionException;
import io.sluice.flink.SecondInput;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Operations that were counted elsewhere. An operation here is its own id, adds itself, and its
 * last digit is its counter. The window is a second.
 */
class CorrectionsTest {

    private final CountersFixture fixture = new CountersFixture(operation -> operation % 10);
    private Subtasks<Long, Long, CounterValue<Long>> stream;
    private SecondInput<Long, MissedOperation<Long, Long>, CounterValue<Long>> second;

    CorrectionsTest() {
        fixture.delta = operation -> operation;
        on(Backends.HASHMAP, 64);
    }

    private void on(Backends backend, int maxParallelism) {
        stream = new Subtasks<>(operation -> operation % 10, Types.LONG, maxParallelism, backend);
        second = new SecondInput<>(stream, maxParallelism);
    }

    @AfterEach
    void close() {
        stream.close();
    }

    private static MissedOperation<Long, Long> missed(long operation) {
        return new MissedOperation<>(operation % 10, operation, operation);
    }

    private List<CounterValue<Long>> correct(long operation, long time) throws Exception {
        return second.process(operation % 10, missed(operation), time);
    }

    private void assertCorrections(long applied, long known) {
        assertThat(stream.counter(DeduplicateMetrics.CORRECTED)).isEqualTo(applied);
        assertThat(stream.counter(DeduplicateMetrics.ALREADY_SEEN)).isEqualTo(known);
    }

    private static CounterValue<Long> value(long counter, long value, long timestamp) {
        return new CounterValue<>(counter, value, 0, timestamp);
    }

    private static List<CounterValue<Long>> exact(List<CounterValue<Long>> values) {
        return values.stream()
                .map(value -> value(value.counter(), value.value(), value.timestamp()))
                .toList();
    }

    @Test
    void anOperationThatIsMissingIsCountedOnce() throws Exception {
        stream.start(3, fixture.withFilter());
        assertThat(exact(stream.process(11L, 100))).containsExactly(value(1, 11, 100));
        assertThat(exact(correct(21, 150))).containsExactly(value(1, 32, 150));
        assertThat(correct(21, 160)).as("again").isEmpty();
        assertThat(correct(11, 170)).as("it is not missing").isEmpty();
        assertThat(stream.process(21L, 180)).as("a retry").isEmpty();
        assertCorrections(1, 2);
        assertThat(stream.counter(DeduplicateMetrics.RECORDS)).isEqualTo(2);
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(1);
    }

    @Test
    void theSameIdOfAnotherCounterIsAnotherOperation() throws Exception {
        stream.start(1, fixture.withFilter());
        assertThat(stream.process(11L, 100)).hasSize(1);
        assertThat(exact(second.process(2L, new MissedOperation<>(2L, 11L, 5), 100)))
                .containsExactly(value(2, 5, 100));
    }

    @Test
    void theyAreEmittedLikeOperations() throws Exception {
        fixture.emitMillis = 1000;
        stream.start(1, fixture.withFilter());
        stream.process(11L, 100);
        assertThat(correct(21, 150)).as("it waits").isEmpty();
        assertThat(exact(stream.advance(150))).containsExactly(value(1, 32, 150));
        assertThat(correct(31, 120)).isEmpty();
        stream.harnesses().get(0).getOutput().clear();
        stream.processingTime(1000);
        assertThat(stream.harnesses().get(0).getOutput())
                .as("not late for what follows")
                .hasSize(1)
                .allSatisfy(
                        record ->
                                assertThat(((StreamRecord<?>) record).getTimestamp())
                                        .isEqualTo(151));
        assertThat(correct(41, 200)).isEmpty();
        assertThat(exact(stream.snapshot())).containsExactly(value(1, 104, 200));
    }

    @Test
    void oneOlderThanTheWindowIsLateAndNotCounted() throws Exception {
        stream.start(1, fixture.withFilter());
        stream.watermark(5000);
        assertThat(correct(11, 3999)).isEmpty();
        assertThat(correct(21, Long.MIN_VALUE + 1)).isEmpty();
        assertThat(exact(correct(31, 4100))).containsExactly(value(1, 31, 4100));
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isEqualTo(2);
        assertCorrections(1, 0);
    }

    /** The filter forgets by the time of the operation, which its correction does not know. */
    @Test
    void oneWhoseOperationMayBeForgottenIsNotCountedTwice() throws Exception {
        fixture.olderMillis = 99;
        for (long time : new long[] {100, 120, 124, 199}) {
            for (long clock = 1000; clock <= 1400; clock += 5) {
                stream =
                        new Subtasks<>(
                                operation -> operation % 10, Types.LONG, 64, Backends.HASHMAP);
                second = new SecondInput<>(stream, 64);
                stream.start(1, fixture.withFilter());
                assertThat(stream.process(11L, time)).hasSize(1);
                stream.watermark(clock);
                assertThat(correct(11, 199)).as("of %d at %d", time, clock).isEmpty();
                // One that nobody has is counted as long as it is in the window for certain.
                assertThat(correct(21, 199)).hasSize(clock <= 1100 ? 1 : 0);
                stream.close();
            }
        }
    }

    @Test
    void oneWithoutATimestampIsOfThePresent() throws Exception {
        stream.processingTime(10_000);
        stream.start(1, fixture.withFilter());
        assertThat(exact(second.process(1L, new StreamRecord<>(missed(11)))))
                .containsExactly(value(1, 11, 10_000));
        stream.watermark(20_000);
        assertThat(exact(second.process(1L, new StreamRecord<>(missed(21), Long.MIN_VALUE))))
                .containsExactly(value(1, 32, 20_000));
    }

    @Test
    void oneWithoutACounterOrAnIdIsOnlyCountedAsSuch() throws Exception {
        stream.start(1, fixture.withFilter());
        assertThat(second.process(0L, new MissedOperation<>(null, 1L, 1), 100)).isEmpty();
        assertThat(second.process(1L, new MissedOperation<>(1L, null, 1), 100)).isEmpty();
        assertThat(stream.counter(DeduplicateMetrics.NULL_COUNTERS)).isEqualTo(1);
        assertThat(stream.counter(DeduplicateMetrics.NULL_IDS)).isEqualTo(1);
        assertCorrections(0, 0);
    }

    @Test
    void operationsThatWaitComeBeforeACorrection() throws Exception {
        fixture.batching = new Batching(16, 1000);
        stream.start(1, fixture.withFilter());
        assertThat(stream.process(11L, 100)).as("it waits").isEmpty();
        assertThat(exact(correct(11, 200))).as("it came first").containsExactly(value(1, 11, 100));
        assertCorrections(0, 1);
    }

    @Test
    void theErrorBarKnowsOfThem() throws Exception {
        fixture.fpp = 0.1;
        stream.start(1, fixture.withFilter());
        double undercount = 0;
        long value = 0;
        for (long operation = 1; operation < 40_000; operation += 10) {
            for (CounterValue<Long> emitted : correct(operation, 100)) {
                undercount = emitted.expectedUndercount();
                value = emitted.value();
            }
        }
        assertThat(undercount).isPositive();
        double missing = 4000 / 2 * 40_000.0 - value;
        assertThat(undercount).isBetween(missing / 2, missing * 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void afterTheEndOfTheOperationsCorrectionsGoOn(boolean operationsEndFirst) throws Exception {
        stream.start(1, fixture.withFilter());
        second.firstWatermark(1000);
        assertThat(
                        operationsEndFirst
                                ? second.firstWatermark(Long.MAX_VALUE)
                                : second.secondWatermark(Long.MAX_VALUE))
                .isEmpty();
        assertThat(exact(correct(11, 1500))).containsExactly(value(1, 11, 1500));
        assertThat(stream.harnesses().get(0).getOutput())
                .hasSize(1)
                .allSatisfy(
                        record ->
                                assertThat(((StreamRecord<?>) record).getTimestamp())
                                        .isEqualTo(1500));
        assertThat(
                        operationsEndFirst
                                ? second.secondWatermark(Long.MAX_VALUE)
                                : second.firstWatermark(Long.MAX_VALUE))
                .containsExactly(Watermark.MAX_WATERMARK);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "64, 3, 5", "32768, 2, 3"})
    void theyAreInTheStateThroughADrainAndRescaling(int maxParallelism, int before, int after)
            throws Exception {
        on(Backends.HASHMAP, maxParallelism);
        stream.start(before, fixture.withFilter());
        for (long operation = 1; operation <= 100; operation++) {
            assertThat(correct(operation, 100)).hasSize(1);
        }
        second.firstWatermark(200);
        second.firstWatermark(Long.MAX_VALUE);
        second.secondWatermark(Long.MAX_VALUE);
        stream.endInput();
        stream.snapshot();
        stream.start(after, fixture.withFilter());
        for (long operation = 1; operation <= 100; operation++) {
            assertThat(stream.process(operation, 900)).as("a retry").isEmpty();
            assertThat(correct(operation, 900)).as("again").isEmpty();
        }
        assertThat(exact(stream.process(101L, 900))).containsExactly(value(1, 561, 900));
        assertCorrections(0, 100);
    }

    /** Operations and corrections in any order, with failures: each operation counts once. */
    @ParameterizedTest
    @EnumSource(names = {"HASHMAP", "ROCKSDB"})
    void totalsAreThoseOfAnExactModel(Backends backend) throws Exception {
        fixture.window = Duration.ofHours(1);
        int schedules = backend == Backends.HASHMAP ? 12 : 2;
        long corrected = 0;
        for (int i = 0; i < schedules; i++) {
            corrected += run(backend, Seeds.seed(i));
        }
        assertThat(corrected).isGreaterThan(400);
    }

    private long run(Backends backend, long seed) throws Exception {
        Random random = new Random(seed);
        int maxParallelism = 1 + random.nextInt(60);
        int mostSubtasks = Math.min(maxParallelism, 5);
        on(backend, maxParallelism);
        long corrected = 0;
        try (Subtasks<Long, Long, CounterValue<Long>> closed = stream) {
            Set<Long> counted = new HashSet<>();
            Set<Long> saved = Set.of();
            Map<Long, Long> last = new HashMap<>();
            Map<Long, Long> lastSaved = Map.of();
            fixture.emitMillis = random.nextInt(2) * 100L;
            closed.start(1 + random.nextInt(mostSubtasks), fixture.withFilter());
            closed.snapshot();
            long watermark = 0;
            for (int step = 0; step < 1500; step++) {
                int dice = random.nextInt(1000);
                long operation = random.nextInt(800);
                long time = watermark + random.nextInt(2000) - 1000;
                if (dice < 500) {
                    take(closed.process(operation, time), last);
                    counted.add(operation);
                } else if (dice < 950) {
                    take(correct(operation, time), last);
                    corrected += counted.add(operation) ? 1 : 0;
                } else if (dice < 980) {
                    watermark += random.nextInt(2000);
                    take(closed.advance(watermark), last);
                } else if (dice < 992) {
                    take(closed.snapshot(), last);
                    saved = Set.copyOf(counted);
                    lastSaved = Map.copyOf(last);
                    assertThat(last).as(Seeds.describe(seed)).isEqualTo(totals(counted));
                } else {
                    fixture.emitMillis = random.nextInt(2) * 100L;
                    closed.start(1 + random.nextInt(mostSubtasks), fixture.withFilter());
                    counted = new HashSet<>(saved);
                    last = new HashMap<>(lastSaved);
                }
            }
            take(closed.endInput(), last);
            assertThat(last).as(Seeds.describe(seed)).isEqualTo(totals(counted));
        }
        return corrected;
    }

    private static void take(List<CounterValue<Long>> emitted, Map<Long, Long> last) {
        emitted.forEach(value -> last.put(value.counter(), value.value()));
    }

    private static Map<Long, Long> totals(Set<Long> operations) {
        Map<Long, Long> totals = new HashMap<>();
        operations.forEach(operation -> totals.merge(operation % 10, operation, Long::sum));
        return totals;
    }

    @Test
    void theyHaveATypeWithoutKryo() {
        TypeInformation<MissedOperation<String, Long>> type =
                MissedOperation.type(Types.STRING, Types.LONG);
        assertThat(type).isInstanceOf(PojoTypeInfo.class);
        assertThat(((PojoTypeInfo<?>) type).getTypeAt(MissedOperation.OPERATION))
                .isEqualTo(Types.LONG);
    }

    @Test
    void whatHasNoMeaningIsRefusedWithTheFix() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> numbers = env.fromData(1L);
        refused(
                complete().corrections(corrections(env, Types.LONG, 1L)).withoutFilter(),
                numbers,
                "withoutFilter and corrections exclude each other");
        refused(
                complete().corrections(corrections(env, Types.STRING, "1")),
                numbers,
                "corrections has operations of type String, but operation(...) selects Long");
        var values = complete().corrections(corrections(env, Types.INT, 1)).apply(numbers);
        assertThat(values.getTransformation().getUid()).isEqualTo("numbers");
        assertThat(values.getTransformation().getInputs()).hasSize(2);
        env.setRuntimeMode(RuntimeExecutionMode.BATCH);
        refused(
                complete().corrections(corrections(env, Types.LONG, 1L)),
                numbers,
                "corrections needs STREAMING execution");
    }

    private static <I> DataStream<MissedOperation<Long, I>> corrections(
            StreamExecutionEnvironment env, TypeInformation<I> type, I id) {
        return env.fromData(
                MissedOperation.type(Types.LONG, type), new MissedOperation<>(1L, id, 1));
    }

    private static IdempotentCounters<Long, Long> complete() {
        return IdempotentCounters.of((Long operation) -> operation % 10)
                .operation((Long operation) -> operation)
                .uid("numbers")
                .within(Duration.ofMinutes(1));
    }

    private static void refused(
            IdempotentCounters<Long, Long> builder, DataStream<Long> numbers, String message) {
        assertThatThrownBy(() -> builder.apply(numbers))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining(message)
                .hasMessageMatching(
                        "(?s).*(Leave one of them out|give MissedOperation.type.*|leave"
                                + " corrections out)\\.?");
    }
}
