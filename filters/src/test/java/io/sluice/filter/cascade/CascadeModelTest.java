/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.ExactModel.Answer;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random operations on filters of random options, against an exact model. Background work is done
 * at random moments, in a random order; filters are closed and opened again with other options, and
 * restored from snapshots with other key groups.
 */
class CascadeModelTest {

    private static final int ALL_KEY_GROUPS = 12;

    private static final int FIRST_KEY_GROUP = 1_000;

    @Tag("thorough")
    @Test
    void answersAsAnExactSet() throws IOException {
        for (int round = 0; round < 25; round++) {
            new History(Seeds.seed(round)).run(1_500);
        }
    }

    @Tag("long")
    @Test
    void answersAsAnExactSetForLong() throws IOException {
        for (int round = 0; round < 1_000; round++) {
            new History(Seeds.seed(1_000_000 + round)).run(4_000);
        }
    }

    /** One filter's life. */
    private static final class History {
        private final long seed;
        private final SplittableRandom random;
        private final ChosenTasks tasks;
        private final long timeToLive;
        private final long bucket;

        /**
         * One in this many removals is done; none if 0. Few removals leave most files without
         * tombstones.
         */
        private final int removesOneOf;

        private final boolean divides;
        private CrashableDirectory directory = new CrashableDirectory();
        private CascadeFilter filter;
        private ExactModel model;
        private int first = FIRST_KEY_GROUP;
        private int end = FIRST_KEY_GROUP + ALL_KEY_GROUPS;
        private int step;

        private CascadeSnapshot pinned;
        private ExactModel pinnedModel;
        private int pinnedFirst;
        private int pinnedEnd;

        /** The files of the last snapshot that was stored, by name. */
        private Map<String, byte[]> stored = Map.of();

        private History(long seed) throws IOException {
            this.seed = seed;
            random = new SplittableRandom(seed);
            tasks = new ChosenTasks(random);
            timeToLive = random.nextInt(3) == 0 ? 200 + random.nextInt(400) : Long.MAX_VALUE;
            bucket = timeToLive;
            removesOneOf = new int[] {0, 1, 10, 100}[random.nextInt(4)];
            divides = random.nextBoolean();
            model = new ExactModel(timeToLive, bucket);
            filter = CascadeFilter.open(directory, options());
            filter.advanceTo(model.now());
        }

        private CascadeOptions options() {
            CascadeOptionsBuilder builder =
                    CascadeOptions.builder()
                            .keyGroups(first, end - first)
                            // With so few entries, measured probabilities mean nothing.
                            .capacityPolicy(CapacityPolicy.RAISE_PROBABILITY)
                            .divideKeyGroups(divides)
                            // Enough bits for the ids, but often several eras.
                            .capacity(end - first + random.nextInt(1 << random.nextInt(4, 16)))
                            .falsePositiveProbability(
                                    Math.pow(2, -Universe.MIN_BITS - random.nextInt(5)))
                            .bufferBytes(4_000 + random.nextInt(1 << random.nextInt(4, 16)))
                            .bufferStorage(random.nextBoolean() ? Storage.HEAP : Storage.OFF_HEAP)
                            .overviewBitsPerKey(random.nextInt(3) == 0 ? 0 : random.nextInt(1, 12))
                            .overviewBytes(
                                    random.nextInt(3) > 0
                                            ? Long.MAX_VALUE
                                            : random.nextInt(1, 1 << random.nextInt(4, 14)))
                            .summaryBitsPerKey(random.nextInt(2) * random.nextInt(1, 12))
                            .mergePolicy(
                                    random.nextInt(3) == 0
                                            ? MergePolicy.doubling(2 + random.nextInt(4))
                                            : MergePolicy.fewFiles(1 + random.nextInt(5)))
                            .syncPolicy(
                                    random.nextBoolean()
                                            ? SyncPolicy.ON_FLUSH
                                            : SyncPolicy.EVERY_FILE)
                            .resources(
                                    CascadeResources.of(
                                            new PageCache(random.nextInt(1 << 17)), tasks));
            if (timeToLive != Long.MAX_VALUE) {
                builder.timeToLive(Duration.ofMillis(timeToLive), 1 + random.nextInt(6));
            }
            if (random.nextInt(3) == 0) {
                builder.bufferMemory(() -> BufferMemoryTest::used);
            }
            return builder.build();
        }

