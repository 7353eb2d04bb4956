/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryCheckTest {
    private static final String ERROR =
            "java.lang.OutOfMemoryError: Metaspace. The metaspace out-of-memory error has"
                    + " occurred.";

    @TempDir Path logs;
    private final CheckResult verdict = new CheckResult();

    @Test
    void aProcessThatRanOutOfMemoryIsNamedOnce() throws Exception {
        Files.writeString(logs.resolve("taskmanager-1.log"), "12:00 INFO all is well\n");
        Files.writeString(
                logs.resolve("taskmanager-3.log"), "12:00 INFO\n" + ERROR + '\n' + ERROR + '\n');

        MemoryCheck.judge(logs, verdict);

        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .startsWith("a process ran out of memory: 1, such as taskmanager-3.log: java.lang");
    }

    @Test
    void whatOtherProgramsLogSaysNothingAboutTheCluster() throws Exception {
        Files.writeString(logs.resolve("jobmanager.log"), "12:00 INFO all is well\n");
        Files.writeString(logs.resolve("flink-run-1.log"), ERROR);

        MemoryCheck.judge(logs, verdict);

        assertThat(verdict.isOk()).isTrue();
    }

    @Test
    void withoutLogsNothingIsKnown() {
        assertThatThrownBy(() -> MemoryCheck.judge(logs, verdict))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no process has a log");
    }
}
