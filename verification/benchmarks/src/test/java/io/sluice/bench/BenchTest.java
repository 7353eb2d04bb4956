/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchTest {
    @TempDir Path directory;

    @Test
    void badUsageAndBadInputEndWithTwo() throws Exception {
        assertThat(Bench.execute()).isEqualTo(2);
        assertThat(Bench.execute("nothing")).isEqualTo(2);
        assertThat(Bench.execute("reconcile", "--fast")).isEqualTo(2);
        assertThat(
                        Bench.execute(
                                "flows",
                                "--quick",
                                "--captures",
                                directory.toString(),
                                "--out",
                                "x"))
                .isEqualTo(2);
        assertThat(Bench.execute("backend", "--quick", "--rounds", "0")).isEqualTo(2);
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(Bench.execute("reconcile", "--quick", "--out", file.toString())).isEqualTo(2);
    }

    @Test
    void helpEndsWithZero() {
        assertThat(Bench.execute("--help")).isZero();
        assertThat(Bench.execute("reconcile", "--help")).isZero();
    }
}
