/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.machine.MachineDefinition;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MachineCheckTest {
    private static final String ORDERS =
            """
            machine: orders
            initial: none
            timeToLive: 7 d
            states:
              ordered:
              shipped: {terminal: true, timeToLive: 1 h}
            events: [refund]
            transitions:
              - {from: none, event: order, to: ordered}
              - {from: ordered, event: ship, to: shipped, output: parcel}
            """;

    @TempDir private Path folder;
    private Path file;

    private record Run(int exit, String out, String errors) {}

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("orders.yaml");
        Files.writeString(file, ORDERS);
    }

    private Run check(String... more) {
        List<String> arguments = new ArrayList<>(List.of(file.toString()));
        arguments.addAll(List.of(more));
        StringWriter out = new StringWriter();
        StringWriter errors = new StringWriter();
        int exit =
                new CommandLine(new MachineCheckCommand())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(errors))
                        .setParameterExceptionHandler(Failures::onUsage)
                        .setExecutionExceptionHandler(Failures::onExecution)
                        .execute(arguments.toArray(String[]::new));
        return new Run(exit, out.toString(), errors.toString());
    }

    @Test
    void theMachineIsPrintedWithWhatMayBeAMistake() {
        Run run = check();
        assertThat(run.exit()).as(run.errors()).isZero();
        assertThat(run.errors()).isEmpty();
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "machine orders, initially none",
                        "states ordered 7 d",
                        " shipped 1 h, terminal",
                        " none not held",
                        "events refund",
                        " order",
                        " ship",
                        "transitions ordered ship shipped / parcel",
                        " none order ordered",
                        "warnings event 'refund' has no transition, so it is illegal in every"
                                + " state: add one, unless that is meant.");
    }

    @Test
    void aMistakeIsNamedWithItsLineAndTheFix() throws IOException {
        Files.writeString(file, ORDERS.replace("to: shipped", "to: shiped"));
        Run run = check();
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.errors().lines()).hasSize(1);
        assertThat(run.errors())
                .startsWith("sluice: " + file + ", line 10: ")
                .contains("state 'shiped' is not declared", "correct the name");

        JsonNode json = new ObjectMapper().readTree(check("--json").out());
        assertThat(json.path("ok").asBoolean(true)).isFalse();
        assertThat("sluice: " + json.path("problem").asText()).isEqualTo(run.errors().strip());
    }

    @Test
    void aFileThatCannotBeReadIsNotAVerdict() throws IOException {
        Files.delete(file);
        Run run = check();
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.errors()).startsWith("sluice: ").contains("orders.yaml");
    }

    @Test
    void theDiagramIsAloneForOtherPrograms() throws IOException {
        MachineDefinition machine = MachineDefinition.read(file);
        assertThat(check("--diagram=mermaid").out()).isEqualTo(machine.mermaid());
        assertThat(check("--diagram=DOT").out()).isEqualTo(machine.dot());
        JsonNode json = new ObjectMapper().readTree(check("--diagram=dot", "--json").out());
        assertThat(json.path("diagram").asText()).isEqualTo(machine.dot());
    }

    @Test
    void theMemoryOfMachinesIsThatOfTheirStore() throws IOException {
        Run exact = check("--machines=1000000");
        assertThat(exact.out())
                .contains("24.0 MiB in each of 1 subtask(s) for 1,000,000 machines, store EXACT");
        JsonNode kbf =
                new ObjectMapper()
                        .readTree(
                                check(
                                                "--machines=1000000",
                                                "--store=kbf",
                                                "--bits-per-machine=64",
                                                "--parallelism=2",
                                                "--json")
                                        .out())
                        .path("memory");
        assertThat(kbf.path("store").asText()).isEqualTo("KBF");
        // Two generations of 8 bytes for each of 7,813 machines in 64 key groups.
        assertThat(kbf.path("bytesOfSubtask").asLong()).isEqualTo(2L * 8 * 7_813 * 64);

        Run tooLittle = check("--machines=1000000", "--memory=16mb");
        assertThat(tooLittle.exit()).isEqualTo(1);
        assertThat(tooLittle.out()).containsPattern("16\\.0 MiB hold [1-9][0-9,]+ machines");
        assertThat(check("--machines=1000000", "--memory=24mb").exit()).isZero();
    }

    @Test
    void eachStoreIsPrintedWithWhatItTakesAndItsError() throws IOException {
        Run named = check("--machines=1000000", "--store=fingerprints");
        assertThat(named.out()).containsPattern("3\\.[0-9] MiB in each .* store FINGERPRINTS");
        JsonNode chosen =
                new ObjectMapper()
                        .readTree(
                                check("--machines=1000000", "--error-probability=0.01", "--json")
                                        .out())
                        .path("memory");
        assertThat(chosen.path("store").asText()).isEqualTo("FINGERPRINTS");
        List<String> stores = new ArrayList<>();
        for (JsonNode each : chosen.path("stores")) {
            stores.add(each.path("store").asText());
            assertThat(each.path("error").asDouble()).isBetween(0.0, 0.01);
            assertThat(each.path("bytesOfSubtask").asLong())
                    .isGreaterThanOrEqualTo(chosen.path("bytesOfSubtask").asLong());
        }
        assertThat(stores).containsExactlyInAnyOrder("EXACT", "FINGERPRINTS", "KBF");
        // So few machines that the smallest tables decide, which are those of the exact store.
        assertThat(check("--machines=100", "--error-probability=0.01").out())
                .contains("store EXACT");
    }

    @Test
    void optionsWithoutEffectAndOutOfRangeAreRefusedByName() {
        assertRefused("--store has no effect without --machines", "--store=kbf");
        assertRefused("--memory has no effect without --machines", "--memory=1gb");
        assertRefused(
                "--bits-per-machine has no effect without --store kbf",
                "--machines=5",
                "--bits-per-machine=64");
        assertRefused(
                "--error-probability has no effect without --mach", "--error-probability=0.1");
        assertRefused("--error-probability", "--machines=5", "--error-probability=0.2");
        assertRefused("--error-probability", "--machines=5", "--error-probability=1e-10");
        assertRefused("--machines", "--machines=0");
        assertRefused("--bits-per-machine", "--machines=5", "--store=kbf", "--bits-per-machine=1");
        assertRefused("--memory", "--machines=5", "--memory=1kb");
        assertRefused("--parallelism must be at least 1", "--machines=5", "--parallelism=0");
        assertRefused("--max-parallelism", "--machines=5", "--max-parallelism=0");
        assertRefused("--diagram", "--diagram=crayons");
    }

    private void assertRefused(String message, String... options) {
        Run run = check(options);
        assertThat(run.exit()).as(run.errors()).isEqualTo(2);
        assertThat(run.errors()).startsWith("sluice: ").contains(message);
        assertThat(run.out()).isEmpty();
    }
}
