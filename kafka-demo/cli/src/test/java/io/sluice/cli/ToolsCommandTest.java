/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code plan}, {@code inspect}, {@code verify}, {@code diff} and {@code reconcile} as they are
 * called.
 */
class ToolsCommandTest {
    @TempDir private Path folder;

    private record Run(int exit, String out, String errors) {}

    private static Run sluice(String... arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        try {
            int exit = Sluice.run(arguments);
            return new Run(
                    exit,
                    printed.toString(StandardCharsets.UTF_8),
                    errors.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    private static JsonNode json(Run run) throws IOException {
        assertThat(run.errors()).isEmpty();
        return new ObjectMapper().readTree(run.out());
    }

    private static void assertRefused(Run run, String... parts) {
        assertThat(run.exit()).as(run.errors()).isEqualTo(2);
        assertThat(run.errors().lines()).as(run.errors()).hasSize(1);
        assertThat(run.errors()).startsWith("sluice: ").contains(parts);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aPlanGoesBothWays() throws Exception {
        String rate = "--ids-per-second=50000";
        Run forward = sluice("plan", rate, "--within=6 h", "--parallelism=4", "--json");
        JsonNode plan = json(forward);
        assertThat(forward.exit()).isZero();
        assertThat(plan.get("found").asText()).isEqualTo("MEMORY");

        String memory = "--memory=" + plan.get("memoryBytes").asLong() + "b";
        JsonNode back = json(sluice("plan", rate, memory, "--parallelism=4", "--json"));
        assertThat(back.get("windowMillis").asLong())
                .isBetween(6 * 3_600_000L, (long) (6.1 * 3_600_000));

        Run tooLittle = sluice("plan", rate, "--within=6 h", "--memory=256mb", "--parallelism=4");
        assertThat(tooLittle.exit()).isEqualTo(1);
        assertThat(tooLittle.out()).contains("DOES NOT FIT");
    }

    @Test
    void aPlanOfTheBackendNeedsKeysOrARateAndATime() throws Exception {
        JsonNode plan = json(sluice("plan", "--keys=1000000000", "--parallelism=8", "--json"));
        assertThat(plan.get("bitsPerKey").asDouble()).isBetween(20.0, 25.0);
        assertThat(sluice("plan", "--keys=1000000").out()).contains("for ever", "capacity");
        assertRefused(sluice("plan", "--engine=cascade"), "--keys");
    }

    @Test
    void whatIsMissingOrOutOfRangeIsNamed() {
        assertRefused(sluice("plan", "--within=1 h"), "--ids-per-second");
        assertRefused(sluice("plan", "--ids-per-second=5"), "--within");
        assertRefused(sluice("plan", "--ids-per-second=5", "--within=1 h", "--fpp=2"), "--fpp");
        assertRefused(
                sluice("plan", "--ids-per-second=5", "--within=1 h", "--find=fpp"), "--memory");
    }

    @Test
    void whatIsNoCheckpointIsRefusedInOneLine() throws Exception {
        Path garbage = Files.write(folder.resolve("_metadata"), new byte[64]);
        for (String command : new String[] {"inspect", "verify"}) {
            assertRefused(sluice(command, folder.resolve("gone").toString()), "gone");
            assertRefused(sluice(command, folder.toString()), garbage.getFileName().toString());
        }
        assertRefused(sluice("diff", folder.toString()), "CHECKPOINT");
        assertRefused(sluice("reconcile"), "CHECKPOINT");
        assertRefused(sluice("reconcile", folder.toString()), "--serve or --connect");
        String one = folder.toString();
        assertRefused(sluice("reconcile", one, one, "--connect=a:1"), "there are 2");
        assertRefused(sluice("reconcile", one, "--serve=1", "--connect=a:1"), "exclude each other");
        assertRefused(sluice("reconcile", one, "--serve=1", "--union=out"), "--union");
        assertRefused(sluice("reconcile", one, "--serve=1", "--state=s"), "--state", "--connect");
        assertRefused(sluice("reconcile", one, one, "--union=out", "--state=s"), "--state");
        assertRefused(sluice("reconcile", one, "--connect=a:65536"), "--connect must be HOST:PORT");
        assertRefused(
                sluice("reconcile", folder.toString(), folder.toString()),
                garbage.getFileName().toString());
        assertRefused(
                sluice("reconcile", folder.toString(), folder.toString(), "--list=-1"), "--list");
        assertRefused(
                sluice("inspect", folder.toString(), "--jar=" + folder.resolve("no.jar")),
                "no.jar",
                "--jar");
    }
}
