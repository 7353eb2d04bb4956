/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.flink.Backends;
import io.sluice.flink.SecondInput;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The operator against an exact model, over random schedules of records, watermarks, snapshots,
 * failures and rescaled restarts with other options.
 */
class DeduplicateRandomTest {

    private static final int SCHEDULES = 24;
    private static final int STEPS = 1500;

    /** An eighth of the longest window. */
    private static final long LONGEST_SLICE = 213;

    /** What an exact deduplicator knows; copied with every snapshot. */
    private static final class Model {
        /** The records that passed and are in the window, or were late and are kept as long. */
        final Map<Long, List<Passed>> held = new HashMap<>();

        /** The times of all records that passed: beyond the window they may be held or not. */
        final Map<Long, List<Long>> ever = new HashMap<>();

        long clock = Long.MIN_VALUE;

        /** Before this, some window has ended: what was in it may have been forgotten. */
        long latestHorizon = Long.MIN_VALUE;

        Model copy() {
            Model copy = new Model();
            held.forEach((id, passed) -> copy.held.put(id, new ArrayList<>(passed)));
            ever.forEach((id, times) -> copy.ever.put(id, new ArrayList<>(times)));
            copy.clock = clock;
            copy.latestHorizon = latestHorizon;
            return copy;
        }

        long horizon(long window) {
            return clock == Long.MIN_VALUE ? Long.MIN_VALUE : clock - window;
        }

        /** An id that has left one window is not back when a longer window begins. */
        void forget(long window) {
            latestHorizon = Math.max(latestHorizon, horizon(window));
            for (List<Passed> passed : held.values()) {
                passed.removeIf(record -> record.kept() < horizon(window));
            }
        }

        boolean holds(long id, long time, long window) {
            return held.getOrDefault(id, List.of()).stream()
                    .anyMatch(
                            record ->
                                    record.kept() >= horizon(window)
                                            && Math.abs(record.time() - time) <= window);
        }

        boolean everPassed(long id, long time, long within) {
            return ever.getOrDefault(id, List.of()).stream()
                    .anyMatch(other -> Math.abs(other - time) <= within);
        }

        void pass(long id, long time, long window) {
            ever.computeIfAbsent(id, unused -> new ArrayList<>()).add(time);
            held.computeIfAbsent(id, unused -> new ArrayList<>())
                    .add(new Passed(time, Math.max(time, horizon(window))));
        }
    }

    /**
     * A record that passed.
     *
     * @param kept the time that has to leave the window before it is forgotten
     */
    private record Passed(long time, long kept) {}

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private long newIds;
    private long falselyDropped;
    private long duplicates;
    private long rescued;
    private long marked;

    /** Ids seen elsewhere that the subtasks say they have marked, since they were started. */
    private long taken;

    /** Until one has come, a key group without ids does not know the time after a restore. */
    private boolean hasWatermark;

    /** Of a hundred records, how many are ids that were seen elsewhere. */
    private int marksPerCent;

    @Test
    void neverMissesADuplicateInsideTheWindow() throws Exception {
        for (int i = 0; i < SCHEDULES; i++) {
            run(Seeds.seed(i), Backends.HASHMAP, fixture.filter(), false);
        }
        assertThat(duplicates).isGreaterThan(3_000);
        assertThat(newIds).isGreaterThan(3_000);
        // Mean below 0.01 with the largest probability that a schedule uses: five are impossible.
        assertThat(falselyDropped).isLessThan(5);
    }

    @ParameterizedTest
    @EnumSource(names = {"HASHMAP", "ROCKSDB"})
    void verifiedNeverDropsAFirstOccurrenceEither(Backends backend) throws Exception {
        fixture.fpp = 0.25;
        fixture.idsPerSecond = 1;
        int schedules = backend == Backends.HASHMAP ? 12 : 3;
        for (int i = 0; i < schedules; i++) {
            run(Seeds.seed(i), backend, fixture.verified(), true);
        }
        assertThat(falselyDropped).isZero();
        assertThat(rescued).as("the filter alone would have erred").isPositive();
    }

    @Test
    void anIdThatWasSeenElsewhereIsLikeARecordThatPassed() throws Exception {
        marksPerCent = 40;
        for (int i = 0; i < SCHEDULES; i++) {
            run(Seeds.seed(i), Backends.HASHMAP, fixture.filter(), false);
        }
        assertThat(marked).isGreaterThan(3_000);
        assertThat(duplicates).isGreaterThan(3_000);
        assertThat(falselyDropped).isLessThan(5);
    }

    @ParameterizedTest
    @EnumSource(names = {"HASHMAP", "ROCKSDB"})
    void anIdThatWasSeenElsewhereIsVerified(Backends backend) throws Exception {
        marksPerCent = 40;
        fixture.fpp = 0.25;
        fixture.idsPerSecond = 1;
        int schedules = backend == Backends.HASHMAP ? 12 : 3;
        for (int i = 0; i < schedules; i++) {
            run(Seeds.seed(i), backend, fixture.verified(), true);
        }
        assertThat(marked).isGreaterThan(500);
        assertThat(falselyDropped).isZero();
        assertThat(rescued).as("the filter alone would have erred").isPositive();
    }

