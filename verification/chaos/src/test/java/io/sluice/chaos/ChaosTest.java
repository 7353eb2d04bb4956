/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChaosTest {
    private static final int WRONG_USE = 2;

    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @TempDir Path checkout;

    @BeforeEach
    void listen() {
        System.setOut(new PrintStream(printed, true, UTF_8));
        System.setErr(new PrintStream(printed, true, UTF_8));
    }

    @AfterEach
    void speak() {
        System.setOut(out);
        System.setErr(err);
        System.clearProperty("sluice.home");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --faults=0     | --faults must be at least 1, but is 0
                    --minutes=0    | --minutes must be more than 0, but is 0.0
                    --rate=0       | --rate must be from 1 to 100000, but is 0
                    --only=kil     | --only has 'kil', which is not a fault: write kill-taskmanager
                    --jobs=dedupe  | --jobs has 'dedupe', which is not a job: write dedup, on-disk
                    --faketime=/no | --faketime /no is not a file: name libfaketimeMT.so.1
                    --disk=/no     | --disk /no is not a folder: mount a small one there, such as
                    --seeds=1      | Unknown option: '--seeds=1'
                    """)
    void aMistakeIsToldInALineAndStartsNothing(String argument, String message) throws Exception {
        haveJars();
        assertThat(said(() -> Chaos.execute(argument, "--out=" + checkout.resolve("out"))))
                .contains(message)
                .doesNotContain("\tat ");
        assertThat(checkout.resolve("out")).doesNotExist();
    }

    @Test
    void aFaultThatMeetsNoneOfTheJobsIsWrongUsage() throws Exception {
        haveJars();
        assertThat(
                        said(
                                () ->
                                        Chaos.execute(
                                                "--only=clock-jump",
                                                "--jobs=flows,reconcile,sql",
                                                "--out=" + checkout.resolve("out"))))
                .contains("--only has nothing that can happen to these jobs", "clock-jump")
                .doesNotContain("\tat ");
        assertThat(checkout.resolve("out")).doesNotExist();
    }

    @Test
    void aFolderWithOtherThingsStaysAsItIs() throws Exception {
        haveJars();
        assertThat(said(() -> Chaos.execute("--out=" + checkout)))
                .contains("has other things than a run of chaos: name another folder");
        assertThat(checkout.resolve("kafka-demo/jobs/target/sluice-jobs.jar")).exists();
    }

    @Test
    void jarsThatWereNotBuiltAreNamed() {
        System.setProperty("sluice.home", checkout.toString());
        assertThat(said(() -> Chaos.execute("--out=" + checkout.resolve("out"))))
                .contains("sluice-jobs.jar")
                .contains("run './mvnw -Dquick package'");
    }

    @Test
    void theHelpNamesFaultsJobsAndExitCodes() {
        assertThat(Chaos.execute("--help")).isZero();
        assertThat(printed.toString(UTF_8))
                .contains("kill-taskmanager", "damage-checkpoint", "forever", "reconcile")
                .contains("Exit codes:");
    }

    private void haveJars() throws Exception {
        for (String jar :
                new String[] {
                    "kafka-demo/jobs/target/sluice-jobs.jar",
                    "flink-operators/jar/target/sluice-flink-2.3-1.jar"
                }) {
            Files.createDirectories(checkout.resolve(jar).getParent());
            Files.createFile(checkout.resolve(jar));
        }
        System.setProperty("sluice.home", checkout.toString());
    }

    private String said(Supplier<Integer> run) {
        assertThat(run.get()).isEqualTo(WRONG_USE);
        return printed.toString(UTF_8);
    }
}
