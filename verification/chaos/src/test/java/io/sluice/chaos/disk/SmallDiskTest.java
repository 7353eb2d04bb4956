/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SmallDiskTest {
    private static final Path FOLDER = Path.of("/mnt/small");
    private static final long MIB = 1L << 20;

    @Test
    void aLargeFileSystemIsNotFilled() {
        assertThatThrownBy(() -> SmallDisk.requireSize(FOLDER, 98_000 * MIB))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--disk /mnt/small is on a file system of 98000 MB")
                .hasMessageContaining("at most 4096 are allowed")
                .hasMessageContaining("mount -t tmpfs -o size=600m tmpfs /mnt/small");
    }

    @Test
    void aFileSystemWithoutRoomForARunIsRefused() {
        assertThatThrownBy(() -> SmallDisk.requireSize(FOLDER, 10 * MIB))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("of 10 MB; a run needs at least 256");
    }

    @Test
    void oneOfAFewHundredMegabytesIsFine() {
        assertThatCode(() -> SmallDisk.requireSize(FOLDER, 600 * MIB)).doesNotThrowAnyException();
    }
}
