/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogCheckTest {
    private static final String ERROR =
            "java.lang.OutOfMemoryError: Metaspace. The metaspace out-of-memory error has"
                    + " occurred.";
    private static final String FATAL =
            "12:00:01.000 ERROR Task - FATAL - exception in exception handler of task ";

    @TempDir Path logs;
    private final CheckResult verdict = new CheckResult();

    @Test
    void aProcessThatRanOutOfMemoryIsNamedOnce() throws Exception {
        Files.writeString(logs.resolve("taskmanager-1.log"), "12:00 INFO all is well\n");
        Files.writeString(
                logs.resolve("taskmanager-3.log"), "12:00 INFO\n" + ERROR + '\n' + ERROR + '\n');

        LogCheck.judge(logs, verdict);

        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .startsWith("a process ran out of memory: 1, such as taskmanager-3.log: java.lang");
    }

    @Test
    void aTaskThatTookItsProcessDownIsNamedOnce() throws Exception {
        String first = FATAL + "dedup -> write-output: Writer -> write-output: Committer (1/2)#0\n";
        Files.writeString(logs.resolve("taskmanager-2.log"), first + first);

        LogCheck.judge(logs, verdict);

        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .startsWith(
                        "a task took its TaskManager down: 1, such as taskmanager-2.log: 12:00");
    }

    @Test
    void flinksOwnWriterOfATableMayDoThat() throws Exception {
        Files.writeString(
                logs.resolve("taskmanager-2.log"),
                FATAL + "DEDUPLICATE[3] -> firsts[5]: Writer -> firsts[5]: Committer (1/2)#0\n");

        LogCheck.judge(logs, verdict);

        assertThat(verdict.isOk()).isTrue();
    }

    @Test
    void whatOtherProgramsLogSaysNothingAboutTheCluster() throws Exception {
        Files.writeString(logs.resolve("jobmanager.log"), "12:00 INFO all is well\n");
        Files.writeString(logs.resolve("flink-run-1.log"), ERROR);

        LogCheck.judge(logs, verdict);

        assertThat(verdict.isOk()).isTrue();
    }

    @Test
    void withoutLogsNothingIsKnown() {
        assertThatThrownBy(() -> LogCheck.judge(logs, verdict))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no process has a log");
    }
}
