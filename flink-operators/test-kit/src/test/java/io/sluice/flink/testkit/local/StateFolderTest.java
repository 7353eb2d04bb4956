/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFolderTest {
    private static final String OPTION = "--state-dir";

    @TempDir private Path folder;

    @Test
    void aNewFolderHasNothingToContinue() throws IOException {
        try (StateFolder state = StateFolder.open(folder.resolve("a/b"), OPTION)) {
            assertThat(state.newest()).isEmpty();
        }
    }

    @Test
    void theNewestCompleteCheckpointOrSavepointIsContinued() throws IOException {
        complete("checkpoints/run1/chk-9", 1_000);
        complete("checkpoints/run2/chk-3", 3_000);
        complete("savepoints/savepoint-1", 2_000);
        Files.createDirectories(folder.resolve("checkpoints/run2/chk-4"));
        Files.createDirectories(folder.resolve("checkpoints/run2/shared"));

        try (StateFolder state = StateFolder.open(folder, OPTION)) {
            assertThat(state.newest().orElseThrow()).endsWith("/checkpoints/run2/chk-3/");
            complete("savepoints/savepoint-2", 4_000);
            assertThat(state.newest().orElseThrow()).endsWith("/savepoints/savepoint-2/");
        }
    }

    @Test
    void oneRunAtATimeHasIt() throws IOException {
        try (StateFolder first = StateFolder.open(folder, OPTION)) {
            assertThat(first.newest()).isEmpty();
            assertThatThrownBy(() -> StateFolder.open(folder, OPTION))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(OPTION, folder.toString(), "in use by another run");
        }
        StateFolder.open(folder, OPTION).close();
    }

    @Test
    void aFileIsRefused() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));

        assertThatThrownBy(() -> StateFolder.open(file, OPTION))
                .isInstanceOf(IOException.class)
                .hasMessage(OPTION + " " + file + " is not a folder: name another");
    }

    private void complete(String name, long millis) throws IOException {
        Path checkpoint = Files.createDirectories(folder.resolve(name));
        Path metadata = Files.createFile(checkpoint.resolve("_metadata"));
        Files.setLastModifiedTime(metadata, FileTime.fromMillis(millis));
    }
}
