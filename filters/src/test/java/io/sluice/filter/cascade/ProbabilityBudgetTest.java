/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static io.sluice.filter.cascade.SmallFilters.hashes;
import static io.sluice.filter.cascade.SmallFilters.small;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a filter makes of its probability: far beyond its capacity, and when options change. */
class ProbabilityBudgetTest {
    /** Of the whole set. */
    private int keyGroups;

    /** Entries far beyond the capacity, with few bits. */
    @Test
    void falsePositivesStayBelowTheConfiguredProbabilityAtAnySize() throws IOException {
        double fpp = 0.01;
        CascadeOptions options = small().capacity(500).falsePositiveProbability(fpp).build();
        SplittableRandom random = Seeds.random();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            int probes = 20_000;
            for (int size = 400; size <= 100_000; size *= 3) {
                for (int i = 0; i < size; i++) {
                    filter.insert(0, random.nextLong());
                }
                int positives = 0;
                for (int i = 0; i < probes; i++) {
                    positives += filter.mightContain(random.nextLong()) ? 1 : 0;
                }
                double estimated = filter.statistics().estimatedFpp() * probes;
                assertThat(filter.statistics().estimatedFpp()).isLessThanOrEqualTo(fpp);
                assertThat((double) positives)
                        .isBetween(
                                estimated - 5 * Math.sqrt(estimated) - 1,
                                estimated + 5 * Math.sqrt(estimated) + 1);
            }
            assertThat(filter.statistics().series().size()).isGreaterThan(1);
        }
    }

    /** Tombstones that merges keep, because something older is there, may hide nothing any more. */
    @Test
    void whatIsLeftBesideTombstonesIsChargedInFull() throws IOException {
        CascadeOptions options =
                small().capacity(10_000)
                        .falsePositiveProbability(1e-2)
                        .timeToLive(Duration.ofSeconds(10), 10)
                        .build();
        long[] hashes = hashes(400_000);
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            filter.advanceTo(0);
            filter.insert(0, 1);
            filter.advanceTo(1_000);
            for (int i = 0; i < 200_000; i++) {
                filter.insert(0, hashes[i]);
                int gone = i - 5_000;
                if (gone >= 0 && gone % 2 == 0) {
                    filter.remove(0, hashes[gone]);
                }
            }
            int reported = 0;
            for (int i = 200_000; i < 400_000; i++) {
                reported += filter.mightContain(0, hashes[i]) ? 1 : 0;
            }
            assertThat(reported / 200_000.0)
                    .isLessThan(1.1 * filter.statistics().falsePositiveBound());
        }
    }

    @Test
    void aSetThatOutgrowsItsBitsIsFullAndUnchanged() throws IOException {
        CascadeOptions options =
                small().capacity(2).falsePositiveProbability(2e-13).bufferBytes(2_000).build();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            List<Long> held = new ArrayList<>();
            SplittableRandom random = Seeds.random();
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    long hash = random.nextLong();
                                    filter.add(hash);
                                    held.add(hash);
                                }
                            })
                    .isInstanceOf(FilterFullException.class)
                    .hasMessageContaining("outgrown its capacity of 2 entries");
            assertThat(held).hasSizeGreaterThan(1).allMatch(filter::mightContain);
            filter.flush();
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                assertThat(snapshot.files()).isNotEmpty();
            }
            assertThat(held).allMatch(filter::mightContain);
        }
    }

    @Test
    void aFullSetGoesOnWithAGreaterProbability() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        CascadeOptionsBuilder options = small().capacity(2).bufferBytes(2_000);
        long[] hashes = hashes(300);
        int held = 0;
        try (CascadeFilter filter =
                CascadeFilter.open(directory, options.falsePositiveProbability(2e-13).build())) {
            while (filter.add(hashes[held])) {
                held++;
            }
        } catch (FilterFullException e) {
            assertThat(e).hasMessageContaining("open it with a greater probability");
        }
        assertThat(held).isBetween(2, 250);
        try (CascadeFilter filter =
                CascadeFilter.open(directory, options.falsePositiveProbability(1e-10).build())) {
            for (int i = 0; i < hashes.length; i++) {
                assertThat(filter.add(hashes[i])).isEqualTo(i >= held);
            }
            for (long hash : hashes) {
                assertThat(filter.mightContain(hash)).isTrue();
            }
        }
    }

    /** A part of a set that got much more than its share: some 560 entries use all bits. */
    private static CascadeOptionsBuilder withoutBits(CapacityPolicy policy) {
        return small().partOf(32_768)
                .keyGroups(32_767, 1)
                .capacity(100_000)
                .falsePositiveProbability(4e-12)
                .bufferBytes(2_000)
                .capacityPolicy(policy);
    }

    @Test
    void whatHasOutgrownItsBitsForgetsTheOldestAndKeepsTheProbability() throws IOException {
        CascadeOptions options = withoutBits(CapacityPolicy.FORGET_OLDEST).build();
        long[] hashes = hashes(5_000);
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            for (long hash : hashes) {
                filter.insert(32_767, hash);
                assertThat(filter.mightContain(32_767, hash)).isTrue();
                assertThat(filter.statistics().estimatedFpp()).isLessThanOrEqualTo(4e-12);
            }
            CascadeStatistics statistics = filter.statistics();
            assertThat(statistics.forgottenEntries()).isGreaterThan(4_000);
            assertThat(statistics.falsePositiveBound()).isEqualTo(4e-12);
            assertThat(filter.mightContain(32_767, hashes[0])).isFalse();
        }
    }

    @Test
    void whatHasOutgrownItsBitsRaisesTheProbabilityIfThatIsAskedFor() throws IOException {
        CascadeOptions options = withoutBits(CapacityPolicy.RAISE_PROBABILITY).build();
        long[] hashes = hashes(5_000);
        CrashableDirectory directory = new CrashableDirectory();
        double bound;
        try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            for (long hash : hashes) {
                filter.insert(32_767, hash);
            }
            CascadeStatistics statistics = filter.statistics();
            bound = statistics.falsePositiveBound();
            assertThat(statistics.forgottenEntries()).isZero();
            assertThat(statistics.estimatedFpp()).isBetween(4e-12, bound);
            assertThat(bound).isLessThan(statistics.estimatedFpp() + 1e-12);
        }
        try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            assertThat(filter.statistics().falsePositiveBound()).isEqualTo(bound);
            for (long hash : hashes) {
                assertThat(filter.mightContain(32_767, hash)).isTrue();
            }
        }
    }

    @Test
    void aLowerProbabilityIsChargedWithWhatIsHeldAndRestoresBeginNoBudgetAnew() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        CascadeOptionsBuilder options = small().capacity(10_000).overviewBitsPerKey(0);
        try (CascadeFilter filter =
                CascadeFilter.open(directory, options.falsePositiveProbability(1e-2).build())) {
            for (long hash : hashes(5_000)) {
                filter.add(hash);
            }
        }
        CascadeOptions strict = options.falsePositiveProbability(1e-5).build();
        double used;
        double bound = 1;
        SplittableRandom random = Seeds.random();
        try (CascadeFilter filter = CascadeFilter.open(directory, strict)) {
            used = filter.statistics().estimatedFpp();
            assertThat(used).isBetween(1e-3, 1e-2);
        }
        for (int restart = 0; restart < 5; restart++) {
            try (CascadeFilter filter = CascadeFilter.open(directory, strict)) {
                assertThat(filter.statistics().falsePositiveBound())
                        .isLessThanOrEqualTo(bound)
                        .isLessThanOrEqualTo(used + 1.001e-5);
                bound = filter.statistics().falsePositiveBound();
                for (int i = 0; i < 20_000; i++) {
                    filter.add(random.nextLong());
                }
                assertThat(filter.statistics().estimatedFpp()).isLessThanOrEqualTo(bound);
            }
        }
        CascadeOptions between = options.falsePositiveProbability(bound * 4).build();
        try (CascadeFilter filter = CascadeFilter.open(directory, between)) {
            assertThat(filter.statistics().falsePositiveBound()).isEqualTo(bound * 4);
            for (int i = 0; i < 100_000; i++) {
                filter.add(random.nextLong());
            }
            assertThat(filter.statistics().estimatedFpp()).isLessThanOrEqualTo(bound * 4);
        }
    }

    @Test
    void theBoundComesDownAsTheEntriesOfAGreaterProbabilityExpire() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        CascadeOptionsBuilder options =
                small().capacity(10_000).timeToLive(Duration.ofSeconds(10), 4);
        try (CascadeFilter filter =
                CascadeFilter.open(directory, options.falsePositiveProbability(1e-2).build())) {
            filter.advanceTo(1_000_000);
            for (long hash : hashes(5_000)) {
                filter.add(hash);
            }
        }
        try (CascadeFilter filter =
                CascadeFilter.open(directory, options.falsePositiveProbability(1e-5).build())) {
            assertThat(filter.statistics().falsePositiveBound()).isGreaterThan(1e-3);
            filter.advanceTo(1_020_000);
            assertThat(filter.statistics().falsePositiveBound()).isEqualTo(1e-5);
        }
    }

    /** What a filter that is open for a while does. */
    private interface Use {
        void of(CascadeFilter filter) throws IOException;
    }

    private static void use(CrashableDirectory directory, CascadeOptionsBuilder options, Use use)
            throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, options.build())) {
            use.of(filter);
        }
    }

    private static void add(CascadeFilter filter, long[] hashes, int from, int to) {
        for (int i = from; i < to; i++) {
            filter.insert(0, hashes[i]);
        }
    }

    private static void requireAll(CascadeFilter filter, long[] hashes, int from, int to) {
        assertThat(filter.statistics().forgottenEntries()).isZero();
        assertThat(filter.statistics().estimatedFpp())
                .isLessThanOrEqualTo(filter.statistics().falsePositiveBound());
        assertThat(Arrays.stream(hashes, from, to)).allMatch(filter::mightContain);
    }

    /** Some have too few bits for the probability, and too many have enough. */
    @Test
    void aLowerProbabilityForgetsNoEntryThatHasBitsEnough() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        CascadeOptionsBuilder options = small().capacityPolicy(CapacityPolicy.FORGET_OLDEST);
        long[] hashes = hashes(10_000);
        use(
                directory,
                options.capacity(100).falsePositiveProbability(1e-4),
                filter -> add(filter, hashes, 0, 3_000));
        use(
                directory,
                options.capacity(20_000).falsePositiveProbability(1e-5),
                filter -> add(filter, hashes, 3_000, 9_000));
        use(
                directory,
                options.capacity(100).falsePositiveProbability(1e-6),
                filter -> {
                    assertThat(filter.statistics().falsePositiveBound()).isLessThan(1.2e-4);
                    add(filter, hashes, 9_000, 10_000);
                    requireAll(filter, hashes, 0, hashes.length);
                });
    }

    @ParameterizedTest
    @EnumSource
    void aProbabilityLoweredToJustWhatIsUsedForgetsAndRefusesNothing(CapacityPolicy policy)
            throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        CascadeOptionsBuilder options = small().capacityPolicy(policy).capacity(10_000);
        long[] hashes = hashes(7_000);
        double[] used = new double[1];
        use(
                directory,
                options.falsePositiveProbability(1e-3),
                filter -> {
                    add(filter, hashes, 0, 5_000);
                    used[0] = filter.statistics().estimatedFpp();
                });
        use(
                directory,
                options.capacity(100).falsePositiveProbability(used[0]),
                filter -> {
                    double bound = filter.statistics().falsePositiveBound();
                    add(filter, hashes, 5_000, 7_000);
                    requireAll(filter, hashes, 0, 7_000);
                    assertThat(filter.statistics().falsePositiveBound()).isLessThanOrEqualTo(bound);
                });
    }

    /** What is left of them is charged like all others only if there is room for it. */
    @Test
    void whenSomeEntriesOfAGreaterProbabilityExpireNoOtherIsForgotten() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        CascadeOptionsBuilder options =
                small().capacityPolicy(CapacityPolicy.FORGET_OLDEST)
                        .timeToLive(Duration.ofSeconds(10), 10);
        long[] hashes = hashes(30_000);
        use(
                directory,
                options.capacity(10_000).falsePositiveProbability(1e-3),
                filter -> {
                    filter.advanceTo(0);
                    add(filter, hashes, 0, 1_500);
                    filter.advanceTo(5_000);
                    add(filter, hashes, 1_500, 2_000);
                });
        // All of them use 1.6 times this, and those that expire later 0.4.
        use(
                directory,
                options.capacity(10_000).falsePositiveProbability(1e-4),
                filter -> {
                    filter.advanceTo(5_000);
                    double spared = filter.statistics().estimatedFpp();
                    assertThat(filter.statistics().falsePositiveBound()).isGreaterThan(1e-4);
                    int next = 2_000;
                    while (filter.statistics().estimatedFpp() < spared + 0.7e-4) {
                        filter.insert(0, hashes[next++]);
                    }
                    filter.advanceTo(11_001);
                    assertThat(filter.statistics().expiredFiles()).isPositive();
                    add(filter, hashes, next, next + 5_000);
                    requireAll(filter, hashes, 1_500, next + 5_000);
                });
    }

    /**
     * Options and key groups as they change from restore to restore. At each of these probabilities
     * a hash has bits for far more entries.
     */
    @RepeatedTest(12)
    void whatTheOptionsWereForgetsNothing(RepetitionInfo repetition) throws IOException {
        SplittableRandom random =
                new SplittableRandom(Seeds.seed(repetition.getCurrentRepetition()));
        keyGroups = new int[] {16, 1, 32_768}[repetition.getCurrentRepetition() % 3];
        List<Part> parts = List.of();
        long[] hashes = {};
        double greatest = 0;
        for (int start = 0; start < 12; start++) {
            double fpp = Math.pow(10, -3 - random.nextInt(4));
            greatest = Math.max(greatest, fpp);
            CascadeOptionsBuilder options =
                    small().capacityPolicy(CapacityPolicy.FORGET_OLDEST)
                            .partOf(keyGroups)
                            .bufferBytes(Math.max(1 << 14, 8L * keyGroups))
                            .capacity(100 << (3 * random.nextInt(5)))
                            .falsePositiveProbability(fpp);
            long[] more = random.longs(1 + random.nextInt(2_000)).toArray();
            long[] all = LongStream.concat(Arrays.stream(hashes), Arrays.stream(more)).toArray();
            int count = Math.max(1, keyGroups >> random.nextInt(4));
            List<Part> next = new ArrayList<>();
            for (int first = 0; first < keyGroups; first += count) {
                next.add(part(parts, KeyGroups.of(first, count), options, more, all, greatest));
            }
            parts = next;
            hashes = all;
        }
    }

    /** A snapshot of a filter. */
    private static final class Part {
        final KeyGroups keyGroups;
        final Map<String, byte[]> files;
        final byte[] manifest;

        Part(KeyGroups keyGroups, Map<String, byte[]> files, byte[] manifest) {
            this.keyGroups = keyGroups;
            this.files = files;
            this.manifest = manifest;
        }
    }

    private int keyGroup(long hash) {
        return (int) ((hash >>> 1) % keyGroups);
    }

    /** Restores what belongs to these key groups, and adds to them. */
    private Part part(
            List<Part> from,
            KeyGroups own,
            CascadeOptionsBuilder options,
            long[] more,
            long[] all,
            double greatest)
            throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        List<byte[]> manifests = new ArrayList<>();
        for (Part part : from) {
            if (part.keyGroups.overlaps(own)) {
                part.files.forEach(directory::put);
                manifests.add(part.manifest);
            }
        }
        try (CascadeFilter filter =
                CascadeFilter.restore(
                        directory,
                        options.keyGroups(own.first(), own.count()).build(),
                        manifests)) {
            // What is there has at most that, and what is added the present one.
            assertThat(filter.statistics().falsePositiveBound()).isLessThan(3 * greatest);
            for (long hash : more) {
                if (own.contains(keyGroup(hash))) {
                    filter.add(keyGroup(hash), hash);
                }
            }
            assertThat(filter.statistics().forgottenEntries()).isZero();
            assertThat(filter.statistics().estimatedFpp())
                    .isLessThanOrEqualTo(filter.statistics().falsePositiveBound());
            for (long hash : all) {
                assertThat(
                                !own.contains(keyGroup(hash))
                                        || filter.mightContain(keyGroup(hash), hash))
                        .isTrue();
            }
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                Map<String, byte[]> files = new HashMap<>();
                for (CascadeSnapshot.File file : snapshot.files()) {
                    try (InputStream in = file.open()) {
                        files.put(file.name(), in.readAllBytes());
                    }
                }
                return new Part(own, files, snapshot.manifest());
            }
        }
    }
}
