/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sluice.filter.Seeds;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.OnConflict;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Duplicates whose content differs, in every engine with an id's first records, against a model.
 */
class ConflictsTest {
    private static final long WINDOW = 7_000;
    private static final long DISORDER = 500;

    /** Beyond this an id is surely new again: a window and a slice. */
    private static final long LONGEST = WINDOW + WINDOW / 8;

    private static final OutputTag<Long> CONFLICTS = new OutputTag<>("conflicts", Types.LONG);

    /** A record that passed, or that began the window again. */
    private record Held(long time, long content, boolean hasContent) {
        Held withoutContent() {
            return new Held(time, content, false);
        }
    }

    private enum Engine {
        FILTER(1),
        RESET(2),
        LIMIT(3),
        VERIFIED(4),
        IN_STATE(5),
        FOREVER(6);

        private final int seed;

        Engine(int seed) {
            this.seed = seed;
        }
    }

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream;

    ConflictsTest() {
        fixture.window = Duration.ofMillis(WINDOW);
        fixture.ids = ConflictsTest::id;
        start(8);
    }

    private void start(int keyGroups) {
        stream = new Subtasks<>(ConflictsTest::id, Types.LONG, keyGroups, Backends.HASHMAP);
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private static Long id(Long value) {
        return Math.floorDiv(value, 10);
    }

    private static Long content(Long value) {
        return Math.floorMod(value, 10L);
    }

    private static Conflicts<Long> on(OnConflict<Long> policy) {
        return Conflicts.of(
                policy, StreamExecutionEnvironment.getExecutionEnvironment().fromData(0L), 0);
    }

    private static Conflicts<Long> on() {
        return on(OnConflict.sideOutput(ConflictsTest::content, CONFLICTS));
    }

    private Supplier<OneInputStreamOperator<Long, Long>> engine(Engine engine) {
        fixture.rule =
                engine == Engine.LIMIT
                        ? new PassRule(3, false)
                        : new PassRule(1, engine == Engine.RESET);
        return switch (engine) {
            case FILTER, RESET, LIMIT -> fixture.filter();
            case VERIFIED -> fixture.verified();
            case IN_STATE -> fixture.inState();
            case FOREVER ->
                    () ->
                            new StateDeduplicateOperator<>(
                                    fixture.settings(),
                                    true,
                                    Batching.OFF,
                                    fixture.ids,
                                    DeduplicateFixture.hasher(),
                                    fixture.onDuplicate,
                                    fixture.conflicts,
                                    fixture.onLate,
                                    fixture.onNullId,
                                    fixture.rule);
        };
    }

    private Verdict process(long value, long time) throws Exception {
        if (fixture.conflicts == null) {
            return stream.process(value, time).isEmpty() ? Verdict.DUPLICATE : Verdict.FIRST;
        }
        long conflicts = stream.counter(DeduplicateMetrics.CONFLICTS);
        long uncompared = stream.counter(DeduplicateMetrics.UNCOMPARED);
        if (!stream.process(value, time).isEmpty()) {
            assertThat(stream.counter(DeduplicateMetrics.CONFLICTS)).isEqualTo(conflicts);
            return Verdict.FIRST;
        }
        if (stream.counter(DeduplicateMetrics.CONFLICTS) > conflicts) {
            return Verdict.CONFLICT;
        }
        return stream.counter(DeduplicateMetrics.UNCOMPARED) > uncompared
                ? Verdict.UNCOMPARED
                : Verdict.DUPLICATE;
    }

    @ParameterizedTest
    @EnumSource(Engine.class)
    void aDuplicateWithAnotherContentIsAConflictEachTime(Engine engine) throws Exception {
        fixture.conflicts = on();
        fixture.onDuplicate = OnDuplicate.sideOutput(DeduplicateFixture.DUPLICATES);
        stream.start(2, engine(engine));
        int limit = engine == Engine.LIMIT ? 3 : 1;
        for (int i = 0; i < limit; i++) {
            assertThat(process(11, 1 + i)).isEqualTo(Verdict.FIRST);
        }
        assertThat(process(11, 10)).isEqualTo(Verdict.DUPLICATE);
        assertThat(process(12, 11)).isEqualTo(Verdict.CONFLICT);
        assertThat(process(12, 12)).isEqualTo(Verdict.CONFLICT);
        assertThat(process(11, 13)).isEqualTo(Verdict.DUPLICATE);
        assertThat(process(21, 14)).isEqualTo(Verdict.FIRST);
        assertThat(stream.sideOutput(CONFLICTS)).containsExactly(12L, 12L);
        assertThat(stream.sideOutput(DeduplicateFixture.DUPLICATES))
                .as("a conflict is a duplicate too")
                .containsExactlyInAnyOrder(11L, 12L, 12L, 11L);
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(4);
    }

    @Test
    void aConflictThatIsTaggedPassesWithItsTag() throws Exception {
        fixture.conflicts = on(OnConflict.count(ConflictsTest::content));
        fixture.onDuplicate = OnDuplicate.tag(value -> -value);
        stream.start(1, fixture.filter());
        assertThat(stream.process(11L, 1)).containsExactly(11L);
        assertThat(stream.process(12L, 1)).containsExactly(-12L);
        assertThat(stream.counter(DeduplicateMetrics.CONFLICTS)).isEqualTo(1);
    }

    @Test
    void contentsMayBeBytesOrNull() throws Exception {
        fixture.conflicts =
                on(
                        OnConflict.<Long, byte[]>count(
                                value ->
                                        content(value) == 0
                                                ? null
                                                : new byte[] {content(value).byteValue()}));
        stream.start(1, fixture.filter());
        assertThat(process(10, 1)).isEqualTo(Verdict.FIRST);
        assertThat(process(10, 1)).isEqualTo(Verdict.DUPLICATE);
        assertThat(process(11, 1)).isEqualTo(Verdict.CONFLICT);
        assertThat(process(21, 1)).isEqualTo(Verdict.FIRST);
        assertThat(process(21, 1)).isEqualTo(Verdict.DUPLICATE);
        assertThat(process(20, 1)).isEqualTo(Verdict.CONFLICT);
    }

    @Test
    void contentsWhoseEqualValuesMayHaveUnequalBytesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> on(OnConflict.<Long, Double>count(Long::doubleValue)))
                .withMessageContaining("content: java.lang.Double");
    }

    @ParameterizedTest
    @EnumSource(
            value = Engine.class,
            names = {"FILTER", "VERIFIED", "IN_STATE", "FOREVER"})
    void aRestoreWithAContentOfAnotherTypeIsRefused(Engine engine) throws Exception {
        fixture.conflicts = on();
        stream.start(1, engine(engine));
        assertThat(process(11, 1)).isEqualTo(Verdict.FIRST);
        stream.snapshot();
        fixture.conflicts = on(OnConflict.<Long, String>count(String::valueOf));
        assertThatIllegalStateException()
                .isThrownBy(() -> stream.start(1, engine(engine)))
                .withMessageContaining("the content was of type Long, but is now of type String");
    }

    /** Also where verification is switched off: its exact state has the contents. */
    @Test
    void idsOfAVerifiedJobAreNotComparedWithoutVerification() throws Exception {
        fixture.conflicts = on();
        stream.start(1, fixture.verified());
        assertThat(process(11, 1)).isEqualTo(Verdict.FIRST);
        stream.snapshot();
        stream.start(1, fixture.filter());
        assertThat(process(12, 2)).isEqualTo(Verdict.UNCOMPARED);
    }

    @Test
    void theFilterIsMadeForTheEntriesOfContents() {
        long plain = fixture.settings().windowOptions(8).expectedPerWindow();
        var settings = PassRule.FIRST.settings(fixture.settings(), true);
        assertThat(settings.windowOptions(8).expectedPerWindow()).isEqualTo(2 * plain);
        assertThat(settings.windowOptions(8).fpp()).isEqualTo(fixture.fpp / 3);
        assertThat(settings.fpp()).isEqualTo(fixture.fpp);
        assertThat(settings.idsPerSecond()).isEqualTo(fixture.idsPerSecond);
        assertThat(new SizingCheck(settings, 1, 8).warning("'x'")).isEmpty();
        fixture.idsPerSecond = 100_000_000;
        assertThat(
                        new SizingCheck(fixture.settings().withContents(true), 1, 8)
                                .warning("'x'")
                                .orElseThrow())
                .contains("100,000,000 new ids a second, with their contents, in a window of");
        long alone = new SizingCheck(fixture.settings(), 1, 8).bytesNeeded();
        assertThat(new SizingCheck(fixture.settings().withContents(true), 1, 8).bytesNeeded())
                .isBetween((long) (1.9 * alone), (long) (2.3 * alone));
        fixture.fpp = 2e-12;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PassRule.FIRST.settings(fixture.settings(), true))
                .withMessageContaining("Comparing contents divides falsePositiveProbability");
    }

    /**
     * Records out of order, a window behind or windows ahead; restarts with another parallelism,
     * with contents switched on and off.
     */
    @ParameterizedTest
    @EnumSource(Engine.class)
    void agreesWithAModelThroughRestoresAndRescaling(Engine engine) throws Exception {
        long seed = Seeds.seed(engine.seed);
        SplittableRandom random = new SplittableRandom(seed);
        boolean stragglers = engine != Engine.VERIFIED && engine != Engine.IN_STATE;
        close();
        start(random.nextBoolean() ? 3 : 40);
        fixture.onLate = OnLate.forward();
        fixture.conflicts = on();
        stream.start(1, engine(engine));
        Map<Long, List<Held>> held = new HashMap<>();
        Map<Verdict, Integer> verdicts = new HashMap<>();
        long watermark = 0;
        for (long now = 0; now < 12 * WINDOW; now += random.nextInt(3)) {
            if (now - DISORDER > watermark) {
                watermark = now - DISORDER;
                stream.watermark(watermark);
            }
            if (random.nextInt(2_000) == 0) {
                stream.snapshot();
                fixture.conflicts = random.nextInt(3) == 0 ? null : on();
                if (fixture.conflicts == null && engine.compareTo(Engine.IN_STATE) >= 0) {
                    // Flink's state would be kept for ever, so it is deleted.
                    held.values().forEach(all -> all.replaceAll(Held::withoutContent));
                }
                stream.start(1 + random.nextInt(3), engine(engine));
                stream.watermark(watermark);
            }
            long id = (long) (1_000 * Math.pow(random.nextDouble(), 3));
            // What is known for ever is soon known without a content.
            id += engine.compareTo(Engine.IN_STATE) >= 0 ? now / WINDOW * 1_000 : 0;
            long content = random.nextInt(20) == 0 ? 2 : random.nextLong(4) / 3;
            long time = timeOf(now, stragglers, random);
            String what = "id " + id + " at " + now + " with -Dtest.seed=" + seed;
            Verdict verdict = process(10 * id + content, time);
            List<Held> all = held.computeIfAbsent(id, unused -> new ArrayList<>());
            boolean on = fixture.conflicts != null;
            if (on) {
                verdicts.merge(verdict, 1, Integer::sum);
                boolean exact = engine.compareTo(Engine.VERIFIED) >= 0;
                if (exact) {
                    long window = engine == Engine.VERIFIED ? WINDOW : Long.MAX_VALUE / 2;
                    assertThat(verdict).as(what).isEqualTo(expected(all, time, window, content));
                } else {
                    check(verdict, all, time, content, time < watermark, what);
                }
            }
            if (verdict == Verdict.FIRST) {
                all.add(new Held(time, content, on));
            } else if (engine == Engine.RESET) {
                // Of one that differs nobody knows the content afterwards.
                boolean equal = on && verdict == Verdict.DUPLICATE;
                all.add(new Held(time, equal ? content : -1, equal));
            }
        }
        assertThat(verdicts.get(Verdict.CONFLICT)).isGreaterThan(1_000);
        assertThat(verdicts.get(Verdict.DUPLICATE)).isGreaterThan(1_000);
        assertThat(verdicts.get(Verdict.UNCOMPARED)).isGreaterThan(100);
    }

    private static long timeOf(long now, boolean stragglers, SplittableRandom random) {
        int kind = stragglers ? random.nextInt(100) : 99;
        if (kind == 0) {
            return now + 3 * WINDOW + random.nextLong(DISORDER);
        }
        return now - random.nextLong(kind < 4 ? 2 * WINDOW : DISORDER);
    }

    private static Verdict expected(List<Held> all, long time, long window, long content) {
        Verdict verdict = Verdict.FIRST;
        for (Held one : all) {
            if (Math.abs(time - one.time) <= window) {
                Verdict next = Verdict.UNCOMPARED;
                if (one.hasContent) {
                    next = one.content == content ? Verdict.DUPLICATE : Verdict.CONFLICT;
                }
                verdict = verdict == Verdict.FIRST ? next : verdict.and(next);
            }
        }
        return verdict;
    }

    /**
     * A filter holds what left the window for a slice longer, and may have forgotten stragglers.
     */
    private static void check(
            Verdict verdict, List<Held> all, long time, long content, boolean behind, String what) {
        List<Held> near = within(all, time, WINDOW);
        List<Held> perhaps = within(all, time, LONGEST);
        switch (verdict) {
            case CONFLICT -> {
                assertThat(near).as(what).noneMatch(one -> one.content == content);
                assertThat(perhaps).as(what).anyMatch(one -> one.hasContent);
            }
            case DUPLICATE -> assertThat(perhaps).as(what).anyMatch(one -> one.content == content);
            case UNCOMPARED ->
                    assertThat(behind || perhaps.stream().anyMatch(one -> !one.hasContent))
                            .as(what)
                            .isTrue();
            default -> {}
        }
    }

    private static List<Held> within(List<Held> all, long time, long window) {
        return all.stream().filter(one -> Math.abs(time - one.time) <= window).toList();
    }

    /** Whatever is forgotten early, of what is held, or has passed, nothing equal conflicts. */
    @ParameterizedTest
    @CsvSource({"1, 9000", "1, 20000", "4, 9000", "4, 40000"})
    void underPressureNothingEqualIsAConflict(int limit, long budgetBytes) {
        long seed = Seeds.seed(limit);
        SplittableRandom random = new SplittableRandom(seed);
        PassRule rule = new PassRule(limit, false);
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW)
                        .falsePositiveProbability(1e-9)
                        .maxFalsePositiveProbability(1e-8)
                        .expectedPerWindow(1_000)
                        .clockOfCaller()
                        .build();
        MemoryBudget budget = new MemoryBudget(budgetBytes);
        Deduplicator group = Deduplicator.create(options, budget, 0, 0, true);
        Map<Long, List<Held>> held = new HashMap<>();
        Map<Verdict, Integer> verdicts = new HashMap<>();
        for (long now = 0; now < 20 * WINDOW; now += random.nextInt(3)) {
            group.advanceTo(now - DISORDER);
            long id = (long) (4_000 * Math.pow(random.nextDouble(), 3));
            long content = random.nextInt(3);
            long time = timeOf(now, true, random);
            long hash = Hashing.hash(id);
            Verdict verdict = rule.decide(group, hash, content, time, time);
            List<Held> all = held.computeIfAbsent(id, unused -> new ArrayList<>());
            if (verdict == Verdict.LATE) {
                rule.remember(group, hash, content, time, time);
            }
            if (verdict == Verdict.CONFLICT) {
                assertThat(within(all, time, WINDOW))
                        .as("id " + id + " at " + now + " with -Dtest.seed=" + seed)
                        .noneMatch(one -> one.content == content);
            }
            if (verdict == Verdict.FIRST || verdict == Verdict.LATE) {
                all.add(new Held(time, content, true));
            }
            verdicts.merge(verdict, 1, Integer::sum);
        }
        assertThat(group.overflows()).isGreaterThan(1_000);
        assertThat(verdicts.get(Verdict.CONFLICT)).isPositive();
        assertThat(verdicts.get(Verdict.UNCOMPARED)).isGreaterThan(1_000);
        group.close();
    }

    /** As many of an id pass as after a restart with contents, and without. */
    @Test
    void contentsSwitchedOffLoseNoId() throws Exception {
        fixture.shadowIds = 0;
        fixture.conflicts = on();
        stream.start(1, fixture.filter());
        stream.watermark(0);
        for (long id = 0; id < 1_000; id++) {
            assertThat(process(10 * id, 1 + id)).isEqualTo(Verdict.FIRST);
        }
        stream.snapshot();
        fixture.conflicts = null;
        stream.start(3, fixture.filter());
        stream.snapshot();
        stream.start(2, fixture.filter());
        stream.watermark(0);
        for (long id = 0; id < 1_000; id++) {
            assertThat(process(10 * id, 1_001)).isEqualTo(Verdict.DUPLICATE);
        }
        stream.watermark(1_000 + LONGEST);
        for (long id = 0; id < 1_000; id++) {
            assertThat(process(10 * id, 1_001 + LONGEST)).isEqualTo(Verdict.FIRST);
        }
    }

    /** Sorted by id and time, as BATCH execution sorts it, for each limit. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void sortedInputIsComparedExactly(int limit) throws Exception {
        long seed = Seeds.seed(limit);
        SplittableRandom random = new SplittableRandom(seed);
        fixture.rule = new PassRule(limit, false);
        fixture.conflicts = on();
        fixture.timeDomain = TimeDomain.EVENT;
        stream.start(1, fixture.sorted());
        int conflicts = 0;
        for (long id = 0; id < 300; id++) {
            List<Long> times = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                times.add(random.nextLong(5 * WINDOW));
            }
            times.sort(Comparator.naturalOrder());
            List<Held> passed = new ArrayList<>();
            for (long time : times) {
                long content = random.nextInt(3);
                List<Held> near = within(passed, time, WINDOW);
                Verdict expected =
                        near.size() < limit
                                ? Verdict.FIRST
                                : expected(passed, time, WINDOW, content);
                assertThat(process(10 * id + content, time))
                        .as("id " + id + " at " + time + " with -Dtest.seed=" + seed)
                        .isEqualTo(expected);
                conflicts += expected == Verdict.CONFLICT ? 1 : 0;
                if (expected == Verdict.FIRST) {
                    passed.add(new Held(time, content, true));
                }
            }
        }
        assertThat(conflicts).isGreaterThan(300);
        assertThat(stream.sideOutput(CONFLICTS)).hasSize(conflicts);
    }
}
