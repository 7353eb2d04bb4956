/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that runs the command from a checkout, in one of its own without sources. */
class ScriptTest {
    @TempDir private Path checkout;

    private Path target;

    @BeforeEach
    void copy() throws IOException {
        Path script = checkout.resolve("sluice");
        Files.copy(Path.of("..", "..", "sluice"), script);
        assertThat(script.toFile().setExecutable(true)).isTrue();
        target = Files.createDirectories(checkout.resolve("kafka-demo/cli/target"));
        Files.createDirectories(target.resolve("classes"));
        Files.createFile(checkout.resolve("pom.xml"));
        // A build that says that it was asked for.
        Path maven = checkout.resolve("mvnw");
        Files.writeString(maven, "#!/bin/sh\necho ERROR built\nexit 1\n");
        assertThat(maven.toFile().setExecutable(true)).isTrue();
    }

    private void classPathOf(Path place) throws IOException {
        Files.writeString(
                target.resolve("classpath.txt"),
                "/lib/a.jar" + File.pathSeparator + place.resolve("filters/target/filters.jar"));
        Path stamp = Files.createFile(target.resolve("sluice.stamp"));
        Files.setLastModifiedTime(stamp, FileTime.fromMillis(System.currentTimeMillis() + 60_000));
    }

    private String run(String skipBuild) throws Exception {
        Path said = checkout.resolve("said");
        ProcessBuilder builder = new ProcessBuilder("./sluice", "--version");
        builder.directory(checkout.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("SLUICE_SKIP_BUILD", skipBuild);
        Process process = builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return Files.readString(said);
    }

    @Test
    void whatWasBuiltHereRuns() throws Exception {
        classPathOf(checkout);
        String noClasses = "main class " + Sluice.class.getName();
        assertThat(run("")).contains(noClasses).doesNotContain("built");
        assertThat(run("1")).contains(noClasses);
    }

    @Test
    void aCopiedCheckoutIsBuiltAnew() throws Exception {
        classPathOf(Path.of("/another/checkout"));
        assertThat(run("")).contains("ERROR built").doesNotContain("main class");
    }

    @Test
    void aCopiedCheckoutThatMayNotBeBuiltRunsNothing() throws Exception {
        classPathOf(Path.of("/another/checkout"));
        assertThat(run("1"))
                .isEqualToIgnoringNewLines(
                        "sluice: not built yet in this place: unset SLUICE_SKIP_BUILD");
    }
}
