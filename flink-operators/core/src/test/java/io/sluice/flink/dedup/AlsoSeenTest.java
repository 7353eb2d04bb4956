/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.OnConflict;
import io.sluice.flink.OptionException;
import io.sluice.flink.SecondInput;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.runtime.OwnClock;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Ids that were seen elsewhere. The window is a second. */
class AlsoSeenTest {

    private enum Engine {
        FILTER,
        VERIFIED,
        STATE,
        DISK
    }

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream;
    private SecondInput<Long, Long, Long> second;

    AlsoSeenTest() {
        keyGroups(64);
    }

    private void keyGroups(int maxParallelism) {
        stream = DeduplicateFixture.subtasks(maxParallelism, Backends.HASHMAP);
        second = new SecondInput<>(stream, maxParallelism);
    }

    @AfterEach
    void close() {
        stream.close();
    }

    private Supplier<OneInputStreamOperator<Long, Long>> of(Engine engine) {
        return switch (engine) {
            case FILTER -> fixture.filter();
            case VERIFIED -> fixture.verified();
            case STATE -> {
                fixture.timeDomain = TimeDomain.PROCESSING;
                yield fixture.inState();
            }
            case DISK -> {
                stream.initializers(OwnClock::initializer);
                yield fixture.onDisk();
            }
        };
    }

    private void mark(long id, long time) throws Exception {
        assertThat(second.process(id, id, time)).as("a mark has no output").isEmpty();
    }

    private void assertMarks(long taken, long known) {
        assertThat(stream.counter(DeduplicateMetrics.ALSO_SEEN)).isEqualTo(taken);
        assertThat(stream.counter(DeduplicateMetrics.ALREADY_SEEN)).isEqualTo(known);
    }

    @ParameterizedTest
    @EnumSource
    void anIdThatWasSeenElsewhereIsADuplicateHere(Engine engine) throws Exception {
        stream.start(3, of(engine));
        mark(1, 100);
        assertThat(stream.process(1L, 150)).isEmpty();
        assertThat(stream.process(2L, 150)).containsExactly(2L);
        assertMarks(1, 0);
        assertThat(stream.counter(DeduplicateMetrics.RECORDS)).isEqualTo(2);
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void anIdThatIsKnownStaysAsItIs(Engine engine) throws Exception {
        stream.start(3, of(engine));
        assertThat(stream.process(1L, 100)).containsExactly(1L);
        for (int i = 0; i < 3; i++) {
            mark(1, 900);
            mark(2, 900);
        }
        assertMarks(1, 5);
        assertThat(stream.process(2L, 950)).isEmpty();
        if (engine == Engine.FILTER || engine == Engine.VERIFIED) {
            assertThat(stream.process(1L, 1300)).as("its window is over").containsExactly(1L);
        }
    }

    @Test
    void aMarkIsForgottenWithItsWindow() throws Exception {
        stream.start(2, fixture.verified());
        mark(1, 100);
        stream.watermark(1100);
        assertThat(stream.process(1L, 1100)).isEmpty();
        stream.watermark(1300);
        assertThat(stream.process(1L, 1300)).containsExactly(1L);
        stream.watermark(3301);
        assertThat(stream.harnesses().stream().mapToInt(h -> h.numKeyedStateEntries()).sum())
                .as("exact state")
                .isZero();
    }

    @Test
    void aMarkBeginsTheWindowAgainWhereDuplicatesDo() throws Exception {
        fixture.rule = new PassRule(1, true);
        stream.start(2, fixture.filter());
        assertThat(stream.process(1L, 100)).containsExactly(1L);
        mark(1, 900);
        assertThat(stream.process(1L, 1700)).isEmpty();
        assertMarks(0, 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"FILTER", "VERIFIED", "DISK"})
    void aMarkOlderThanTheWindowIsLateAndChangesNothing(Engine engine) throws Exception {
        stream.start(2, of(engine));
        stream.watermark(5000);
        mark(1, 4100);
        mark(2, 3999);
        mark(2, Long.MIN_VALUE + 1);
        assertMarks(1, 0);
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isEqualTo(2);
        assertThat(stream.process(1L, 5000)).isEmpty();
        assertThat(stream.process(2L, 5000)).containsExactly(2L);
    }

    @ParameterizedTest
    @EnumSource(names = {"FILTER", "VERIFIED", "DISK"})
    void aMarkWithoutATimestampIsOfThePresent(Engine engine) throws Exception {
        keyGroups(1);
        stream.processingTime(10_000);
        stream.start(1, of(engine));
        second.process(1L, new StreamRecord<>(1L));
        assertThat(stream.process(1L, 10_900)).as("nothing but the wall clock").isEmpty();
        assertThat(stream.process(7L, 4_000)).containsExactly(7L);
        second.process(2L, new StreamRecord<>(2L, Long.MIN_VALUE));
        assertThat(stream.process(2L, 4_900)).as("the last record").isEmpty();
        stream.watermark(6_000);
        second.process(3L, new StreamRecord<>(3L));
        assertThat(stream.process(3L, 6_900)).as("the watermark").isEmpty();
        assertMarks(3, 0);
    }

    /** All that a job has written comes before event time begins. */
    @Test
    void onDiskMarksAreKnownHoweverFarAheadOfTheFirstWatermark() throws Exception {
        fixture.maxFuture = Duration.ofSeconds(2);
        stream.processingTime(10_000_000);
        stream.start(2, of(Engine.DISK));
        for (long id = 0; id < 100; id++) {
            mark(id, 9_000_000 + id);
        }
        stream.watermark(1_000_000);
        assertThat(stream.counter(DeduplicateMetrics.FUTURE)).isZero();
        stream.snapshot();
        stream.start(3, of(Engine.DISK));
        stream.watermark(9_000_000);
        for (long id = 0; id < 100; id++) {
            assertThat(stream.process(id, 9_000_900)).isEmpty();
        }
    }

    @Test
    void inProcessingTimeAMarkIsOfThePresentWhateverItsTimestamp() throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(10_000);
        stream.start(2, fixture.filter());
        mark(1, 3);
        stream.processingTime(10_900);
        assertThat(stream.process(1L, 0)).isEmpty();
        stream.processingTime(11_200);
        assertThat(stream.process(1L, 0)).containsExactly(1L);
    }

