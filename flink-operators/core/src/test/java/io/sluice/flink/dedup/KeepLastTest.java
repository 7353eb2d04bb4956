/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Criterion;
import io.sluice.filter.Occurrence;
import io.sluice.filter.Seeds;
import io.sluice.filter.Topics;
import io.sluice.flink.Backends;
import io.sluice.flink.OnConflict;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.testkit.Applied;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One record of an id leaves a window: the last. */
class KeepLastTest {
    private static final long WITHIN = 1000;
    private static final long MAX_AHEAD = 10_000;
    private static final OutputTag<Event> EARLIER = new OutputTag<>("earlier", Event.TYPE);
    private static final OutputTag<Event> CONFLICTS = new OutputTag<>("conflicts", Event.TYPE);
    private static final OutputTag<Event> LATE = new OutputTag<>("late", Event.TYPE);

    /** A record of a stream. */
    public record Event(String id, long time, long offset) {
        static final TypeInformation<Event> TYPE = TypeInformation.of(Event.class);
    }

    @SuppressWarnings("unchecked") // ids are keys as they are
    private static final TypeInformation<Object> KEYS =
            (TypeInformation<Object>) (TypeInformation<?>) Types.STRING;

    private static Event message(String id, long time, long offset) {
        return new Event(id, time, offset);
    }

    private static Subtasks<Object, Event, Event> subtasks(
            int groups, Supplier<StateBackend> backend) {
        return new Subtasks<>(Event::id, KEYS, groups, backend);
    }

    private Subtasks<Object, Event, Event> subtasks = subtasks(8, Backends.HASHMAP);

    /** Null unless contents are compared. */
    private Conflicts<Event> conflicts;

    @AfterEach
    void close() throws Exception {
        subtasks.close();
    }

    private void run(int parallelism, boolean processingTime, OnLate<Event> onLate)
            throws Exception {
        run(parallelism, processingTime, onLate, WITHIN);
    }

    private void run(int parallelism, boolean processingTime, OnLate<Event> onLate, long within)
            throws Exception {
        WindowTimers windows =
                new WindowTimers(
                        Duration.ofMillis(within), Duration.ofMillis(MAX_AHEAD), processingTime);
        subtasks.start(
                parallelism,
                () ->
                        new KeyedProcessOperator<>(
                                new KeepLast<>(
                                        windows,
                                        Event.TYPE,
                                        Event::id,
                                        OnDuplicate.sideOutput(EARLIER),
                                        conflicts,
                                        onLate,
                                        OnNullId.fail())));
    }

    private void inEventTime() throws Exception {
        run(1, false, OnLate.forward());
        subtasks.processingTime(1_000_000);
    }

    /** Nothing leaves at once. */
    private Event hold(String id, long time, long offset) throws Exception {
        Event message = message(id, time, offset);
        assertThat(subtasks.process(message, time)).isEmpty();
        return message;
    }

    @Test
    void aRecordWithAnotherContentThanTheOneThatTakesItsPlaceIsAConflict() throws Exception {
        conflicts =
                Conflicts.of(
                        OnConflict.sideOutput(Event::offset, CONFLICTS),
                        StreamExecutionEnvironment.getExecutionEnvironment()
                                .fromData(Event.TYPE, message("x", 0, 0)),
                        0);
        inEventTime();
        Event first = hold("a", 0, 100);
        hold("a", 10, 250);
        Event last = hold("a", 20, 250);
        hold("b", 20, 1);
        hold("b", 20, 1);
        assertThat(subtasks.advance(WITHIN + 20))
                .containsExactlyInAnyOrder(last, message("b", 20, 1));
        assertThat(subtasks.sideOutput(CONFLICTS)).containsExactly(first);
        assertThat(subtasks.sideOutput(EARLIER)).hasSize(3);
        assertThat(subtasks.counter(DeduplicateMetrics.CONFLICTS)).isEqualTo(1);
        assertThat(subtasks.process(message("a", 15, 7), 15)).isEmpty();
        assertThat(subtasks.counter(DeduplicateMetrics.UNCOMPARED)).isEqualTo(1);
    }

