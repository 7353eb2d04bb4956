/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.UnsupportedFormatException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompositeManifestTest {

    @ParameterizedTest
    @ValueSource(strings = {"v2-composite.bin", "v2-incremental.bin", "v2-alone.bin"})
    void whatWasWrittenByVersionTwoIsRead(String name) throws Exception {
        byte[] golden = GoldenFile.read("manifest/" + name);
        CompositeManifest expected = GoldenFiles.FILES.get(name);
        CompositeManifest read =
                CompositeManifest.read(new ByteArrayInputStream(golden), "golden file");
        assertThat(read).usingRecursiveComparison().isEqualTo(expected);
        assertThat(read.toBytes()).isEqualTo(golden);
        assertThat(expected.toBytes()).as("as written now").isEqualTo(golden);
    }

    @Test
    void whatWasWrittenByVersionOneIsRefusedByItsNumber() throws Exception {
        try (InputStream in = getClass().getResourceAsStream("/golden/manifest/v1-composite.bin")) {
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
}