    @ParameterizedTest
    @EnumSource(names = {"FILTER", "VERIFIED"})
    void aMarkFarAheadIsCountedAndForgottenAsIfItWereBelievable(Engine engine) throws Exception {
        fixture.maxFuture = Duration.ofSeconds(2);
        stream.start(1, of(engine));
        mark(1, Duration.ofDays(9000).toMillis());
        assertThat(stream.counter(DeduplicateMetrics.FUTURE)).isEqualTo(1);
        assertMarks(1, 0);
        stream.watermark(10_000);
        assertThat(stream.harnesses().get(0).numKeyedStateEntries()).isZero();
    }

    @Test
    void recordsThatWaitComeBeforeAMark() throws Exception {
        fixture.batching = new Batching(16, 1000);
        stream.start(1, fixture.filter());
        assertThat(stream.process(1L, 100)).as("it waits").isEmpty();
        assertThat(second.process(1L, 1L, 100)).as("it came first").containsExactly(1L);
        assertThat(stream.process(2L, 100)).isEmpty();
        mark3();
        assertThat(stream.process(3L, 100)).isEmpty();
        assertThat(stream.advance(200)).as("3 was marked").isEmpty();
        assertMarks(1, 1);
    }

    /** Emits the record that waits. */
    private void mark3() throws Exception {
        assertThat(second.process(3L, 3L, 100)).containsExactly(2L);
    }

    @ParameterizedTest
    @EnumSource
    void aNullIsCountedAndNothingElse(Engine engine) throws Exception {
        stream.start(1, of(engine));
        second.process(0L, new StreamRecord<>(null, 100));
        assertThat(stream.counter(DeduplicateMetrics.NULL_IDS)).isEqualTo(1);
        assertMarks(0, 0);
    }

