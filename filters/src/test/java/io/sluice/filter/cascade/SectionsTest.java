/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that hold more than the section that the filter owns. */
class SectionsTest {

    private static final int HASHES = 3_000;

    private final SplittableRandom random = Seeds.random();
    private final Deque<Runnable> waiting = new ArrayDeque<>();

    private void runAll() {
        while (!waiting.isEmpty()) {
            waiting.poll().run();
        }
    }

    private CascadeOptions options(int first, int count, int overviewBits) {
        return CascadeOptions.builder()
                .keyGroups(first, count)
                .capacity(50_000L * count)
                .falsePositiveProbability(1e-6)
                .bufferBytes(1 << 14)
                .mergePolicy(MergePolicy.fewFiles(1))
                // Few bits, so that files are asked for many absent entries.
                .overviewBitsPerKey(overviewBits)
                .resources(CascadeResources.of(new PageCache(1 << 20), waiting::add))
                .build();
    }

    /** What one heir has removed is still in the file of the other, outside its section. */
    @ParameterizedTest
    @CsvSource({"0", "1"})
    void nothingOutsideOfASliceIsHeld(int overviewBits) throws IOException {
        long[] hashes = random.longs(HASHES).toArray();
        CrashableDirectory all = new CrashableDirectory();
        CrashableDirectory one = new CrashableDirectory();
        CrashableDirectory other = new CrashableDirectory();
        CrashableDirectory united = new CrashableDirectory();
        byte[] before;
        try (CascadeFilter filter = CascadeFilter.open(all, options(0, 2, 0))) {
            for (long hash : hashes) {
                filter.insert(0, hash);
                filter.insert(1, hash);
            }
            before = copy(filter, one);
            copy(filter, other);
        }
        byte[] first;
        byte[] second;
        try (CascadeFilter filter = CascadeFilter.restore(one, options(0, 1, 0), List.of(before))) {
            first = copy(filter, united);
        }
        try (CascadeFilter filter =
                CascadeFilter.restore(other, options(1, 1, 0), List.of(before))) {
            for (int i = 0; i < HASHES; i += 2) {
                assertThat(filter.remove(1, hashes[i])).isTrue();
            }
            // Until merges have dropped the tombstones.
            for (int i = 0; i < 50_000 && filter.statistics().tombstones() > 0; i++) {
                filter.insert(1, random.nextLong());
                runAll();
            }
            assertThat(filter.statistics().tombstones()).isZero();
            second = copy(filter, united);
        }
        CascadeOptions options = options(0, 2, overviewBits);
        try (CascadeFilter filter =
                CascadeFilter.restore(united, options, List.of(first, second))) {
            runAll();
            for (int i = 0; i < HASHES; i++) {
                assertThat(filter.mightContain(0, hashes[i])).isTrue();
                assertThat(filter.mightContain(1, hashes[i])).isEqualTo(i % 2 != 0);
                assertThat(filter.add(1, hashes[i])).isEqualTo(i % 2 == 0);
            }
        }
    }

    private static byte[] copy(CascadeFilter filter, CrashableDirectory to) throws IOException {
        try (CascadeSnapshot snapshot = filter.snapshot()) {
            snapshot.prepare();
            for (CascadeSnapshot.File file : snapshot.files()) {
                try (InputStream in = file.open()) {
                    to.put(file.name(), in.readAllBytes());
                }
            }
            return snapshot.manifest();
        }
    }
}
