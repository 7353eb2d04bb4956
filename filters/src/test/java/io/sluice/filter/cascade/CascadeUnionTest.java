/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CascadeUnionTest {

    private static final int KEY_GROUPS = 8;
    private static final long START = 1_000_000;

    @TempDir private Path folder;

    private final long[] hashes = Seeds.random().longs(6_000).toArray();
    private int directories;

    private static CascadeOptionsBuilder options(int first, int count) {
        return CascadeOptions.builder()
                .keyGroups(first, count)
                .partOf(KEY_GROUPS)
                .falsePositiveProbability(1e-6)
                .capacity(100_000)
                .bufferBytes(1 << 14)
                .pageCacheBytes(1 << 22);
    }

    private static int keyGroup(long hash) {
        return (int) (hash & KEY_GROUPS - 1);
    }

    private Path directory() {
        return folder.resolve("filter" + directories++);
    }

    /** Makes a filter; returns its manifest, and puts its files into {@code into}. */
    private byte[] stored(CascadeOptions options, Path into, Consumer<CascadeFilter> fill)
            throws IOException {
        Files.createDirectories(into);
        try (CascadeFilter filter = CascadeFilter.open(directory(), options)) {
            fill.accept(filter);
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                for (CascadeSnapshot.File file : snapshot.files()) {
                    try (InputStream in = file.open()) {
                        Files.copy(in, into.resolve(file.name()));
                    }
                }
                return snapshot.manifest();
            }
        }
    }

    private void add(CascadeFilter filter, int from, int to, int firstKeyGroup, int endKeyGroup) {
        for (int i = from; i < to; i++) {
            int keyGroup = keyGroup(hashes[i]);
            if (keyGroup >= firstKeyGroup && keyGroup < endKeyGroup) {
                filter.add(keyGroup, hashes[i]);
            }
        }
    }

    private long held(CascadeFilter filter, int from, int to) {
        return Arrays.stream(hashes, from, to)
                .filter(hash -> filter.mightContain(keyGroup(hash), hash))
                .count();
    }

    @Test
    void whatAnyHoldsIsHeldAlsoWithOtherKeyGroupsAndProbabilities() throws IOException {
        Path files = directory();
        CascadeOptions whole = options(0, KEY_GROUPS).build();
        byte[] base = stored(whole, files, filter -> add(filter, 0, 3_000, 0, KEY_GROUPS));
        byte[] low =
                stored(
                        options(0, 3).falsePositiveProbability(1e-8).build(),
                        files,
                        filter -> add(filter, 2_000, 5_000, 0, 3));
        byte[] high =
                stored(
                        options(3, 5).capacity(1_000_000).build(),
                        files,
                        filter -> add(filter, 2_000, 5_000, 3, KEY_GROUPS));

        byte[] union = CascadeUnion.of(base, List.of(low, high), "test");

        try (CascadeFilter filter = CascadeFilter.restore(files, whole, List.of(union))) {
            assertThat(held(filter, 0, 5_000)).isEqualTo(5_000);
            assertThat(held(filter, 5_000, 6_000)).isZero();
            add(filter, 5_000, 6_000, 0, KEY_GROUPS);
            assertThat(held(filter, 0, 6_000)).isEqualTo(6_000);
        }
    }

    @Test
    void aPartOfTheKeyGroupsTakesAPartOfTheOthers() throws IOException {
        Path files = directory();
        CascadeOptions part = options(2, 3).build();
        byte[] base = stored(part, files, filter -> add(filter, 0, 1_000, 2, 5));
        byte[] other =
                stored(
                        options(0, KEY_GROUPS).build(),
                        files,
                        filter -> add(filter, 1_000, 2_000, 0, KEY_GROUPS));
        byte[] union = CascadeUnion.of(base, List.of(other), "test");
        try (CascadeFilter filter = CascadeFilter.restore(files, part, List.of(union))) {
            for (long hash : Arrays.copyOf(hashes, 2_000)) {
                if (keyGroup(hash) >= 2 && keyGroup(hash) < 5) {
                    assertThat(filter.mightContain(keyGroup(hash), hash)).isTrue();
                }
            }
        }
    }

    @Test
    void aFilterThatWentOnFromTheSameFilesListsThemOnce() throws IOException {
        Path files = directory();
        CascadeOptions whole = options(0, KEY_GROUPS).build();
        byte[] base = stored(whole, files, filter -> add(filter, 0, 3_000, 0, KEY_GROUPS));
        byte[] union = CascadeUnion.of(base, List.of(base), "test");
        assertThat(StoredCascade.of(union, "test").entries())
                .isEqualTo(StoredCascade.of(base, "test").entries());
        assertThat(StoredCascade.of(union, "test").estimatedFpp())
                .isEqualTo(StoredCascade.of(base, "test").estimatedFpp());
    }

    @Test
    void whatOneHasRemovedAndTheOtherHoldsIsHeldAndRemovalsInBothAreRefused() throws IOException {
        Path files = directory();
        CascadeOptions whole = options(0, KEY_GROUPS).build();
        byte[] plain = stored(whole, files, filter -> add(filter, 0, 1_000, 0, KEY_GROUPS));
        byte[] removed =
                stored(
                        whole,
                        files,
                        filter -> {
                            add(filter, 0, 2_000, 0, KEY_GROUPS);
                            flush(filter);
                            for (int i = 500; i < 1_500; i++) {
                                filter.remove(keyGroup(hashes[i]), hashes[i]);
                            }
                        });
        assertThat(StoredCascade.of(removed, "test").sections())
                .anyMatch(section -> section.tombstones() > 0);
        for (byte[] union :
                List.of(
                        CascadeUnion.of(plain, List.of(removed), "test"),
                        CascadeUnion.of(removed, List.of(plain), "test"))) {
            Path copy = directory();
            Files.createDirectories(copy);
            try (var all = Files.list(files)) {
                for (Path file : all.toList()) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
            }
            try (CascadeFilter filter = CascadeFilter.restore(copy, whole, List.of(union))) {
                assertThat(held(filter, 0, 1_000)).isEqualTo(1_000);
                assertThat(held(filter, 1_000, 1_500)).isZero();
                assertThat(held(filter, 1_500, 2_000)).isEqualTo(500);
            }
        }
        byte[] alsoRemoved =
                stored(
                        whole,
                        files,
                        filter -> {
                            add(filter, 0, 10, 0, KEY_GROUPS);
                            flush(filter);
                            filter.remove(keyGroup(hashes[0]), hashes[0]);
                        });
        assertThatThrownBy(() -> CascadeUnion.of(removed, List.of(alsoRemoved), "test"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("removed in both");
    }

    /** What is removed later is in no buffer, and leaves a tombstone. */
    private static void flush(CascadeFilter filter) {
        try {
            filter.flush();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void eachEntryExpiresAsItWouldHave() throws IOException {
        Path files = directory();
        CascadeOptions living =
                options(0, KEY_GROUPS).timeToLive(Duration.ofSeconds(10), 4).build();
        byte[] base =
                stored(
                        living,
                        files,
                        filter -> {
                            filter.advanceTo(START + 5_000);
                            add(filter, 0, 1_000, 0, KEY_GROUPS);
                        });
        byte[] other =
                stored(
                        living,
                        files,
                        filter -> {
                            filter.advanceTo(START);
                            add(filter, 1_000, 2_000, 0, KEY_GROUPS);
                            filter.advanceTo(START + 7_500);
                            add(filter, 2_000, 3_000, 0, KEY_GROUPS);
                        });
        byte[] union = CascadeUnion.of(base, List.of(other), "test");
        try (CascadeFilter filter = CascadeFilter.restore(files, living, List.of(union))) {
            filter.advanceTo(START + 10_000);
            assertThat(held(filter, 0, 3_000)).isEqualTo(3_000);
            filter.advanceTo(START + 12_500);
            assertThat(held(filter, 1_000, 2_000)).isZero();
            assertThat(held(filter, 0, 1_000)).isEqualTo(1_000);
            filter.advanceTo(START + 17_500);
            assertThat(held(filter, 0, 1_000)).isZero();
            assertThat(held(filter, 2_000, 3_000)).isEqualTo(1_000);
        }
    }

    @Test
    void otherDivisionsAreRefused() throws IOException {
        Path files = directory();
        byte[] base =
                stored(
                        options(0, KEY_GROUPS).build(),
                        files,
                        filter -> add(filter, 0, 10, 0, KEY_GROUPS));
        byte[] other =
                stored(
                        options(0, KEY_GROUPS).partOf(4 * KEY_GROUPS).build(),
                        files,
                        filter -> add(filter, 0, 10, 0, KEY_GROUPS));
        assertThatThrownBy(() -> CascadeUnion.of(base, List.of(other), "test"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("divided into");
    }
}