        private void run(int steps) throws IOException {
            try {
                for (step = 0; step < steps; step++) {
                    step();
                }
                checkAll();
                dropPinned();
                filter.close();
                tasks.runAll();
            } catch (AssertionError | RuntimeException | IOException e) {
                throw new AssertionError("seed " + seed + ", step " + step, e);
            }
        }

        private void step() throws IOException {
            int kind = random.nextInt(1_000);
            if (kind < 400) {
                add();
            } else if (kind < 500) {
                int keyGroup = keyGroup();
                int id = id();
                filter.insert(keyGroup, Universe.hash(id));
                model.add(keyGroup, id);
            } else if (kind < 650) {
                int keyGroup = keyGroup();
                int id = id();
                check(filter.mightContain(keyGroup, Universe.hash(id)), keyGroup, id);
            } else if (kind < 800) {
                remove();
            } else if (kind < 870) {
                addAll();
            } else if (kind < 900) {
                if (random.nextInt(3) == 0) {
                    model.advanceTo(model.now() + random.nextInt(100));
                    filter.advanceTo(model.now());
                }
            } else if (kind < 975) {
                tasks.run(1 + random.nextInt(4));
            } else if (kind < 985) {
                pin();
            } else if (kind < 987) {
                store();
            } else if (kind < 988) {
                filter.flush();
            } else if (kind < 991) {
                scan();
            } else if (kind < 994) {
                reopen();
            } else if (kind < 997) {
                restore();
            } else {
                checkAll();
            }
        }

        private int keyGroup() {
            return random.nextInt(first, end);
        }

        private int id() {
            return random.nextInt(Universe.HASHES);
        }

        private void check(boolean held, int keyGroup, int id) {
            Answer expected = model.ask(keyGroup, id);
            assertThat(expected == Answer.EITHER || held == (expected == Answer.PRESENT))
                    .as("key group %s, id %s: expected %s, got %s", keyGroup, id, expected, held)
                    .isTrue();
        }

        private void add() {
            int keyGroup = keyGroup();
            int id = id();
            boolean absent = filter.add(keyGroup, Universe.hash(id));
            check(!absent, keyGroup, id);
            if (absent) {
                model.add(keyGroup, id);
            }
        }

        private void remove() {
            if (removesOneOf > 0 && random.nextInt(removesOneOf) == 0) {
                int keyGroup = keyGroup();
                int id = id();
                check(filter.remove(keyGroup, Universe.hash(id)), keyGroup, id);
                model.remove(keyGroup, id);
            }
        }

        private void addAll() {
            int length = random.nextInt(1 << random.nextInt(1, 9));
            int from = random.nextInt(3);
            int[] keyGroups = new int[from + length];
            long[] hashes = new long[from + length];
            int[] ids = new int[from + length];
            boolean oneKeyGroup = random.nextBoolean();
            int theKeyGroup = keyGroup();
            for (int i = from; i < from + length; i++) {
                keyGroups[i] = oneKeyGroup ? theKeyGroup : keyGroup();
                ids[i] = id();
                hashes[i] = Universe.hash(ids[i]);
            }
            boolean[] absent = new boolean[from + length];
            int added =
                    oneKeyGroup
                            ? filter.addAll(theKeyGroup, hashes, from, length, absent)
                            : filter.addAll(keyGroups, hashes, from, length, absent);
            for (int i = from; i < from + length; i++) {
                check(!absent[i], keyGroups[i], ids[i]);
                if (absent[i]) {
                    model.add(keyGroups[i], ids[i]);
                    added--;
                }
            }
            assertThat(added).isZero();
        }

        private void checkAll() {
            for (int keyGroup = first; keyGroup < end; keyGroup++) {
                for (int id = 0; id < Universe.HASHES; id += 1 + random.nextInt(8)) {
                    check(filter.mightContain(keyGroup, Universe.hash(id)), keyGroup, id);
                }
            }
        }

        private void scan() throws IOException {
            Set<Long> read = new HashSet<>();
            try (EntryCursor cursor = filter.scan()) {
                long[] batch = new long[1 + random.nextInt(5_000)];
                long last = -1;
                for (int n = cursor.next(batch); n > 0; n = cursor.next(batch)) {
                    for (int i = 0; i < n; i++) {
                        assertThat(batch[i]).isGreaterThan(last);
                        last = batch[i];
                        read.add((batch[i] >>> 48) << Universe.BITS | Universe.id(batch[i]));
                    }
                }
            }
            Set<Long> certain = model.all(Answer.PRESENT);
            Set<Long> missing = new HashSet<>(certain);
            missing.removeAll(read);
            assertThat(missing).as("missing in a scan").isEmpty();
            read.removeAll(certain);
            read.removeAll(model.all(Answer.EITHER));
            assertThat(read).as("too much in a scan").isEmpty();
        }

