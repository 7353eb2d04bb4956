/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.flink.Batching;
import io.sluice.flink.OnConflict;
import io.sluice.flink.OnLate;
import io.sluice.flink.runtime.OwnClock;
import io.sluice.flink.testkit.Subtasks;
import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows of event time whose ids are in filters on disk, in whatever order records come. */
class EventTimeOnDiskTest {

    private static final long WINDOW = 8_000;
    private static final long SLICE = WINDOW / 8;
    private static final long AHEAD = 4_000;

    /** Records are out of order by so much. */
    private static final long DISORDER = 3_000;

    private static final long BEGIN = 1_000_000;
    private static final OutputTag<Long> CONFLICTS = new OutputTag<>("conflicts", Types.LONG);
    private static final OutputTag<Long> LATE = new OutputTag<>("late", Types.LONG);

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream;

    @BeforeEach
    void begin() throws Exception {
        fixture.window = Duration.ofMillis(WINDOW);
        fixture.maxFuture = Duration.ofMillis(AHEAD);
        stream = DeduplicateFixture.subtasks(64, EventTimeOnDiskTest::cascade);
        stream.initializers(OwnClock::initializer);
        stream.processingTime(10 * BEGIN);
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private static StateBackend cascade() {
        Configuration options = new Configuration();
        options.set(CascadeBackendOptions.STATES, StateDeduplicateOperator.FLAGS);
        return new CascadeStateBackend(new HashMapStateBackend())
                .configure(options, EventTimeOnDiskTest.class.getClassLoader());
    }

    private static Long id(Long value) {
        return value / 10;
    }

    private void start(int parallelism) throws Exception {
        stream.start(parallelism, fixture.onDisk());
    }

    private void restart(int parallelism) throws Exception {
        stream.snapshot();
        start(parallelism);
    }

    private void passes(long id, long time) throws Exception {
        assertThat(stream.process(id, time)).as("%d at %d", id, time).containsExactly(id);
    }

    private void isDropped(long id, long time) throws Exception {
        assertThat(stream.process(id, time)).as("%d at %d", id, time).isEmpty();
    }

    private long count(String metric) {
        return stream.counter(metric);
    }

    /**
     * What passed, and when it has expired for certain.
     *
     * @param time of the record
     * @param end a window after all of this is behind the watermark, it has expired
     */
    private record Passed(long time, long end) {}

    /** What follows the last checkpoint is done again. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void noTwoRecordsOfAnIdPassWithinAWindow(int seed) throws Exception {
        // What is done again after a failure is ahead of the watermark of before.
        fixture.maxFuture = Duration.ofMillis(100 * WINDOW);
        SplittableRandom random = new SplittableRandom(Seeds.seed(seed));
        Map<Long, List<Passed>> passed = new HashMap<>();
        long front = BEGIN;
        long latest = BEGIN;
        long watermark = Long.MIN_VALUE;
        long notDecided = 0;
        start(2);
        for (int epoch = 0; epoch < 40; epoch++) {
            boolean fails = epoch > 0 && random.nextInt(4) == 0;
            Map<Long, List<Passed>> before = new HashMap<>();
            passed.forEach((id, all) -> before.put(id, List.copyOf(all)));
            long reached = watermark;
            for (int i = 0; i < 200; i++) {
                front += random.nextInt(40);
                long time =
                        front - random.nextLong(random.nextInt(20) == 0 ? 3 * WINDOW : DISORDER);
                long id = random.nextInt(600);
                latest = Math.max(latest, time);
                boolean passes = !stream.process(id, time).isEmpty();
                List<Passed> ofId = passed.computeIfAbsent(id, unused -> new ArrayList<>());
                if (passes && time >= watermark) {
                    assertThat(ofId)
                            .as("%d at %d, watermark %d", id, time, watermark)
                            .noneMatch(other -> Math.abs(other.time() - time) <= WINDOW);
                } else if (passes) {
                    notDecided++;
                } else {
                    long now = watermark;
                    assertThat(ofId)
                            .as("%d at %d, watermark %d", id, time, watermark)
                            .anyMatch(other -> other.end() + WINDOW > now);
                }
                if (passes) {
                    ofId.add(new Passed(time, latest + 2 * SLICE));
                }
                if (random.nextInt(50) == 0) {
                    watermark = Math.max(watermark, front - DISORDER);
                    stream.watermark(watermark);
                }
            }
            assertThat(count(DeduplicateMetrics.LATE) + count(DeduplicateMetrics.UNDECIDED))
                    .isEqualTo(notDecided);
            assertThat(count(DeduplicateMetrics.FUTURE)).isZero();
            if (fails) {
                passed = new HashMap<>();
                for (Map.Entry<Long, List<Passed>> all : before.entrySet()) {
                    passed.put(all.getKey(), new ArrayList<>(all.getValue()));
                }
                watermark = reached;
            } else {
                stream.snapshot();
            }
            start(1 + random.nextInt(4));
            notDecided = 0;
        }
    }

    /** The watermark is that of the partition that is behind. */
    @Test
    void aBacklogOfPartitionsThatAreFarApartPassesNothingTwice() throws Exception {
        fixture.maxFuture = Duration.ofMillis(10 * WINDOW);
        start(2);
        long apart = 9 * WINDOW;
        for (long time = BEGIN; time < BEGIN + apart; time += 100) {
            passes(time, time);
            passes(-time, time + apart);
            isDropped(-time, time + apart + WINDOW);
            if (time >= BEGIN + WINDOW) {
                isDropped(time - WINDOW, time);
            }
            if (time % 1_000 == 0) {
                stream.watermark(time);
            }
            if (time % 30_000 == 0) {
                restart(3);
            }
        }
        // The partition that was ahead ends; what it brought is known when the other gets there.
        for (long time = BEGIN; time < BEGIN + apart; time += 100) {
            if (time % 1_000 == 0) {
                stream.watermark(time + apart);
            }
            isDropped(-time, time + apart);
        }
        assertThat(count(DeduplicateMetrics.FUTURE)).isZero();
    }

    @Test
    void whatIsTooFarAheadOfTheWatermarkIsCounted() throws Exception {
        start(1);
        passes(1, BEGIN);
        stream.watermark(BEGIN);
        passes(2, BEGIN + WINDOW + AHEAD);
        assertThat(count(DeduplicateMetrics.FUTURE)).isZero();
        passes(3, BEGIN + WINDOW + AHEAD + 1);
        assertThat(count(DeduplicateMetrics.FUTURE)).isEqualTo(1);
    }

    /** Also before the first watermark, of records that the wall clock would let pass. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWildTimestampKeepsNoIdForLong(boolean beforeTheFirstWatermark) throws Exception {
        start(1);
        passes(1, BEGIN);
        if (!beforeTheFirstWatermark) {
            stream.watermark(BEGIN);
        }
        passes(2, 5 * BEGIN);
        passes(3, BEGIN + 1);
        stream.watermark(BEGIN + 1);
        assertThat(count(DeduplicateMetrics.FUTURE)).isEqualTo(1);
        isDropped(3, BEGIN + 2);
        restart(2);
        isDropped(3, BEGIN + WINDOW);
        long over = BEGIN + 2 * WINDOW + AHEAD + 2 * SLICE;
        stream.watermark(over);
        passes(3, over);
    }

    /** It is not the watermark that knows how far ahead the others may be. */
    @Test
    void oneTimestampOfLongAgoForgetsNothing() throws Exception {
        start(1);
        passes(1, 0);
        passes(2, BEGIN);
        stream.watermark(BEGIN);
        isDropped(2, BEGIN + WINDOW);
        assertThat(count(DeduplicateMetrics.FUTURE)).isZero();
    }

    @Test
    void anIdIsForgottenAfterTheWindow() throws Exception {
        start(2);
        for (long id = 0; id < 100; id++) {
            passes(id, BEGIN + id);
        }
        stream.watermark(BEGIN + 100);
        restart(3);
        for (long id = 0; id < 100; id++) {
            isDropped(id, BEGIN + WINDOW);
        }
        long over = BEGIN + WINDOW + SLICE + 100;
        stream.watermark(over);
        for (long id = 0; id < 100; id++) {
            passes(id, over);
        }
        assertThat(count(DeduplicateMetrics.UNDECIDED)).isZero();
    }

    @Test
    void batchesAreAnsweredInTheirOrder() throws Exception {
        fixture.batching = new Batching(5, 5);
        start(1);
        assertThat(stream.process(3L, BEGIN)).isEmpty();
        assertThat(stream.process(1L, BEGIN)).isEmpty();
        assertThat(stream.process(3L, BEGIN + 1)).isEmpty();
        assertThat(stream.advance(BEGIN)).containsExactly(3L, 1L);
        assertThat(stream.process(2L, BEGIN - 1)).isEmpty();
        assertThat(stream.advance(BEGIN + 1)).containsExactly(2L);
        assertThat(count(DeduplicateMetrics.UNDECIDED)).isEqualTo(1);
    }

    @Test
    void aLateRecordIsForwardedOnce() throws Exception {
        start(1);
        stream.watermark(BEGIN + WINDOW);
        passes(1, BEGIN);
        assertThat(count(DeduplicateMetrics.LATE)).isZero();
        assertThat(count(DeduplicateMetrics.UNDECIDED)).isEqualTo(1);
        passes(2, BEGIN - 1);
        assertThat(count(DeduplicateMetrics.LATE)).isEqualTo(1);
        isDropped(2, BEGIN - 1);
        passes(3, Long.MIN_VALUE + 1);
        assertThat(count(DeduplicateMetrics.LATE)).isEqualTo(2);
        assertThat(count(DeduplicateMetrics.DUPLICATES)).isEqualTo(1);
    }

    @Test
    void aLateRecordGoesWhereItIsSent() throws Exception {
        fixture.onLate = OnLate.sideOutput(LATE);
        start(1);
        passes(1, BEGIN + WINDOW);
        stream.watermark(BEGIN + WINDOW);
        isDropped(2, BEGIN - 1);
        isDropped(2, BEGIN - 1);
        isDropped(1, BEGIN - 1);
        assertThat(stream.harnesses().get(0).getSideOutput(LATE)).hasSize(2);
        assertThat(count(DeduplicateMetrics.LATE)).isEqualTo(2);
        assertThat(count(DeduplicateMetrics.DUPLICATES)).isEqualTo(1);
        fixture.onLate = OnLate.drop();
        restart(1);
        isDropped(2, BEGIN - 1);
        assertThat(count(DeduplicateMetrics.LATE)).as("after a restore").isEqualTo(1);
    }

    @Test
    void theEndOfTheInputForgetsNothing() throws Exception {
        start(2);
        passes(1, BEGIN);
        stream.watermark(Long.MAX_VALUE);
        restart(1);
        isDropped(1, BEGIN + WINDOW);
    }

    @Test
    void aWildWatermarkIsForgottenWhenTheClockIsReset() throws Exception {
        start(2);
        passes(1, BEGIN);
        stream.watermark(9 * BEGIN);
        passes(2, BEGIN);
        assertThat(count(DeduplicateMetrics.LATE)).isEqualTo(1);
        fixture.resetClock = true;
        restart(3);
        isDropped(2, BEGIN);
        passes(3, BEGIN);
        assertThat(count(DeduplicateMetrics.LATE)).isZero();
        stream.watermark(BEGIN);
        long over = BEGIN + 2 * WINDOW + AHEAD + 2 * SLICE;
        stream.watermark(over);
        passes(2, over);
        passes(3, over);
    }

    /** Not by a record, which may be of a partition that is behind, or of 1970. */
    @Test
    void aClockThatIsResetForgetsNothingBeforeTheWatermark() throws Exception {
        start(2);
        for (long id = 0; id < 100; id++) {
            passes(id, BEGIN);
        }
        stream.watermark(BEGIN);
        fixture.resetClock = true;
        restart(2);
        for (long id = 100; id < 164; id++) {
            passes(id, 0);
        }
        stream.watermark(BEGIN + 1_000);
        for (long id = 0; id < 100; id++) {
            isDropped(id, BEGIN + 1_000);
        }
    }

    /** Whether the checkpoint is of before the first watermark or not. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTimeFarAheadOfTheFirstWatermarkIsForgottenAfterARestoreToo(boolean afterTheFirst)
            throws Exception {
        start(1);
        passes(1, 5 * BEGIN);
        if (afterTheFirst) {
            stream.watermark(BEGIN);
        }
        restart(1);
        for (long time = BEGIN; time < BEGIN + 50 * WINDOW; time += WINDOW) {
            stream.watermark(time);
            passes(2 + time % (4 * WINDOW) / WINDOW, time);
        }
    }

    @Test
    void recordsFarAheadOfTheFirstWatermarkAreCounted() throws Exception {
        start(1);
        long ahead = BEGIN + 100 * WINDOW;
        for (long id = 0; id < 50; id++) {
            passes(id, ahead + id);
        }
        for (long id = 50; id < 100; id++) {
            passes(id, BEGIN + id);
        }
        stream.watermark(BEGIN);
        assertThat(count(DeduplicateMetrics.FUTURE)).isEqualTo(50);
    }

    /** Records in flight of an unaligned checkpoint: the subtasks are not equally far. */
    @Test
    void aKeyGroupHasTheWatermarkOfItsOwn() throws Exception {
        fixture.onLate = OnLate.drop();
        start(2);
        stream.harnesses().get(0).processWatermark(BEGIN + 5 * WINDOW);
        stream.harnesses().get(1).processWatermark(BEGIN);
        restart(1);
        long passed = 0;
        for (long id = 0; id < 100; id++) {
            passed += stream.process(id, BEGIN + 1).size();
        }
        assertThat(passed).isBetween(20L, 80L);
        assertThat(count(DeduplicateMetrics.LATE)).isEqualTo(100 - passed);
    }

    @Test
    void aMarkIsBelievedByTheWatermarkOfItsKeyGroup() throws Exception {
        start(2);
        stream.harnesses().get(0).processWatermark(BEGIN + 5 * WINDOW);
        stream.harnesses().get(1).processWatermark(BEGIN);
        long id = 0;
        while (stream.subtaskOf(id) != 0) {
            id++;
        }
        passes(id, BEGIN + 6 * WINDOW);
        restart(1);
        isDropped(id, BEGIN + 6 * WINDOW);
        stream.watermark(BEGIN + 5 * WINDOW);
        isDropped(id, BEGIN + 6 * WINDOW);
    }

    @Test
    void whatHadLeftAShorterWindowIsNotDecidedInALongerOne() throws Exception {
        start(1);
        passes(1, BEGIN);
        stream.watermark(BEGIN + 3 * WINDOW);
        fixture.window = Duration.ofMillis(10 * WINDOW);
        restart(1);
        assertThat(stream.gauge(0, DeduplicateMetrics.COVERED_MILLIS, Long.class))
                .isEqualTo(WINDOW);
        passes(1, BEGIN + 4 * WINDOW);
        assertThat(count(DeduplicateMetrics.UNDECIDED)).isEqualTo(1);
        passes(2, BEGIN + 13 * WINDOW);
        assertThat(count(DeduplicateMetrics.UNDECIDED)).isEqualTo(1);
    }

    @Test
    void anIdOfALongerWindowIsForgottenByTheShorterOne() throws Exception {
        fixture.window = Duration.ofMillis(100 * WINDOW);
        start(1);
        passes(1, BEGIN);
        stream.watermark(BEGIN);
        fixture.window = Duration.ofMillis(WINDOW);
        restart(1);
        long over = BEGIN + 2 * WINDOW + AHEAD + 3 * SLICE;
        stream.watermark(BEGIN + 1);
        stream.watermark(over);
        passes(1, over);
    }

    /** Though the greatest time is far ahead of the watermark. */
    @Test
    void aContentIsKnownAsLongAsItsFlag() throws Exception {
        stream.close();
        fixture.ids = EventTimeOnDiskTest::id;
        fixture.conflicts =
                Conflicts.of(
                        OnConflict.sideOutput(value -> value % 10, CONFLICTS),
                        StreamExecutionEnvironment.getExecutionEnvironment().fromData(0L),
                        0);
        stream =
                new Subtasks<>(
                        EventTimeOnDiskTest::id, Types.LONG, 8, EventTimeOnDiskTest::cascade);
        stream.initializers(OwnClock::initializer);
        stream.processingTime(10 * BEGIN);
        start(1);
        passes(10, BEGIN);
        stream.watermark(BEGIN);
        passes(990, BEGIN + WINDOW + AHEAD);
        stream.watermark(BEGIN + WINDOW);
        passes(980, BEGIN + 2 * WINDOW + AHEAD);
        restart(2);
        isDropped(10, BEGIN + WINDOW);
        isDropped(11, BEGIN + WINDOW);
        assertThat(count(DeduplicateMetrics.DUPLICATES)).isEqualTo(2);
        assertThat(count(DeduplicateMetrics.CONFLICTS)).isEqualTo(1);
        assertThat(count(DeduplicateMetrics.UNCOMPARED)).isZero();
    }

    @Test
    void timesAtTheirEndsDoNoHarm() throws Exception {
        start(1);
        passes(1, Long.MIN_VALUE + 1);
        passes(2, Long.MAX_VALUE);
        isDropped(1, Long.MIN_VALUE + 1);
        stream.watermark(Long.MIN_VALUE + 2);
        isDropped(2, Long.MAX_VALUE);
        stream.watermark(Long.MAX_VALUE - 1);
        passes(3, Long.MAX_VALUE);
        restart(2);
        isDropped(3, Long.MAX_VALUE);
    }
}
