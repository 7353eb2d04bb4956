/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderSizeTest {
    @TempDir Path directory;

    @Test
    void filesAndFoldersAreCountedAndTheBytesOfFiles() throws Exception {
        Files.createDirectories(directory.resolve("a/empty"));
        Files.write(directory.resolve("a/file"), new byte[100]);
        assertThat(FolderSize.of(directory)).isEqualTo(new FolderSize(4, 100));
    }

    @Test
    void aFolderThatIsGoneIsEmpty() throws Exception {
        assertThat(FolderSize.of(directory.resolve("gone"))).isEqualTo(new FolderSize(0, 0));
    }
}
