/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.state.snapshot.CompositeManifest.FilePart;
import io.sluice.state.snapshot.CompositeManifest.StatePart;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CompositeManifestTest {

    private static final MembershipInfo INFO = new MembershipInfo("seen", 1e-6, 0, "");

    @ParameterizedTest
    @ValueSource(strings = {"v5-composite.bin", "v5-incremental.bin", "v5-alone.bin"})
    void whatWasWrittenByVersionFiveIsRead(String name) throws Exception {
        CompositeManifest expected = GoldenFiles.FILES.get(name);
        GoldenFile.assertStillWritten("manifest/" + name, expected.toBytes());
        byte[] golden = GoldenFile.read("manifest/" + name);
        CompositeManifest read =
                CompositeManifest.read(new ByteArrayInputStream(golden), "golden file");
        assertThat(read).usingRecursiveComparison().isEqualTo(expected);
        assertThat(read.toBytes()).isEqualTo(golden);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v3", "v4"})
    void whatWasWrittenByAnOlderVersionIsRefused(String version) throws Exception {
        try (InputStream in =
                getClass().getResourceAsStream("/golden/manifest/" + version + "-composite.bin")) {
            assertThatThrownBy(() -> CompositeManifest.read(in, "an older file"))
                    .isInstanceOf(UnsupportedFormatException.class)
                    .hasMessageContaining("an older file");
        }
    }

    @Test
    void anyDamageIsFound() throws Exception {
        for (String name : GoldenFiles.FILES.keySet()) {
            Damage.isAlwaysRefused(GoldenFile.read("manifest/" + name), CompositeManifest::read);
        }
    }

    @Test
    void whatFollowsIsNotIgnored() throws Exception {
        byte[] bytes = GoldenFiles.manifest().toBytes();
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThatThrownBy(
                        () ->
                                CompositeManifest.read(
                                        new ByteArrayInputStream(longer), "a longer file"))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("a longer file");
    }

    private static void isRefused(CompositeManifest manifest, String reason) throws IOException {
        byte[] bytes = manifest.toBytes();
        assertThatThrownBy(() -> CompositeManifest.read(new ByteArrayInputStream(bytes), "hostile"))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("hostile, offset")
                .hasMessageContaining(reason);
    }

    private static CompositeManifest of(int first, int last, MembershipInfo info, FilePart file) {
        return of(GoldenFiles.manifest().maxParallelism(), first, last, info, file);
    }

    private static CompositeManifest heap(int first, int last, int offsets) {
        CompositeManifest golden = GoldenFiles.manifest();
        return new CompositeManifest(
                golden.maxParallelism(),
                first,
                last,
                golden.keyScheme(),
                golden.keySerializer(),
                golden.delegate(),
                new long[offsets],
                List.of());
    }

    private static CompositeManifest withSample(FilePart sample) {
        CompositeManifest golden = GoldenFiles.manifest();
        return new CompositeManifest(
                golden.maxParallelism(),
                0,
                3,
                golden.keyScheme(),
                golden.keySerializer(),
                golden.delegate(),
                new long[0],
                List.of(new StatePart(INFO, new byte[0], sample, List.of())));
    }

    private static CompositeManifest of(
            int maxParallelism, int first, int last, MembershipInfo info, FilePart file) {
        CompositeManifest golden = GoldenFiles.manifest();
        StatePart state = new StatePart(info, new byte[0], null, List.of(file));
        return new CompositeManifest(
                maxParallelism,
                first,
                last,
                golden.keyScheme(),
                golden.keySerializer(),
                golden.delegate(),
                new long[0],
                List.of(state));
    }

    /** A restore puts the file into a local directory under this name. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "../1-2.level",
                "/tmp/1-2.level",
                "sub/1-2.level",
                "sub\\1-2.level",
                "1-2.level\0",
                "1-2.level/..",
                ".level",
                "",
                "manifest-000000000007"
            })
    void aFileThatIsNotNamedLikeALevelFileIsRefused(String name) throws IOException {
        isRefused(of(0, 3, INFO, new FilePart(name, 1, 2)), "a level file named");
        String ofASample = name.replace(".level", ".sample");
        isRefused(withSample(new FilePart(ofASample, 1, 2)), "a sample named");
    }

    @Test
    void lengthsStatesAndKeyGroupsThatCannotBeAreRefused() throws IOException {
        FilePart file = new FilePart("1-2.level", 1, 2);
        isRefused(of(0, 3, INFO, new FilePart("1-2.level", -1, 2)), "of -1 bytes");
        isRefused(withSample(new FilePart("0a.sample", -1, 2)), "of -1 bytes");
        for (double fpp : new double[] {Double.NaN, 0, 1, -0.5, Double.POSITIVE_INFINITY}) {
            isRefused(of(0, 3, new MembershipInfo("seen", fpp, 0, ""), file), "probability");
        }
        isRefused(of(0, 3, new MembershipInfo("seen", 0.5, -1, ""), file), "time-to-live");
        isRefused(heap(0, 3, 3), "3 offsets of the heap");
        isRefused(heap(0, 3, 5), "5 offsets of the heap");
        isRefused(of(-1, 3, INFO, file), "key groups");
        isRefused(of(4, 3, INFO, file), "key groups");
        isRefused(of(0, 128, INFO, file), "key groups");
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 0", "32768, 0, 32767", "32768, 32767, 32767"})
    void theLeastAndTheMostKeyGroupsAreRead(int maxParallelism, int first, int last)
            throws IOException {
        CompositeManifest manifest =
                of(maxParallelism, first, last, INFO, new FilePart("1-2.level", 0, 2));
        assertThat(CompositeManifest.read(new ByteArrayInputStream(manifest.toBytes()), "edge"))
                .usingRecursiveComparison()
                .isEqualTo(manifest);
    }
}
