/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** More files than have a bit of their own in a word of candidates. */
class ManyFilesTest {

    private static final int BUCKETS = 100;
    private static final int FILES = 75;
    private static final int IN_FILE = 40;

    private final SplittableRandom random = Seeds.random();

    private static CascadeOptions options(int overviewBits, int summaryBits, int keyGroups) {
        return CascadeOptions.builder()
                .keyGroups(0, keyGroups)
                .capacity(1_000_000)
                .falsePositiveProbability(1e-6)
                .bufferBytes(1 << 16)
                .overviewBitsPerKey(overviewBits)
                .summaryBitsPerKey(summaryBits)
                .timeToLive(Duration.ofSeconds(BUCKETS), BUCKETS)
                .build();
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 2", "0, 8, 2", "0, 0, 1", "0, 8, 1", "8, 0, 2", "8, 8, 2", "8, 0, 1"})
    void everyFileIsAsked(int overviewBits, int summaryBits, int restoredKeyGroups)
            throws IOException {
        CrashableDirectory copy = new CrashableDirectory();
        long[] hashes = random.longs(FILES * IN_FILE).toArray();
        byte[] manifest;
        try (CascadeFilter filter =
                CascadeFilter.open(
                        new CrashableDirectory(), options(overviewBits, summaryBits, 2))) {
            for (int file = 0; file < FILES; file++) {
                filter.advanceTo(1000L * file);
                for (int i = 0; i < IN_FILE; i++) {
                    filter.insert(0, hashes[file * IN_FILE + i]);
                    filter.insert(1, ~hashes[file * IN_FILE + i]);
                }
            }
            filter.flush();
            assertThat(filter.statistics().files()).isEqualTo(FILES);
            check(filter, hashes);
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                manifest = snapshot.manifest();
                for (CascadeSnapshot.File file : snapshot.files()) {
                    try (InputStream in = file.open()) {
                        copy.put(file.name(), in.readAllBytes());
                    }
                }
            }
        }
        // Possibly with sections of the files.
        CascadeOptions options = options(overviewBits, summaryBits, restoredKeyGroups);
        try (CascadeFilter filter = CascadeFilter.restore(copy, options, List.of(manifest))) {
            check(filter, hashes);
            assertThat(filter.mightContain(0, ~hashes[0])).isFalse();
            assertThat(filter.remove(0, hashes[0])).isTrue();
            assertThat(filter.mightContain(0, hashes[0])).isFalse();
            assertThat(filter.add(0, hashes[0])).isTrue();
        }
    }

    private void check(CascadeFilter filter, long[] hashes) {
        for (long hash : hashes) {
            assertThat(filter.mightContain(0, hash)).isTrue();
            assertThat(filter.add(0, hash)).isFalse();
        }
        long[] mixed = hashes.clone();
        for (int i = 0; i < mixed.length; i += 2) {
            mixed[i] = random.nextLong();
        }
        boolean[] absent = new boolean[mixed.length];
        assertThat(filter.addAll(0, mixed, 0, mixed.length, absent)).isEqualTo(mixed.length / 2);
        for (int i = 0; i < mixed.length; i++) {
            assertThat(absent[i]).isEqualTo(i % 2 == 0);
        }
        Arrays.fill(absent, true);
        assertThat(filter.addAll(0, mixed, 0, mixed.length, absent)).isZero();
        assertThat(absent).containsOnly(false);
    }
}
