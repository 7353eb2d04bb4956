/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static io.sluice.filter.cascade.SmallFilters.small;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Key groups of which some have nearly all entries: many keys have the same hash code, say. */
class SkewedKeyGroupsTest {

    private static final int KEY_GROUPS = 128;

    private static CascadeOptionsBuilder ofSkewedSet(double probability, long capacity) {
        return small().partOf(KEY_GROUPS)
                .keyGroups(0, KEY_GROUPS)
                .capacity(capacity)
                .bufferBytes(1 << 16)
                .falsePositiveProbability(probability);
    }

    /** Some 20 key groups apart. */
    private static int keyGroup(int key, int used) {
        return key % used * 19 % KEY_GROUPS;
    }

    private static int wronglyHeld(CascadeFilter filter, SplittableRandom random, int used) {
        int positives = 0;
        for (int i = 0; i < 50_000; i++) {
            positives += filter.mightContain(keyGroup(i, used), random.nextLong()) ? 1 : 0;
        }
        return positives;
    }

    private static double most(double probability) {
        return 50_000 * probability + 5 * Math.sqrt(50_000 * probability);
    }

    @ParameterizedTest
    @CsvSource({"1, 1e-2", "2, 1e-2", "4, 1e-2", "1, 1e-3", "128, 1e-2"})
    void theProbabilityHoldsInTheKeyGroupsThatHaveTheEntries(int used, double probability)
            throws IOException {
        SplittableRandom random = Seeds.random();
        CascadeOptions options = ofSkewedSet(probability, 100_000).build();
        CrashableDirectory directory = new CrashableDirectory();
        try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            int isNew = 0;
            for (int i = 0; i < 100_000; i++) {
                isNew += filter.add(keyGroup(i, used), random.nextLong()) ? 1 : 0;
            }
            assertThat(isNew).isGreaterThan((int) (100_000 * (1 - probability) - 300));
            int wrong = wronglyHeld(filter, random, used);
            CascadeStatistics statistics = filter.statistics();
            assertThat((double) wrong).isLessThan(most(probability));
            assertThat(statistics.falsePositiveBound()).isEqualTo(probability);
            double estimated = 50_000 * statistics.estimatedFpp();
            assertThat((double) wrong)
                    .isBetween(
                            estimated - 5 * Math.sqrt(estimated) - 1,
                            estimated + 5 * Math.sqrt(estimated) + 1);
        }
        try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            for (int i = 0; i < 100_000; i++) {
                filter.insert(keyGroup(i, used), random.nextLong());
            }
            assertThat((double) wronglyHeld(filter, random, used)).isLessThan(most(probability));
            assertThat(filter.statistics().falsePositiveBound()).isEqualTo(probability);
        }
    }

    /** Most are spread evenly, then those of one key group come. */
    @Test
    void theProbabilityHoldsInAKeyGroupThatGrowsLate() throws IOException {
        SplittableRandom random = Seeds.random();
        CascadeOptions options = ofSkewedSet(1e-2, 100_000).build();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            for (int i = 0; i < 60_000; i++) {
                filter.insert(i % KEY_GROUPS, random.nextLong());
            }
            for (int i = 0; i < 60_000; i++) {
                filter.insert(0, random.nextLong());
            }
            assertThat((double) wronglyHeld(filter, random, 1)).isLessThan(most(1e-2));
            assertThat((double) wronglyHeld(filter, random, KEY_GROUPS)).isLessThan(most(1e-2));
        }
    }

    /** Buffers are as full, and written as often, as if keys were spread evenly. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void entriesAreWrittenAsOftenAsIfTheyWereSpreadEvenly(int used) throws IOException {
        CascadeStatistics skewed = afterAdding(used);
        CascadeStatistics even = afterAdding(KEY_GROUPS);
        assertThat(skewed.flushes()).isLessThan(2 * even.flushes() + 6);
        assertThat(skewed.writeAmplification()).isLessThan(even.writeAmplification() + 2);
        assertThat(skewed.files()).isLessThanOrEqualTo(even.files() + 6);
    }

    private static CascadeStatistics afterAdding(int used) throws IOException {
        SplittableRandom random = Seeds.random();
        // On this thread, so that what is merged does not depend on how fast others are.
        CascadeOptions options =
                ofSkewedSet(1e-2, 1_000_000)
                        .resources(CascadeResources.of(new PageCache(1 << 20), Runnable::run))
                        .build();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            for (int i = 0; i < 1_000_000; i++) {
                filter.insert(keyGroup(i, used), random.nextLong());
            }
            filter.flush();
            return filter.statistics();
        }
    }

    private static EntryBuffer buffer(KeyGroupParts parts, int keyGroups) {
        return EntryBuffer.create(
                words -> Words.allocate(Storage.HEAP, words),
                parts.of(KeyGroups.of(0, keyGroups)),
                parts,
                20,
                1 << 17,
                Long.MAX_VALUE);
    }

    private static EraRoom unlimited() {
        return new EraRoom(20, Long.MAX_VALUE, keyGroup -> Long.MAX_VALUE);
    }

    /** More would make each addition move the entries behind it. */
    @Test
    void aKeyGroupGetsItsShareOfABufferUntilTheNextOneIsOrderedByHashes() {
        KeyGroupParts parts = KeyGroupParts.finest(KEY_GROUPS);
        EntryBuffer buffer = buffer(parts, KEY_GROUPS);
        buffer.begin(unlimited(), TimeBuckets.NEVER, false);
        int taken = fill(buffer, parts);
        assertThat(taken).isBetween(buffer.capacity() / 128, buffer.capacity() / 32);
        assertThat(buffer.isUneven()).isTrue();
        buffer.clear();
        buffer.begin(unlimited(), TimeBuckets.NEVER, true);
        assertThat(fill(buffer, parts)).isEqualTo(buffer.capacity());
    }

    private static int fill(EntryBuffer buffer, KeyGroupParts parts) {
        SplittableRandom random = Seeds.random();
        try {
            while (!buffer.isFull()) {
                buffer.add(buffer.position(parts.entry(77, random.nextLong())));
            }
        } catch (FilterFullException e) {
            assertThat(e).hasMessageContaining("a key group has more than");
        }
        buffer.checkInvariants();
        return buffer.size();
    }

    @ParameterizedTest
    @CsvSource({"1, 100", "3, 100", "5, 7", "256, 128", "1, 1000"})
    void aSpreadBufferIsWrittenInTheOrderOfEntries(int count, int keyGroups) throws IOException {
        KeyGroupParts parts = new KeyGroupParts(count);
        EntryBuffer buffer = buffer(parts, keyGroups);
        buffer.begin(unlimited(), TimeBuckets.NEVER, true);
        SplittableRandom random = Seeds.random();
        TreeSet<Long> expected = new TreeSet<>();
        long mask = Entries.mask(20);
        while (!buffer.isFull()) {
            int keyGroup = random.nextInt(4) == 0 ? random.nextInt(keyGroups) : keyGroups / 2;
            long entry = parts.entry(keyGroup, random.nextLong());
            long position = buffer.position(entry);
            if (random.nextInt(10) == 0) {
                buffer.addTombstone(position);
                expected.remove(entry & mask & ~Entries.TOMBSTONE);
                expected.add((entry & mask) | Entries.TOMBSTONE);
            } else {
                buffer.add(position);
                expected.remove((entry & mask) | Entries.TOMBSTONE);
                expected.add(entry & mask & ~Entries.TOMBSTONE);
            }
        }
        KeyGroups all = parts.of(KeyGroups.of(0, keyGroups));
        assertThat(read(buffer.cursor(all.first(), all.end()))).isEqualTo(List.copyOf(expected));
        KeyGroups some = parts.of(new KeyGroups(keyGroups / 3, keyGroups / 2 + 1));
        assertThat(read(buffer.cursor(some.first(), some.end())))
                .isEqualTo(
                        List.copyOf(
                                expected.subSet(
                                        Entries.firstOf(some.first()),
                                        Entries.lastBefore(some.end()))));
    }

    private static List<Long> read(EntryCursor cursor) throws IOException {
        List<Long> all = new ArrayList<>();
        long[] batch = new long[777];
        for (int n = cursor.next(batch); n > 0; n = cursor.next(batch)) {
            Arrays.stream(batch, 0, n).forEach(all::add);
        }
        return all;
    }

    /** What removes and adds again does so with a skewed filter too. */
    @Test
    void whatIsHeldIsFoundAndWhatIsRemovedIsNotAfterARestoreToOtherKeyGroups() throws IOException {
        SplittableRandom random = Seeds.random();
        CascadeOptionsBuilder options = ofSkewedSet(1e-9, 10_000);
        CrashableDirectory directory = new CrashableDirectory();
        CrashableDirectory rescaled = new CrashableDirectory();
        long[] hashes = random.longs(60_000).toArray();
        byte[] manifest;
        try (CascadeFilter filter = CascadeFilter.open(directory, options.build())) {
            for (long hash : hashes) {
                filter.add(70, hash);
            }
            for (int i = 0; i < hashes.length; i += 3) {
                assertThat(filter.remove(70, hashes[i])).isTrue();
            }
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                manifest = snapshot.manifest();
                for (CascadeSnapshot.File file : snapshot.files()) {
                    try (InputStream in = file.open()) {
                        rescaled.put(file.name(), in.readAllBytes());
                    }
                }
            }
        }
        try (CascadeFilter filter =
                CascadeFilter.restore(
                        rescaled, options.keyGroups(64, 64).build(), List.of(manifest))) {
            for (int i = 0; i < hashes.length; i++) {
                assertThat(filter.mightContain(70, hashes[i])).isEqualTo(i % 3 != 0);
            }
            assertThat(filter.statistics().falsePositiveBound()).isEqualTo(1e-9);
        }
    }
}
