/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.cascade.file.LevelFileInfo;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTest {

    /** Parts of key groups, a time, and files of two stores. */
    private static final Manifest GOLDEN =
            new Manifest(
                    new KeyGroups(15, 200),
                    new KeyGroupParts(5),
                    1_700_000_000_321L,
                    3e-5,
                    List.of(
                            listed(3, 8, 33, 15, 200, 1_700_000_060_000L),
                            listed(-7, 1L << 40, 33, 20, 25, TimeBuckets.NEVER)));

    private static final Manifest WITHOUT_TIME =
            new Manifest(
                    new KeyGroups(0, 32_768),
                    KeyGroupParts.WHOLE,
                    Manifest.NO_TIME,
                    1,
                    List.of(listed(0, 1, 47, 0, 32_768, TimeBuckets.NEVER)));

    private static final Manifest WITHOUT_FILES =
            new Manifest(new KeyGroups(3, 4), KeyGroupParts.WHOLE, -1, 0, List.of());

    /** By name of the file. */
    private static final Map<String, Manifest> GOLDEN_FILES =
            Map.of(
                    "v3-manifest.bin", GOLDEN,
                    "v3-without-time.bin", WITHOUT_TIME,
                    "v3-without-files.bin", WITHOUT_FILES);

    private static Manifest.Listed listed(
            long store, long number, int hashBits, int first, int end, long bucketEnd) {
        LevelFileInfo info =
                new LevelFileInfo(
                        CascadeFileNames.level(store, number),
                        12_288 + (number << 12 & 0xffffff),
                        1_000 + number % 77,
                        number % 7,
                        (long) first << 48,
                        (long) (end - 1) << 48 | 0x1234,
                        hashBits,
                        Hashing.XXH3_64,
                        (int) (0x89abcdef * (store + 2)));
        return new Manifest.Listed(info, new KeyGroups(first, end), bucketEnd);
    }

    private static byte[] golden(String name) {
        return GoldenFile.read("cascade/" + name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v3-manifest.bin", "v3-without-time.bin", "v3-without-files.bin"})
    void readsTheGoldenFilesAndWritesThemAgain(String name) throws IOException {
        GoldenFile.assertStillWritten("cascade/" + name, GOLDEN_FILES.get(name).toBytes());
        assertThat(Manifest.of(golden(name), "golden")).isEqualTo(GOLDEN_FILES.get(name));
    }

    @Test
    void olderVersionsAreRefused() throws IOException {
        for (int version = 1; version < Manifest.VERSION_3; version++) {
            byte[] old = withParameters(version, 1, 1e-3);
            assertThatThrownBy(() -> Manifest.of(old, "old"))
                    .isInstanceOf(UnsupportedFormatException.class)
                    .hasMessageContaining("old")
                    .hasMessageContaining("version " + version);
        }
    }

    private static byte[] withParameters(int version, int parts, double bound) throws IOException {
        ByteBuffer parameters = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
        parameters.putInt(15).putInt(200).putLong(0).putInt(0).putInt(parts).putDouble(bound);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new FilterWriter(out, Manifest.KIND, version, parameters.flip(), 0).finish();
        return out.toByteArray();
    }

    @Test
    void anImpossibleProbabilityIsDamage() throws IOException {
        for (double bound : new double[] {-1e-9, 1.1, Double.NaN}) {
            byte[] bytes = withParameters(Manifest.VERSION_3, 1, bound);
            assertThatThrownBy(() -> Manifest.of(bytes, "impossible"))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("impossible probability " + bound);
        }
    }

    @Test
    void partsThatAKeyGroupCannotHaveAreDamage() throws IOException {
        for (int parts : new int[] {0, -1, 2, 40_000}) {
            byte[] bytes = withParameters(Manifest.VERSION_3, parts, 0);
            assertThatThrownBy(() -> Manifest.of(bytes, "impossible"))
                    .as("%s parts", parts)
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining(parts + " parts");
        }
    }

    @Test
    void anEmptyListIsAList() throws IOException {
        Manifest empty =
                new Manifest(
                        new KeyGroups(0, 1), KeyGroupParts.WHOLE, Manifest.NO_TIME, 0, List.of());
        assertThat(Manifest.of(empty.toBytes(), "empty")).isEqualTo(empty);
    }

    @Test
    void everyDamageIsNoticed() throws IOException {
        for (String name : GOLDEN_FILES.keySet()) {
            Damage.isAlwaysRefused(golden(name), Manifest::read);
        }
        byte[] bytes = GOLDEN.toBytes();
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThatThrownBy(() -> Manifest.of(longer, "longer"))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("something follows the last byte");
    }

    @Test
    void theHighestNumberCountsAndDamageOfItIsAnError() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        ManifestStore store = ManifestStore.open(directory, true);
        assertThat(store.read()).isEmpty();
        store.write(new Manifest(new KeyGroups(0, 9), KeyGroupParts.WHOLE, 1, 0, List.of()));
        store.write(GOLDEN);
        assertThat(ManifestStore.open(directory, true).read()).contains(GOLDEN);
        assertThat(directory.list()).hasSize(2);
        store.deleteOlder();
        assertThat(directory.list()).containsExactly(CascadeFileNames.manifest(2));
        byte[] bytes = GOLDEN.toBytes();
        bytes[50] ^= 1;
        directory.put(CascadeFileNames.manifest(3), bytes);
        assertThatThrownBy(() -> ManifestStore.open(directory, true).read())
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining(CascadeFileNames.manifest(3));
    }

    @Test
    void aLostLevelFileIsNamed() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        CascadeOptions options =
                CascadeOptions.builder().bufferBytes(1 << 12).pageCacheBytes(1 << 16).build();
        try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            filter.add(1);
        }
        String lost =
                directory.list().stream()
                        .filter(CascadeFileNames::isLevel)
                        .findFirst()
                        .orElseThrow();
        byte[] bytes = directory.bytes(lost);
        directory.delete(lost);
        assertThatThrownBy(() -> CascadeFilter.open(directory, options).close())
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining(lost)
                .hasMessageContaining("is missing");
        directory.put(lost, Arrays.copyOf(bytes, bytes.length / 2));
        assertThatThrownBy(() -> CascadeFilter.open(directory, options).close())
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining(lost);
        directory.delete(lost);
        directory.put(lost, bytes);
        try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            assertThat(filter.mightContain(1)).isTrue();
        }
    }
}