    @ParameterizedTest
    @EnumSource
    void theContentOfAMarkIsNotKnown(Engine engine) throws Exception {
        DataStream<Long> numbers =
                StreamExecutionEnvironment.getExecutionEnvironment().fromData(1L);
        fixture.conflicts =
                Conflicts.of(OnConflict.count((Long id) -> id / 10), numbers, Hashing.SEED);
        fixture.ids = id -> id % 10;
        stream.start(1, of(engine));
        assertThat(stream.process(12L, 100)).containsExactly(12L);
        mark(2, 100);
        assertThat(stream.process(22L, 100)).isEmpty();
        assertThat(stream.counter(DeduplicateMetrics.CONFLICTS)).isEqualTo(1);
        mark(3, 100);
        assertThat(stream.process(13L, 100)).isEmpty();
        assertThat(stream.process(23L, 100)).isEmpty();
        assertThat(stream.counter(DeduplicateMetrics.UNCOMPARED)).isEqualTo(2);
        assertThat(stream.counter(DeduplicateMetrics.CONFLICTS)).isEqualTo(1);
        assertMarks(1, 1);
    }

    @Test
    void withContentsAMarkIsLateOrRenewedAsWithout() throws Exception {
        DataStream<Long> numbers =
                StreamExecutionEnvironment.getExecutionEnvironment().fromData(1L);
        fixture.conflicts = Conflicts.of(OnConflict.count((Long id) -> id), numbers, Hashing.SEED);
        fixture.rule = new PassRule(1, true);
        stream.start(1, fixture.filter());
        assertThat(stream.process(1L, 100)).containsExactly(1L);
        mark(1, 900);
        assertThat(stream.process(1L, 1700)).isEmpty();
        stream.watermark(5000);
        mark(2, 3999);
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isEqualTo(1);
        assertMarks(0, 1);
    }

    @Test
    void eventTimeIsThatOfTheRecords() throws Exception {
        stream.start(1, fixture.filter());
        assertThat(second.secondWatermark(9_000)).isEmpty();
        assertThat(second.secondStatus(WatermarkStatus.IDLE)).isEmpty();
        assertThat(stream.process(1L, 100)).containsExactly(1L);
        assertThat(stream.process(1L, 200)).isEmpty();
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
        assertThat(second.firstWatermark(150)).containsExactly(new Watermark(150));
        assertThat(second.firstStatus(WatermarkStatus.IDLE)).containsExactly(WatermarkStatus.IDLE);
        assertThat(second.secondStatus(WatermarkStatus.ACTIVE)).isEmpty();
        assertThat(second.firstStatus(WatermarkStatus.ACTIVE))
                .containsExactly(WatermarkStatus.ACTIVE);
    }

