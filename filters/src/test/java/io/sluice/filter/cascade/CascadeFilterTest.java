/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static io.sluice.filter.cascade.SmallFilters.hashes;
import static io.sluice.filter.cascade.SmallFilters.small;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CascadeFilterTest {

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
        // On this thread, so that full buffers are files when the batch is done.
        CascadeOptions options =
                small().keyGroups(0, 4_000)
                        .bufferBytes(1 << 16)
                        .resources(CascadeResources.of(new PageCache(1 << 20), Runnable::run))
                        .build();
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