        private void reopen() throws IOException {
            filter.close();
            // A snapshot outlives its filter, but not the next one in the same directory.
            dropPinned();
            filter = CascadeFilter.open(directory, options());
            filter.advanceTo(model.now());
        }

        /** Takes a snapshot, which is restored later, perhaps much later. */
        private void pin() throws IOException {
            dropPinned();
            pinned = filter.snapshot();
            pinnedModel = model.copy(first, end);
            pinnedFirst = first;
            pinnedEnd = end;
        }

        /** Stores a snapshot, reusing what the last one has. */
        private void store() throws IOException {
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                snapshot.reuse(stored::containsKey);
                stored = contents(snapshot);
            }
        }

        private void dropPinned() throws IOException {
            if (pinned != null) {
                pinned.close();
                pinned = null;
            }
        }

        /** Goes on with other key groups from the pinned snapshot, in parts. */
        private void restore() throws IOException {
            if (pinned == null) {
                return;
            }
            pinned.prepare();
            if (random.nextBoolean()) {
                pinned.reuse(stored::containsKey);
            }
            int middle = random.nextInt(pinnedFirst, pinnedEnd);
            CrashableDirectory next = new CrashableDirectory();
            List<byte[]> manifests = new ArrayList<>();
            if (middle == pinnedFirst) {
                copy(pinned, next);
                manifests.add(pinned.manifest());
            } else {
                manifests.add(part(pinnedFirst, middle, next));
                manifests.add(part(middle, pinnedEnd, next));
            }
            dropPinned();
            filter.close();
            tasks.runAll();
            int a = random.nextInt(pinnedFirst, pinnedEnd);
            int b = random.nextInt(pinnedFirst, pinnedEnd);
            boolean whole = random.nextInt(3) > 0;
            first = whole ? pinnedFirst : Math.min(a, b);
            end = whole ? pinnedEnd : Math.max(a, b) + 1;
            directory = next;
            model = pinnedModel.copy(first, end);
            filter = CascadeFilter.restore(directory, options(), manifests);
            filter.advanceTo(model.now());
            if (random.nextBoolean()) {
                tasks.runAll();
            }
            checkAll();
        }

        /**
         * A separate filter for a part of the key groups; what it does afterwards does not matter.
         */
        private byte[] part(int partFirst, int partEnd, CrashableDirectory to) throws IOException {
            CrashableDirectory own = new CrashableDirectory();
            copy(pinned, own);
            int oldFirst = first;
            int oldEnd = end;
            first = partFirst;
            end = partEnd;
            CascadeOptions options = options();
            first = oldFirst;
            end = oldEnd;
            try (CascadeFilter part =
                    CascadeFilter.restore(own, options, List.of(pinned.manifest()))) {
                part.advanceTo(pinnedModel.now());
                tasks.run(random.nextInt(20));
                for (int i = random.nextInt(40); i > 0; i--) {
                    int keyGroup = random.nextInt(partFirst, partEnd);
                    int id = id();
                    if (part.add(keyGroup, Universe.hash(id))) {
                        pinnedModel.add(keyGroup, id);
                    }
                }
                try (CascadeSnapshot snapshot = part.snapshot()) {
                    snapshot.prepare();
                    copy(snapshot, to);
                    return snapshot.manifest();
                }
            }
        }

        private void copy(CascadeSnapshot from, CrashableDirectory to) throws IOException {
            contents(from).forEach(to::put);
        }

        /** All files of a snapshot, by name. */
        private Map<String, byte[]> contents(CascadeSnapshot snapshot) throws IOException {
            Map<String, byte[]> files = new HashMap<>();
            for (CascadeSnapshot.File file : snapshot.files()) {
                byte[] bytes = stored.get(file.name());
                if (bytes == null) {
                    try (InputStream in = file.open()) {
                        bytes = in.readAllBytes();
                    }
                }
                assertThat((long) bytes.length).isEqualTo(file.sizeBytes());
                files.put(file.name(), bytes);
            }
            return files;
        }
    }
}