    private void run(
            long seed,
            Backends backend,
            Supplier<OneInputStreamOperator<Long, Long>> operator,
            boolean exact)
            throws Exception {
        taken = 0;
        hasWatermark = false;
        Random random = new Random(seed);
        int maxParallelism = 1 + random.nextInt(60);
        int mostSubtasks = Math.min(maxParallelism, 7);
        Subtasks<Long, Long, Long> stream = DeduplicateFixture.subtasks(maxParallelism, backend);
        SecondInput<Long, Long, Long> second = new SecondInput<>(stream, maxParallelism);
        try {
            Model model = new Model();
            Model saved = model.copy();
            long window = newOptions(random, exact);
            stream.start(1 + random.nextInt(mostSubtasks), operator);
            stream.snapshot();
            long time = random.nextInt(10_000);
            List<Long> recent = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                int dice = random.nextInt(1000);
                if (dice < 960) {
                    time += random.nextInt(8);
                    long timestamp = time - random.nextInt(random.nextInt(20) == 0 ? 3000 : 100);
                    long id = pickId(random, recent);
                    if (random.nextInt(100) < marksPerCent) {
                        assertThat(second.process(id, id, timestamp)).isEmpty();
                        noted(stream, model, window, id, timestamp, seed, exact);
                    } else {
                        record(stream, model, window, id, timestamp, seed, exact);
                    }
                } else if (dice < 990) {
                    long watermark = time - random.nextInt(300);
                    stream.watermark(watermark);
                    hasWatermark = true;
                    model.clock = Math.max(model.clock, watermark);
                    model.latestHorizon = Math.max(model.latestHorizon, model.horizon(window));
                } else if (dice < 996) {
                    stream.snapshot();
                    saved = model.copy();
                    saved.forget(window);
                } else {
                    rescued += stream.counter(DeduplicateMetrics.RESCUED);
                    window = newOptions(random, exact);
                    stream.start(1 + random.nextInt(mostSubtasks), operator);
                    taken = 0;
                    hasWatermark = false;
                    model = saved.copy();
                    model.forget(window);
                }
            }
            rescued += stream.counter(DeduplicateMetrics.RESCUED);
        } finally {
            stream.close();
        }
    }

    private long newOptions(Random random, boolean exact) {
        long window = 200L + random.nextInt(1500);
        fixture.window = Duration.ofMillis(window);
        if (!exact) {
            fixture.fpp = random.nextBoolean() ? 1e-7 : 1e-9;
            fixture.idsPerSecond = 1L + random.nextInt(2000);
        }
        return window;
    }

    private static long pickId(Random random, List<Long> recent) {
        if (!recent.isEmpty() && random.nextInt(3) == 0) {
            return recent.get(random.nextInt(recent.size()));
        }
        long id = random.nextLong();
        recent.add(id);
        if (recent.size() > 300) {
            recent.remove(random.nextInt(recent.size()));
        }
        return id;
    }

    /** An id that was seen elsewhere has come. */
    private void noted(
            Subtasks<Long, Long, Long> stream,
            Model model,
            long window,
            long id,
            long timestamp,
            long seed,
            boolean exact) {
        long takenNow = stream.counter(DeduplicateMetrics.ALSO_SEEN);
        boolean isTaken = takenNow > taken;
        taken = takenNow;
        boolean isLate = timestamp < model.latestHorizon;
        if (model.holds(id, timestamp, window)) {
            assertThat(isTaken)
                    .as("mark of %s, known, at %s; %s", id, timestamp, Seeds.describe(seed))
                    .isFalse();
        } else if (hasWatermark && timestamp < model.horizon(window)) {
            assertThat(isTaken)
                    .as("mark of %s, late, at %s; %s", id, timestamp, Seeds.describe(seed))
                    .isFalse();
        } else if (!isLate
                && !model.everPassed(id, timestamp, window + (exact ? 0 : LONGEST_SLICE))) {
            newIds++;
            if (!isTaken) {
                falselyDropped++;
                assertThat(exact)
                        .as("mark of %s at %s not taken; %s", id, timestamp, Seeds.describe(seed))
                        .isFalse();
            }
        }
        if (isTaken) {
            marked++;
            model.pass(id, timestamp, window);
        }
    }

    private void record(
            Subtasks<Long, Long, Long> stream,
            Model model,
            long window,
            long id,
            long timestamp,
            long seed,
            boolean exact)
            throws Exception {
        boolean passes = !stream.process(id, timestamp).isEmpty();
        if (model.holds(id, timestamp, window)) {
            duplicates++;
            assertThat(passes)
                    .as(
                            "duplicate of %s at %s, clock %s, window %s; %s",
                            id, timestamp, model.clock, window, Seeds.describe(seed))
                    .isFalse();
        } else if (!model.everPassed(id, timestamp, window + (exact ? 0 : LONGEST_SLICE))) {
            newIds++;
            if (!passes) {
                falselyDropped++;
                assertThat(exact)
                        .as("new id %s at %s dropped; %s", id, timestamp, Seeds.describe(seed))
                        .isFalse();
            }
        }
        if (passes) {
            model.pass(id, timestamp, window);
        }
    }
}
