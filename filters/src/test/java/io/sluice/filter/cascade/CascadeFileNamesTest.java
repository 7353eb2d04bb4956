/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CascadeFileNamesTest {

    @Test
    void levelFilesHaveTheirStoreAndNumberInTheName() {
        assertThat(CascadeFileNames.level(0x123456789abcdefL, 42))
                .isEqualTo("0123456789abcdef-00000000002a.level");
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 10_000; i++) {
            long store = random.nextLong();
            long number = random.nextLong() >>> 16;
            String name = CascadeFileNames.level(store, number);
            assertThat(CascadeFileNames.isLevel(name)).isTrue();
            assertThat(CascadeFileNames.store(name)).isEqualTo(store);
            assertThat(CascadeFileNames.number(name)).isEqualTo(number);
            assertThat(CascadeFileNames.isNumber(number)).isTrue();
            assertThat(CascadeFileNames.manifestNumber(name)).isEmpty();
        }
        assertThat(CascadeFileNames.isNumber(1L << 48)).isFalse();
        assertThat(CascadeFileNames.isNumber(-1)).isFalse();
    }

    @Test
    void manifestsHaveTheirNumberInTheName() {
        assertThat(CascadeFileNames.manifest(0x1f)).isEqualTo("manifest-00000000001f");
        assertThat(CascadeFileNames.manifestNumber("manifest-00000000001f")).contains(0x1fL);
        assertThat(CascadeFileNames.isTemporaryManifest("manifest-00000000001f.tmp")).isTrue();
        assertThat(CascadeFileNames.isTemporaryManifest("manifest-00000000001f")).isFalse();
        assertThat(CascadeFileNames.manifestNumber("manifest-00000000001f.tmp")).isEmpty();
    }

    @Test
    void otherNamesBelongToNoFile() {
        for (String name :
                new String[] {
                    "LOCK",
                    "0123456789abcdef-00000000002A.level",
                    "0123456789abcdef-00000000002a.levels",
                    "0123456789abcdef_00000000002a.level",
                    "manifest-1f",
                    "manifest-00000000001g",
                    "x.tmp"
                }) {
            assertThat(CascadeFileNames.isLevel(name)).as(name).isFalse();
            assertThat(CascadeFileNames.manifestNumber(name)).as(name).isEmpty();
            assertThat(CascadeFileNames.isTemporaryManifest(name)).as(name).isFalse();
        }
    }
}
