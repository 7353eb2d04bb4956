/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.ExactModel.Answer;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.storage.CrashableDirectory;
import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.FaultyDirectory;
import io.sluice.filter.storage.FaultyDirectory.Fault;
import io.sluice.filter.storage.FaultyDirectory.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The machine stops at every storage operation of a random history. What is found afterwards is
 * what the filter held at one moment, not earlier than the last completed flush.
 */
class CrashTest {

    private static final int KEY_GROUPS = 3;

    @Tag("thorough")
    @Test
    void aCrashAtAnyStorageOperationLeavesWhatWasFlushed() throws IOException {
        for (int round = 0; round < 4; round++) {
            crashEverywhere(Seeds.seed(round), 80);
        }
    }

    @Tag("long")
    @Test
    void aCrashAtAnyStorageOperationOfLongHistoriesLeavesWhatWasFlushed() throws IOException {
        for (int round = 0; round < 60; round++) {
            crashEverywhere(Seeds.seed(10_000 + round), 600);
        }
    }

    private static void crashEverywhere(long seed, int steps) throws IOException {
        long operations = new Life(seed, steps, Long.MAX_VALUE).run();
        assertThat(operations).isGreaterThan(steps / 2);
        for (long at = 0; at < operations; at++) {
            new Life(seed, steps, at).run();
        }
    }

    /** A history, up to the operation at which the machine stops. */
    private static final class Life {
        private final String name;
        private final SplittableRandom random;
        private final SplittableRandom afterwards;
        private final int steps;
        private final CrashableDirectory disk = new CrashableDirectory();
        private final FaultyDirectory directory = new FaultyDirectory(disk);
        private final ChosenTasks tasks;
        private final CascadeOptions options;
        private final ExactModel model = new ExactModel(Long.MAX_VALUE, 0);

        /** What was held after each operation since the last completed flush began. */
        private List<Set<Long>> since = new ArrayList<>();

        private Life(long seed, int steps, long stopAt) {
            name = "seed " + seed + ", stopped at operation " + stopAt;
            random = new SplittableRandom(seed);
            afterwards = new SplittableRandom(seed ^ stopAt);
            this.steps = steps;
            tasks = new ChosenTasks(random);
            options = options(random, tasks);
            if (stopAt < Long.MAX_VALUE) {
                directory.plan(Fault.STOP, Operation.all(), stopAt);
            }
            since.add(Set.of());
        }

        private static CascadeOptions options(SplittableRandom random, ChosenTasks tasks) {
            return CascadeOptions.builder()
                    .keyGroups(5, KEY_GROUPS)
                    .divideKeyGroups(random.nextBoolean())
                    .capacity(40 + random.nextInt(4_000))
                    .falsePositiveProbability(1e-3)
                    .bufferBytes(3_000 + random.nextInt(3_000))
                    .mergePolicy(
                            random.nextBoolean()
                                    ? MergePolicy.doubling(2)
                                    : MergePolicy.fewFiles(1 + random.nextInt(3)))
                    .syncPolicy(random.nextBoolean() ? SyncPolicy.ON_FLUSH : SyncPolicy.EVERY_FILE)
                    .resources(CascadeResources.of(new PageCache(1 << 14), tasks))
                    .build();
        }

        /** Returns the number of storage operations. */
        private long run() throws IOException {
            try {
                live();
            } catch (IOException | UncheckedIOException | IllegalStateException e) {
                assertThat(directory.happened()).as(name).isTrue();
            }
            check(disk.crashClone());
            check(disk.crashClone(afterwards));
            return directory.operations();
        }

        private void live() throws IOException {
            CascadeFilter filter = CascadeFilter.open(directory, options);
            for (int step = 0; step < steps; step++) {
                int kind = random.nextInt(100);
                if (kind < 70) {
                    add(filter, 1 + random.nextInt(60));
                } else if (kind < 80) {
                    remove(filter);
                } else if (kind < 95) {
                    tasks.run(1 + random.nextInt(3));
                } else if (kind < 98) {
                    flush(filter);
                } else {
                    filter.close();
                    flushed();
                    filter = CascadeFilter.open(directory, options);
                }
            }
            filter.close();
            flushed();
        }

        private void add(CascadeFilter filter, int count) {
            for (int i = 0; i < count; i++) {
                int keyGroup = 5 + random.nextInt(KEY_GROUPS);
                int id = random.nextInt(Universe.HASHES);
                boolean absent = filter.add(keyGroup, Universe.hash(id));
                assertThat(absent).as(name).isEqualTo(model.ask(keyGroup, id) == Answer.ABSENT);
                model.add(keyGroup, id);
            }
            since.add(model.all(Answer.PRESENT));
        }

        private void remove(CascadeFilter filter) {
            int keyGroup = 5 + random.nextInt(KEY_GROUPS);
            int id = random.nextInt(Universe.HASHES);
            boolean held = filter.remove(keyGroup, Universe.hash(id));
            assertThat(held).as(name).isEqualTo(model.ask(keyGroup, id) == Answer.PRESENT);
            model.remove(keyGroup, id);
            since.add(model.all(Answer.PRESENT));
        }

        private void flush(CascadeFilter filter) throws IOException {
            filter.flush();
            flushed();
        }

        private void flushed() {
            since = new ArrayList<>();
            since.add(model.all(Answer.PRESENT));
        }

        /**
         * What is found is one of the states since the flush, or possibly one in the middle of a
         * step.
         */
        private void check(Directory left) throws IOException {
            ChosenTasks later = new ChosenTasks(afterwards);
            CascadeOptions reopened = options(new SplittableRandom(name.hashCode()), later);
            Set<Long> found = new HashSet<>();
            try (CascadeFilter filter = CascadeFilter.open(left, reopened)) {
                later.runAll();
                try (EntryCursor cursor = filter.scan()) {
                    long[] batch = new long[500];
                    for (int n = cursor.next(batch); n > 0; n = cursor.next(batch)) {
                        for (int i = 0; i < n; i++) {
                            found.add((batch[i] >>> 48) << Universe.BITS | Universe.id(batch[i]));
                        }
                    }
                }
            }
            assertThat(since.stream().anyMatch(found::equals) || isBetween(found))
                    .as(
                            "%s: %s entries were found that were never held together",
                            name, found.size())
                    .isTrue();
        }

        /** A buffer may have been frozen inside a step of several additions. */
        private boolean isBetween(Set<Long> found) {
            for (int i = 0; i <= since.size(); i++) {
                Set<Long> before = since.get(Math.max(0, i - 1));
                Set<Long> after = i < since.size() ? since.get(i) : model.all(Answer.PRESENT);
                if (found.containsAll(before) && after.containsAll(found)) {
                    return true;
                }
            }
            return false;
        }
    }
}
