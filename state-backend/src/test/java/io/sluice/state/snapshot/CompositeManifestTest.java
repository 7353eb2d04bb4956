/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.UnsupportedFormatException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CompositeManifestTest {

    @Test
    void whatWasWrittenByVersionTwoIsRead() throws Exception {
        byte[] golden;
        try (InputStream in = getClass().getResourceAsStream("/golden/manifest/v2-composite.bin")) {
            golden = in.readAllBytes();
        }
        CompositeManifest read =
                CompositeManifest.read(new ByteArrayInputStream(golden), "golden file");
        assertThat(read).usingRecursiveComparison().isEqualTo(GoldenFiles.manifest());
        assertThat(GoldenFiles.manifest().toBytes()).isEqualTo(golden);
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
        Damage.isAlwaysRefused(GoldenFiles.manifest().toBytes(), CompositeManifest::read);
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
