/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FileNamesTest {

    @Test
    void levelFilesHaveTheirStoreAndNumberInTheName() {
        assertThat(FileNames.level(0x123456789abcdefL, 42))
                .isEqualTo("0123456789abcdef-00000000002a.level");
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 10_000; i++) {
            long store = random.nextLong();
            long number = random.nextLong() >>> 16;
            String name = FileNames.level(store, number);
            assertThat(FileNames.isLevel(name)).isTrue();
            assertThat(FileNames.store(name)).isEqualTo(store);
            assertThat(FileNames.number(name)).isEqualTo(number);
            assertThat(FileNames.isNumber(number)).isTrue();
            assertThat(FileNames.manifestNumber(name)).isEmpty();
        }
        assertThat(FileNames.isNumber(1L << 48)).isFalse();
        assertThat(FileNames.isNumber(-1)).isFalse();
    }

    @Test
    void manifestsHaveTheirNumberInTheName() {
        assertThat(FileNames.manifest(0x1f)).isEqualTo("manifest-00000000001f");
        assertThat(FileNames.manifestNumber("manifest-00000000001f")).contains(0x1fL);
        assertThat(FileNames.isTemporaryManifest("manifest-00000000001f.tmp")).isTrue();
        assertThat(FileNames.isTemporaryManifest("manifest-00000000001f")).isFalse();
        assertThat(FileNames.manifestNumber("manifest-00000000001f.tmp")).isEmpty();
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
            assertThat(FileNames.isLevel(name)).as(name).isFalse();
            assertThat(FileNames.manifestNumber(name)).as(name).isEmpty();
            assertThat(FileNames.isTemporaryManifest(name)).as(name).isFalse();
        }
    }
}
