/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.storage.CrashableDirectory;
import io.sluice.filter.storage.DirectoryLockedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CascadeFilterTest {

    private static CascadeOptionsBuilder small() {
        return CascadeOptions.builder()
                .capacity(100_000)
                .bufferBytes(1 << 14)
                .pageCacheBytes(1 << 22);
    }

    private static long[] hashes(int count) {
        return Seeds.random().longs(count).toArray();
    }

    @Test
    void holdsOnDiskWhatWasFlushedAndWhatWasClosed(@TempDir Path folder) throws IOException {
        long[] hashes = hashes(50_000);
        try (CascadeFilter filter = CascadeFilter.open(folder.resolve("new"), small().build())) {
            for (long hash : hashes) {
                filter.add(hash);
            }
            filter.flush();
        }
        try (CascadeFilter filter = CascadeFilter.open(folder.resolve("new"), small().build())) {
            for (long hash : hashes) {
                assertThat(filter.mightContain(hash)).isTrue();
            }
            assertThat(filter.statistics().bufferedEntries()).isZero();
            assertThat(filter.statistics().entries()).isBetween(49_900L, 50_000L);
        }
    }

    @Test
    void aDirectoryIsOneFiltersAtATime() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        try (CascadeFilter filter = CascadeFilter.open(directory, small().build())) {
            filter.add(1);
            assertThatThrownBy(() -> CascadeFilter.open(directory, small().build()).close())
                    .isInstanceOf(DirectoryLockedException.class);
            assertThat(filter.mightContain(1)).isTrue();
        }
        CascadeFilter.open(directory, small().build()).close();
    }

    /**
     * As many snapshots as the owner takes are copied by other threads while it adds and merges.
     */
    @Test
    void snapshotsAreCopiedWhileTheFilterGoesOn() throws Exception {
        long[] hashes = hashes(60_000);
        CrashableDirectory directory = new CrashableDirectory();
        ExecutorService copiers = Executors.newFixedThreadPool(2);
        List<Future<Copy>> copies = new ArrayList<>();
        try (CascadeFilter filter = CascadeFilter.open(directory, small().build())) {
            for (int i = 0; i < hashes.length; i++) {
                filter.add(hashes[i]);
                if (i % 10_000 == 7_777) {
                    CascadeSnapshot snapshot = filter.snapshot();
                    int held = i + 1;
                    copies.add(copiers.submit(() -> new Copy(snapshot, held)));
                }
            }
            for (Future<Copy> copy : copies) {
                copy.get().check(hashes);
            }
        } finally {
            copiers.shutdown();
        }
        // Nothing that snapshots kept is left.
        int named;
        try (CascadeFilter filter = CascadeFilter.open(directory, small().build())) {
            named = filter.statistics().files();
        }
        assertThat(directory.list().stream().filter(CascadeFileNames::isLevel)).hasSize(named);
    }

    /** A copy of a snapshot, taken by any thread. */
    private static final class Copy {
        private final CrashableDirectory directory = new CrashableDirectory();
        private final byte[] manifest;
        private final int held;

        private Copy(CascadeSnapshot snapshot, int held) throws IOException {
            this.held = held;
            try (snapshot) {
                snapshot.prepare();
                manifest = snapshot.manifest();
                for (CascadeSnapshot.File file : snapshot.files()) {
                    try (InputStream in = file.open()) {
                        directory.put(file.name(), in.readAllBytes());
                    }
                }
            }
        }

        private void check(long[] hashes) throws IOException {
            try (CascadeFilter filter =
                    CascadeFilter.restore(directory, small().build(), List.of(manifest))) {
                for (int i = 0; i < held; i++) {
                    assertThat(filter.mightContain(hashes[i])).isTrue();
                }
                int later = 0;
                for (int i = held; i < hashes.length; i++) {
                    later += filter.mightContain(hashes[i]) ? 1 : 0;
                }
                assertThat(later).isLessThan(40);
            }
        }
    }

    @Test
    void canBeClosedWhileItMergesAndWhileASnapshotIsOpen() throws IOException {
        long[] hashes = hashes(40_000);
        for (int round = 0; round < 20; round++) {
            CrashableDirectory directory = new CrashableDirectory();
            CascadeFilter filter = CascadeFilter.open(directory, small().build());
            CascadeSnapshot snapshot = null;
            for (int i = 0; i < hashes.length * (round + 1) / 20; i++) {
                filter.add(hashes[i]);
                if (i == 1_000) {
                    snapshot = filter.snapshot();
                    snapshot.prepare();
                }
            }
            filter.close();
            filter.close();
            if (snapshot != null) {
                for (CascadeSnapshot.File file : snapshot.files()) {
                    try (InputStream in = file.open()) {
                        assertThat((long) in.readAllBytes().length).isEqualTo(file.sizeBytes());
                    }
                }
                snapshot.close();
            }
            try (CascadeFilter again = CascadeFilter.open(directory, small().build())) {
                for (int i = 0; i < hashes.length * (round + 1) / 20; i++) {
                    assertThat(again.mightContain(hashes[i])).isTrue();
                }
            }
            assertThatThrownBy(() -> filter.add(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void anUnpreparedSnapshotOfAClosedFilterSaysSo() throws IOException {
        CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), never().build());
        filter.add(1);
        try (CascadeSnapshot snapshot = filter.snapshot()) {
            assertThatThrownBy(snapshot::files)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("prepare()");
            filter.close();
            assertThatThrownBy(snapshot::prepare)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("closed before its snapshot was prepared");
        }
    }

    /** No background work is done unless the owner does it. */
    private static CascadeOptionsBuilder never() {
        return small().syncPolicy(SyncPolicy.NEVER)
                .resources(CascadeResources.of(new PageCache(1 << 20), task -> {}));
    }

    @Test
    void theOwnerWritesItselfWhenNobodyElseDoes() throws IOException {
        long[] hashes = hashes(30_000);
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), never().build())) {
            for (long hash : hashes) {
                filter.add(hash);
            }
            for (long hash : hashes) {
                assertThat(filter.mightContain(hash)).isTrue();
            }
            assertThat(filter.statistics().stalls()).isPositive();
            assertThat(filter.statistics().flushes()).isPositive();
        }
    }

    @Test
    void onlyItsOwnKeyGroupsAreAccepted() throws IOException {
        CascadeOptions options = small().keyGroups(10, 5).build();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            assertThat(filter.add(10, 42)).isTrue();
            assertThat(filter.add(14, 42)).isTrue();
            assertThat(filter.add(10, 42)).isFalse();
            assertThat(filter.mightContain(12, 42)).isFalse();
            for (int keyGroup : new int[] {-1, 9, 15}) {
                assertThatThrownBy(() -> filter.insert(keyGroup, 42))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("keyGroup must be one of the filter's, 10 to 14");
            }
        }
    }

    @Test
    void restoresOfOverlappingKeyGroupsAreRefused() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        byte[] manifest =
                new Manifest(new KeyGroups(0, 4), KeyGroupParts.WHOLE, 0, 0, List.of()).toBytes();
        assertThatThrownBy(
                        () ->
                                CascadeFilter.restore(
                                                directory,
                                                small().keyGroups(0, 4).build(),
                                                List.of(manifest, manifest))
                                        .close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not have a key group in common");
    }

    @Test
    void timeHasToBeToldWhenEntriesExpire() throws IOException {
        CascadeOptions options = small().timeToLive(Duration.ofSeconds(10), 4).build();
        CrashableDirectory directory = new CrashableDirectory();
        try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            assertThatThrownBy(() -> filter.add(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("advanceTo");
            filter.advanceTo(1_000_000);
            assertThat(filter.add(1)).isTrue();
        }
        try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            assertThat(filter.add(1)).as("the time was kept").isFalse();
            filter.advanceTo(1_009_999);
            assertThat(filter.mightContain(1)).isTrue();
            assertThat(filter.statistics().expiredFiles()).isZero();
            filter.advanceTo(1_012_500);
            assertThat(filter.mightContain(1)).isFalse();
            assertThat(filter.statistics().expiredFiles()).isEqualTo(1);
            assertThat(filter.statistics().diskBytes()).isZero();
        }
    }

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

    /** Entries of only one key group, in buffers made for many: they crowd together. */
    @Test
    void skewedKeyGroupsFillBuffersEarly() throws IOException {
        CascadeOptions options = small().keyGroups(0, 4_000).bufferBytes(1 << 16).build();
        long[] hashes = hashes(100_000);
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            for (long hash : hashes) {
                filter.add(3_999, hash);
            }
            for (long hash : hashes) {
                assertThat(filter.mightContain(3_999, hash)).isTrue();
            }
        }
    }

    /**
     * Buffers are frozen during a batch, and become files while it goes on: what the batch added
     * before is found in them.
     */
    @Test
    void aBatchThatFillsSeveralBuffersFindsItsOwnEntries() throws IOException {
        CascadeOptions options = small().keyGroups(0, 4_000).bufferBytes(1 << 16).build();
        int distinct = BatchAdd.PIECE / 2;
        long[] once = hashes(distinct);
        long[] twice = Arrays.copyOf(once, 2 * distinct);
        System.arraycopy(once, 0, twice, distinct, distinct);
        boolean[] absent = new boolean[twice.length];
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            int added = filter.addAll(3_999, twice, 0, twice.length, absent);

            assertThat(filter.statistics().files()).as("buffers that became files").isPositive();
            for (int i = distinct; i < twice.length; i++) {
                assertThat(absent[i]).as("hash %d, added before", i).isFalse();
            }
            assertThat(added).isBetween(distinct - 5, distinct);
        }
    }

    @Test
    void statisticsAddUp() throws IOException {
        long[] hashes = hashes(20_000);
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), small().build())) {
            for (long hash : hashes) {
                filter.add(hash);
                filter.add(hash);
            }
            filter.flush();
            CascadeStatistics statistics = filter.statistics();
            assertThat(statistics.additions()).isEqualTo(40_000);
            assertThat(statistics.duplicates()).isBetween(20_000L, 20_020L);
            assertThat(statistics.flushedEntries()).isEqualTo(40_000 - statistics.duplicates());
            assertThat(statistics.entries()).isEqualTo(statistics.flushedEntries());
            assertThat(statistics.writeAmplification()).isGreaterThanOrEqualTo(1);
            assertThat(statistics.diskBytes()).isPositive();
            assertThat(statistics.memoryBytes()).isEqualTo(filter.sizeInBytes());
            assertThat(statistics.estimatedFpp()).isBetween(1e-6, 1e-4);
        }
    }

    @Test
    void impossibleOptionsAreRefused() {
        assertThatThrownBy(() -> CascadeOptions.builder().keyGroups(32_767, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("key groups must be between 0 and 32767");
        assertThatThrownBy(() -> CascadeOptions.builder().falsePositiveProbability(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("between 0 and 1, got 1.0");
        assertThatThrownBy(() -> CascadeOptions.builder().capacity(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("capacity must be at least 1, got 0");
        assertThatThrownBy(
                        () -> CascadeOptions.builder().keyGroups(0, 32_768).bufferBytes(99).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bufferBytes must be at least");
    }
}