    @ParameterizedTest
    @CsvSource({"FILTER, true", "FILTER, false", "VERIFIED, true", "VERIFIED, false"})
    void eventTimeEndsWithBothInputsAndNothingIsLateForTheFirst(
            Engine engine, boolean recordsEndFirst) throws Exception {
        stream.start(1, of(engine));
        second.firstWatermark(1000);
        if (recordsEndFirst) {
            assertThat(second.firstWatermark(Long.MAX_VALUE)).isEmpty();
            mark(1, 500);
            assertThat(second.secondWatermark(Long.MAX_VALUE))
                    .containsExactly(Watermark.MAX_WATERMARK);
        } else {
            assertThat(second.secondWatermark(Long.MAX_VALUE)).isEmpty();
            mark(1, 500);
            assertThat(stream.process(1L, 900)).isEmpty();
            assertThat(second.firstWatermark(Long.MAX_VALUE))
                    .containsExactly(Watermark.MAX_WATERMARK);
        }
        assertMarks(1, 0);
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"FILTER, true", "FILTER, false", "VERIFIED, true", "STATE, false"})
    void eventTimeEndsThoughOneInputIsIdleAtItsEndAndDoesNotSaySo(
            Engine engine, boolean firstSaysSo) throws Exception {
        stream.start(1, of(engine));
        List<Object> before =
                firstSaysSo
                        ? second.firstWatermark(Long.MAX_VALUE)
                        : second.secondWatermark(Long.MAX_VALUE);
        assertThat(before).isEmpty();
        assertThat(second.finish()).endsWith(Watermark.MAX_WATERMARK);
    }

    @ParameterizedTest
    @CsvSource({
        "FILTER, 1, 1, 1",
        "FILTER, 64, 3, 5",
        "FILTER, 32768, 2, 3",
        "VERIFIED, 1, 1, 1",
        "VERIFIED, 64, 5, 2",
        "VERIFIED, 32768, 3, 2",
        "STATE, 64, 2, 3",
        "DISK, 64, 2, 3"
    })
    void marksAreInTheStateThroughADrainAndRescaling(
            Engine engine, int maxParallelism, int before, int after) throws Exception {
        keyGroups(maxParallelism);
        stream.start(before, of(engine));
        for (long id = 0; id < 500; id++) {
            mark(id, 100);
        }
        second.firstWatermark(200);
        second.firstWatermark(Long.MAX_VALUE);
        second.secondWatermark(Long.MAX_VALUE);
        stream.endInput();
        stream.snapshot();
        stream.start(after, of(engine));
        for (long id = 0; id < 500; id++) {
            assertThat(stream.process(id, 900)).isEmpty();
        }
        assertThat(stream.process(500L, 900)).containsExactly(500L);
        mark(0, 900);
        assertMarks(0, 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"FILTER", "VERIFIED"})
    void atTheCapTheOldestMarksGiveWayAndNoNewIdIsDroppedForThem(Engine engine) throws Exception {
        keyGroups(1);
        fixture.window = Duration.ofSeconds(100);
        fixture.fpp = 1e-3;
        fixture.idsPerSecond = 2000;
        fixture.shadowIds = 0;
        fixture.memory = MemorySize.ofMebiBytes(engine == Engine.FILTER ? 1 : 2);
        fixture.overflow = OverflowPolicy.FORGET_OLDEST;
        stream.start(1, of(engine));
        long marks = 1_000_000;
        long elsewhere = engine == Engine.FILTER ? marks : marks / 4;
        for (long id = 0; id < elsewhere; id++) {
            second.process(id, id, id * 90_000 / elsewhere);
        }
        long dropped = 0;
        for (long id = marks; id < marks + 20_000; id++) {
            dropped += stream.process(id, 90_000).isEmpty() ? 1 : 0;
        }
        // At most ten times the probability: a mean of 200, with a deviation of 14.
        assertThat(dropped).isLessThan(engine == Engine.FILTER ? 300 : 1);
        for (long id = elsewhere - 100; id < elsewhere; id++) {
            assertThat(stream.process(id, 90_000)).as("the last marks").isEmpty();
        }
        if (engine == Engine.FILTER) {
            assertThat(stream.gaugeSum(DeduplicateMetrics.OVERFLOWS)).isPositive();
        }
    }

    @Test
    void whatHasNoMeaningIsRefusedWithTheFix() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> numbers = env.fromData(1L);
        refused(complete(numbers).keep(Keep.LAST), numbers, "alsoSeen and keep(LAST) exclude");
        refused(complete(numbers).limit(3), numbers, "alsoSeen and limit(3) exclude each other");
        assertThatThrownBy(() -> complete(numbers).limit(3).check())
                .isInstanceOf(OptionException.class);
        env.setRuntimeMode(RuntimeExecutionMode.BATCH);
        refused(complete(numbers), numbers, "alsoSeen needs STREAMING execution");
    }

    @Test
    void theOperatorKeepsItsUidAndType() {
        DataStream<Long> numbers =
                StreamExecutionEnvironment.getExecutionEnvironment().fromData(1L);
        var once = complete(numbers).apply(numbers);
        assertThat(once.getTransformation().getUid()).isEqualTo("numbers");
        assertThat(once.getType()).isEqualTo(Types.LONG);
        assertThat(once.getTransformation().getInputs()).hasSize(2);
    }

    private static Deduplicate<Long, Long> complete(DataStream<Long> elsewhere) {
        return Deduplicate.by((Long id) -> id)
                .uid("numbers")
                .within(Duration.ofMinutes(1))
                .alsoSeen(elsewhere);
    }

    private static void refused(
            Deduplicate<Long, Long> builder, DataStream<Long> numbers, String message) {
        assertThatThrownBy(() -> builder.apply(numbers))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining(message)
                .hasMessageMatching("(?s).*(Leave one of them out|leave alsoSeen out)\\.");
    }
}