    @Test
    void theLastByTimeLeavesWhenTheWindowOfTheFirstHasPassed() throws Exception {
        inEventTime();
        Event first = hold("a", 5000, 1);
        Event last = hold("a", 5900, 2);
        Event between = hold("a", 5500, 3);
        Event next = hold("a", 6001, 4);
        Event other = hold("b", 5200, 5);

        assertThat(subtasks.advance(5999)).isEmpty();
        assertThat(subtasks.advance(6000)).containsExactly(last);
        assertThat(subtasks.advance(Long.MAX_VALUE)).containsExactly(other, next);
        assertThat(subtasks.sideOutput(EARLIER)).containsExactly(first, between);
        assertThat(subtasks.counter(DeduplicateMetrics.RECORDS)).isEqualTo(5);
        assertThat(subtasks.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(2);
    }

    @Test
    void ofEqualTimesTheOneThatCameLastLeaves() throws Exception {
        inEventTime();
        hold("a", 5000, 1);
        Event last = hold("a", 5000, 2);

        assertThat(subtasks.advance(Long.MAX_VALUE)).containsExactly(last);
    }

    /** Otherwise two records far apart would be one, as one partition may be read first. */
    @Test
    void aRecordFarBeforeAnOpenWindowHasItsOwn() throws Exception {
        inEventTime();
        Event later = hold("a", 50_000, 1);
        hold("a", 49_000, 2);
        Event early = hold("a", 10_000, 3);
        Event afterThat = hold("a", 10_999, 4);

        assertThat(subtasks.advance(11_000)).containsExactly(afterThat);
        assertThat(subtasks.advance(51_000)).containsExactly(later);
        assertThat(subtasks.sideOutput(EARLIER)).hasSize(2).contains(early);
    }

    @Test
    void aWildTimestampDoesNotHoldItsRecordForEver() throws Exception {
        inEventTime();
        Event wild = hold("a", Long.MAX_VALUE - 3, 1);
        Event sane = hold("a", 5000, 2);

        assertThat(subtasks.advance(6000)).containsExactly(sane);
        assertThat(subtasks.advance(1_000_000 + MAX_AHEAD + WITHIN)).containsExactly(wild);
    }

    @Test
    void aLateRecordIsForwardedOrDivertedAndCounted() throws Exception {
        inEventTime();
        subtasks.watermark(6000);
        Event late = message("a", 5000, 1);
        assertThat(subtasks.process(late, 5000)).containsExactly(late);
        hold("a", 5001, 2);
        assertThat(subtasks.counter(DeduplicateMetrics.LATE)).isEqualTo(1);

        run(1, false, OnLate.sideOutput(LATE));
        subtasks.watermark(6000);
        assertThat(subtasks.process(late, 5000)).isEmpty();
        assertThat(subtasks.sideOutput(LATE)).containsExactly(late);

        run(1, false, OnLate.drop());
        subtasks.watermark(6000);
        assertThat(subtasks.process(late, 5000)).isEmpty();
        assertThat(subtasks.counter(DeduplicateMetrics.LATE)).isEqualTo(1);
    }

    /** Its window is over for the others too. */
    @Test
    void aRecordOfAWindowThatHasLeftIsADuplicateAndAfterItsLastOneLate() throws Exception {
        inEventTime();
        hold("a", 5000, 1);
        Event last = hold("a", 5500, 2);
        assertThat(subtasks.advance(6400)).containsExactly(last);

        Event duplicate = hold("a", 5450, 3);
        assertThat(subtasks.sideOutput(EARLIER)).contains(duplicate);
        Event late = message("a", 5600, 4);
        assertThat(subtasks.process(late, 5600)).containsExactly(late);
        Event next = hold("a", 6001, 5);
        assertThat(subtasks.advance(7001)).containsExactly(next);
        assertThat(subtasks.counter(DeduplicateMetrics.LATE)).isEqualTo(1);
        assertThat(subtasks.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(2);
    }

    /** Flink does not restore the watermark, so none is behind it then. */
    @Test
    void ofAWindowThatHasLeftNoOtherRecordPassesAfterARestore() throws Exception {
        inEventTime();
        Event last = hold("a", 5000, 1);
        assertThat(subtasks.advance(6400)).containsExactly(last);
        subtasks.snapshot();
        run(2, false, OnLate.sideOutput(LATE));
        subtasks.processingTime(1_000_000);
        Event duplicate = hold("a", 4900, 2);
        Event late = hold("a", 5600, 3);
        Event next = hold("a", 6001, 4);

        assertThat(subtasks.advance(6400)).isEmpty();
        assertThat(subtasks.sideOutput(EARLIER)).containsExactly(duplicate);
        assertThat(subtasks.sideOutput(LATE)).containsExactly(late);
        assertThat(subtasks.advance(7001)).containsExactly(next);
    }

    @Test
    void aRecordBehindTheWatermarkGoesIntoTheOpenWindow() throws Exception {
        inEventTime();
        Event last = hold("a", 5500, 1);
        assertThat(subtasks.advance(5500)).isEmpty();
        hold("a", 4500, 2);
        hold("a", 5400, 3);

        assertThat(subtasks.advance(6499)).isEmpty();
        assertThat(subtasks.advance(6500)).containsExactly(last);
        assertThat(subtasks.advance(Long.MAX_VALUE)).isEmpty();
    }

    /** Wherever the watermark is, and however far apart partitions are read. */
    @ParameterizedTest
    @EnumSource(Backends.class)
    void theTimesOfTheRecordsDecideWhichWindowsThereAre(Backends backend) throws Exception {
        long within = Duration.ofHours(1).toMillis();
        long start = Instant.parse("2024-05-01T00:00:00Z").toEpochMilli();
        for (int i = 0; i < 5; i++) {
            subtasks.close();
            subtasks = subtasks(8, backend);
            run(1, false, OnLate.forward(), within);
            // So that no time is ahead of the wall clock.
            subtasks.processingTime(start + Duration.ofDays(100 * 365).toMillis());
            Topics topics =
                    Topics.random(new SplittableRandom(Seeds.seed(i)), within, start, 1_500);
            List<String> passed = new ArrayList<>();
            BitSet numbers = new BitSet();
            for (Event message : passed(topics)) {
                passed.add(message.id() + "@" + message.time());
                numbers.set((int) message.offset());
            }

            assertThat(passed).containsExactlyInAnyOrderElementsOf(lasts(topics, within));
            assertThat(Criterion.exact(within).judge(topics.arrivals(), numbers).lost()).isEmpty();
            assertThat(subtasks.counter(DeduplicateMetrics.LATE)).isZero();
        }
    }

    private List<Event> passed(Topics topics) throws Exception {
        List<Event> passed = new ArrayList<>();
        long watermark = Long.MIN_VALUE;
        int arrived = 0;
        for (Occurrence record : topics.arrivals()) {
            passed.addAll(
                    subtasks.process(
                            message("id-" + record.id(), record.time(), record.number()),
                            record.time()));
            long next = topics.watermarkAfter(++arrived);
            if (next > watermark) {
                watermark = next;
                passed.addAll(subtasks.advance(watermark));
            }
        }
        passed.addAll(subtasks.advance(Long.MAX_VALUE));
        return passed;
    }

    /** A window begins with the least time that is in none before it. */
    private static List<String> lasts(Topics topics, long within) {
        Map<Long, TreeSet<Long>> times = new HashMap<>();
        topics.arrivals()
                .forEach(
                        record ->
                                times.computeIfAbsent(record.id(), id -> new TreeSet<>())
                                        .add(record.time()));
        List<String> lasts = new ArrayList<>();
        times.forEach(
                (id, all) -> {
                    for (Long first = all.first(); first != null; ) {
                        long last = all.floor(first + within);
                        lasts.add("id-" + id + "@" + last);
                        first = all.higher(last);
                    }
                });
        return lasts;
    }

    @Test
    void inProcessingTimeTheLastIsTheOneThatCameLast() throws Exception {
        run(1, true, OnLate.forward());
        subtasks.processingTime(5000);
        hold("a", 9000, 1);
        subtasks.processingTime(6000 - 1);
        Event last = hold("a", 10, 2);
        Event other = hold("b", 10, 3);
        subtasks.harnesses().get(0).getOutput().clear();
        subtasks.processingTime(6000);

        assertThat(subtasks.harnesses().get(0).extractOutputValues()).containsExactly(last);
        assertThat(subtasks.advance(Long.MAX_VALUE)).containsExactly(other);
    }

    /** Otherwise the output would end with a record that is not the last. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterARestoreWithAShorterWindowNoRecordFollowsALaterOne(boolean processingTime)
            throws Exception {
        run(1, processingTime, OnLate.forward());
        subtasks.processingTime(5000);
        Event first = hold("a", 5000, 1);
        assertThat(subtasks.advance(5000)).isEmpty();
        subtasks.snapshot();
        run(1, processingTime, OnLate.forward(), WITHIN / 10);
        subtasks.processingTime(5500);
        Event last = hold("a", 5500, 2);

        assertThat(subtasks.advance(5900)).isEmpty();
        assertThat(subtasks.advance(Long.MAX_VALUE)).containsExactly(last);
        assertThat(subtasks.sideOutput(EARLIER)).containsExactly(first);
    }

    /** In whose timers what is held would never leave. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRestoreWithTheOtherClockIsRefused(boolean processingTime) throws Exception {
        run(2, processingTime, OnLate.forward());
        subtasks.processingTime(5000);
        Event last = hold("a", 5000, 1);
        subtasks.snapshot();
        assertThatThrownBy(() -> run(1, !processingTime, OnLate.forward()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("timeDomain=EVENT", "timeDomain=PROCESSING", "uid");

        run(1, processingTime, OnLate.forward());
        assertThat(subtasks.advance(Long.MAX_VALUE)).containsExactly(last);
    }

    /** It would not know the ids that are held, and what is held would never leave. */
    @ParameterizedTest
    @EnumSource(names = {"MEMORY", "VERIFIED", "STATE", "FOREVER"})
    void aRestoreIntoAnotherEngineIsRefused(DedupEngine engine) throws Exception {
        run(1, true, OnLate.forward());
        hold("a", 5000, 1);
        subtasks.snapshot();
        Deduplicate<Event, String> other =
                Deduplicate.by(Event::id).uid("events").timeDomain(TimeDomain.PROCESSING);
        switch (engine) {
            case MEMORY -> other.within(Duration.ofMillis(WITHIN));
            case VERIFIED -> other.within(Duration.ofMillis(WITHIN)).verify();
            case STATE -> other.within(Duration.ofMillis(WITHIN)).inState();
            default -> other.forever();
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Event> events = env.fromData(Event.TYPE, message("a", 0, 0));
        assertThatThrownBy(() -> subtasks.start(1, Applied.of(Event.TYPE, other.apply(events))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("engine=keep last", "uid");
    }

    /** What is known of a window that has left has an end, whatever it was before the restore. */
    @ParameterizedTest
    @ValueSource(longs = {WITHIN / 10, WITHIN, 10 * WITHIN})
    void afterARestoreAnIdThatDoesNotComeAgainLeavesNothing(long within) throws Exception {
        inEventTime();
        Event last = hold("a", 5000, 1);
        assertThat(subtasks.advance(6000)).containsExactly(last);
        subtasks.snapshot();
        run(1, false, OnLate.forward(), within);
        subtasks.processingTime(1_000_000);

        assertThat(subtasks.advance(100_000)).isEmpty();
        assertThat(subtasks.harnesses().get(0).numEventTimeTimers()).isZero();
        assertThat(subtasks.harnesses().get(0).numKeyedStateEntries()).isZero();
    }

    /** A window that was longer before the restore is not a reason to hold back other records. */
    @Test
    void afterARestoreWithAShorterWindowARecordBeforeTheLastHasItsOwn() throws Exception {
        inEventTime();
        hold("a", 5000, 1);
        Event last = hold("a", 5800, 2);
        assertThat(subtasks.advance(5800)).isEmpty();
        subtasks.snapshot();
        run(1, false, OnLate.forward(), WITHIN / 10);
        subtasks.processingTime(1_000_000);
        Event before = hold("a", 5500, 3);

        assertThat(subtasks.advance(5600)).containsExactly(before);
        assertThat(subtasks.advance(6000)).containsExactly(last);
    }

    /** The windows of ids, as the documentation describes them. */
    private static final class Model {
        private final List<Event> emitted = new ArrayList<>();
        private final List<Event> waiting = new ArrayList<>();
        private final Map<String, Map<Long, Event>> open = new HashMap<>();
        private final Map<String, Map<Long, Event>> left = new HashMap<>();
        private long watermark = Long.MIN_VALUE;

        void process(Event message) {
            if (message.time() > watermark) {
                waiting.add(message);
                return;
            }
            Event last = ofStart(left, message);
            if (last != null && last.time() >= message.time()) {
                return;
            }
            boolean over = message.time() + WITHIN <= watermark;
            if (last != null || (over && ofStart(open, message) == null)) {
                emitted.add(message);
            } else {
                take(message);
            }
        }

        private static Event ofStart(Map<String, Map<Long, Event>> windows, Event message) {
            Map<Long, Event> ofId = windows.getOrDefault(message.id(), Map.of());
            return ofId.keySet().stream()
                    .filter(start -> Math.abs(start - message.time()) <= WITHIN)
                    .min(Long::compare)
                    .map(ofId::get)
                    .orElse(null);
        }

        private void take(Event message) {
            Map<Long, Event> windows = open.computeIfAbsent(message.id(), id -> new HashMap<>());
            long start =
                    windows.keySet().stream()
                            .filter(s -> Math.abs(s - message.time()) <= WITHIN)
                            .min(Long::compare)
                            .orElse(message.time());
            windows.merge(start, message, (a, b) -> b.time() >= a.time() ? b : a);
        }

        void advance(long to) {
            // Stable: among equal times, in the order of arrival.
            waiting.sort(Comparator.comparingLong(Event::time));
            while (!waiting.isEmpty() && waiting.get(0).time() <= to) {
                Event next = waiting.remove(0);
                leave(next.time() - 1);
                take(next);
            }
            leave(to);
            watermark = Math.max(watermark, to);
        }

        private void leave(long now) {
            open.forEach(
                    (id, windows) ->
                            windows.entrySet()
                                    .removeIf(
                                            window -> {
                                                boolean over = window.getKey() + WITHIN <= now;
                                                if (over) {
                                                    emitted.add(window.getValue());
                                                    left.put(
                                                            id,
                                                            Map.of(
                                                                    window.getKey(),
                                                                    window.getValue()));
                                                }
                                                return over;
                                            }));
            left.values()
                    .removeIf(
                            windows ->
                                    windows.keySet().stream()
                                            .allMatch(start -> start + 2 * WITHIN <= now));
        }
    }

    /** Committed output only: what follows the last checkpoint is done again. */
    @ParameterizedTest
    @EnumSource(Backends.class)
    void itDoesWhatAnExactModelDoesThroughFailuresAndRescaling(Backends backend) throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.seed(1));
        int groups = random.nextInt(2) == 0 ? 1 : 1024;
        subtasks = subtasks(groups, backend);
        Model model = new Model();
        List<Event> committed = new ArrayList<>();
        inEventTime();
        long clock = 0;
        for (int epoch = 0; epoch < 30; epoch++) {
            boolean fails = epoch > 0 && random.nextInt(3) == 0;
            List<Event> emitted = new ArrayList<>();
            long epochClock = clock;
            for (int i = 0; i < 60; i++) {
                Event message =
                        message(
                                "k" + random.nextInt(20),
                                epochClock + random.nextInt(3000) - 2500,
                                epoch * 60 + i);
                emitted.addAll(subtasks.process(message, message.time()));
                if (!fails) {
                    model.process(message);
                }
                epochClock += random.nextInt(50);
                if (random.nextInt(5) == 0) {
                    emitted.addAll(subtasks.advance(epochClock - 100));
                    if (!fails) {
                        model.advance(epochClock - 100);
                    }
                }
            }
            if (!fails) {
                clock = epochClock;
                emitted.addAll(subtasks.snapshot());
                committed.addAll(emitted);
            }
            if (fails || random.nextInt(3) == 0) {
                run(1 + random.nextInt(3), false, OnLate.forward());
                // A restored operator gets the watermark from its source.
                committed.addAll(subtasks.advance(model.watermark));
            }
        }
        committed.addAll(subtasks.advance(Long.MAX_VALUE));
        model.advance(Long.MAX_VALUE);

        assertThat(committed).containsExactlyInAnyOrderElementsOf(model.emitted);
    }
}
