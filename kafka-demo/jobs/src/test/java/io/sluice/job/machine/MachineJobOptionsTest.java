/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.machine.MachineOptions;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.store.StoreKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MachineJobOptionsTest {
    private static final String ORDERS =
            """
            machine: orders
            initial: none
            timeToLive: 7 d
            states:
              ordered: {timeToLive: 30 min}
              paid:
              shipped: {terminal: true}
            transitions:
              - {from: none, event: order, to: ordered}
              - {from: ordered, event: pay, to: paid}
              - {from: paid, event: ship, to: shipped}
            """;

    @TempDir private Path folder;
    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(folder.resolve("orders.yaml"), ORDERS);
    }

    private MachineJobOptions parse(String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--bootstrap-servers=here:9092",
                                "--input-topic=events",
                                "--key=json:/order",
                                "--event=json:/type",
                                "--machine=" + file));
        return MachineJobOptions.parse(with(arguments, more));
    }

    /** Returns the arguments with others in the place of those of the same name. */
    static List<String> with(List<String> arguments, String... others) {
        List<String> all = new ArrayList<>(arguments);
        for (String other : others) {
            String name = other.replaceAll("=.*", "");
            all.removeIf(each -> each.startsWith(name + "="));
        }
        all.addAll(List.of(others));
        return all;
    }

    private void assertRefused(String message, String... more) {
        assertThatThrownBy(() -> parse(more))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void theMachineIsThatOfTheFile() {
        MachineJobOptions options = parse();
        assertThat(options.definition().states())
                .containsExactly("ordered", "paid", "none", "shipped");
        // What is read ahead is remembered for longer, so the shortest time says how far.
        assertThat(options.window()).isEqualTo(Duration.ofMinutes(30));
        assertThat(options.operatorOptions().get(MachineOptions.MAX_FUTURE))
                .isEqualTo(Duration.ofDays(7));
        assertThat(options.outputTopics().values())
                .containsExactly("machines", "machines-alerts", "machines-dead-letters");
        assertThat(options.emit).containsExactly(Kind.OUTPUT, Kind.FINISHED, Kind.OPEN);
        assertThat(options.alert).containsExactly(Kind.ILLEGAL, Kind.TIMED_OUT);
    }

    @Test
    void aMistakeInTheFileIsNamedWithItsLine() throws IOException {
        Files.writeString(file, ORDERS.replace("to: paid", "to: payed"));
        assertRefused(file + ", line 10: machine 'orders': state 'payed' is not declared");
        Files.delete(file);
        assertRefused("--machine " + file + " cannot be read");
    }

    @Test
    void whatIsMissingIsNamed() {
        String broker = "--bootstrap-servers=here:9092";
        assertThatThrownBy(() -> MachineJobOptions.parse(broker, "--event=key", "--machine=m"))
                .hasMessageContaining("give either --input-topic TOPIC or");
        assertThatThrownBy(() -> MachineJobOptions.parse(broker, "--input-topic=t"))
                .hasMessageContaining("--event is missing");
        assertThatThrownBy(() -> MachineJobOptions.parse(broker, "--input-topic=t", "--event=key"))
                .hasMessageContaining("--machine is missing");
    }

    @Test
    void whatDoesNotApplyOrIsOutOfRangeIsRefusedByName() {
        assertRefused("--id has no effect", "--id=key");
        assertRefused("--on-unreadable forward has no effect", "--on-unreadable=forward");
        assertRefused("--tombstones has no effect but with drop", "--tombstones=forward");
        assertRefused("--time-zone has no effect with --time event", "--time-zone=UTC");
        assertRefused(
                "--late-topic has no effect with --time processing",
                "--time=processing",
                "--late-topic=late");
        assertRefused(
                "--max-future has no effect with --time processing",
                "--time=processing",
                "--max-future=1 h");
        assertRefused("--emit and --alert both have open", "--alert=open");
        assertRefused("'done' is not a kind of report", "--emit=done");
        assertRefused("--renamed a=b names a state that", "--renamed=a=b");
        assertRefused(
                "--renamed ordered=paid names a successor of a state that the machine still has",
                "--renamed=ordered=paid");
        assertRefused("--slices", "--slices=17");
        assertRefused("--key: 'order' is not a field", "--key=order");
        assertRefused("--event: 'type' is not a field", "--event=type");
        assertRefused("a field in Avro needs --schema-registry", "--event=avro:/type");
        assertRefused("--output-format avro needs --schema-registry", "--output-format=avro");
        assertRefused("'events' is used twice", "--alerts-topic=events");
    }

    private MachineJobOptions packets(String... more) {
        return MachineJobOptions.parse(
                with(
                        List.of(
                                "--bootstrap-servers=here:9092",
                                "--format=packets",
                                "--machine=" + file),
                        more));
    }

    @Test
    void machinesOfPacketsAreThoseOfConnections() {
        MachineJobOptions options = packets();
        assertThat(options.isPackets()).isTrue();
        assertThat(parse().isPackets()).isFalse();
        assertThat(options.inputTopics()).containsExactly("packets");
        assertThat(options.optionsOfTheState())
                .isEqualTo(
                        Map.of(
                                "--key",
                                "the connection of a packet",
                                "--event",
                                "the flags of a packet",
                                "--machine",
                                "orders"));
    }

    @Test
    void whatDoesNotApplyToPacketsIsRefusedByName() {
        for (String option :
                List.of(
                        "--key=json:/user",
                        "--event=json:/type",
                        "--id=key",
                        "--time=processing",
                        "--time-unit=s",
                        "--tombstones=drop",
                        "--schema-registry=http://here:1")) {
            assertThatThrownBy(() -> packets(option))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            option.replaceAll("=.*", "") + " has no effect on packets");
        }
        assertThatThrownBy(() -> packets("--late-topic=late"))
                .hasMessageContaining("--late-topic is for records of any kind");
        assertThatThrownBy(() -> packets("--output-format=avro"))
                .hasMessageContaining("--output-format avro is for records of any kind");
        assertThatThrownBy(() -> packets("--count-by=source"))
                .hasMessageContaining("--count-by has no effect");
        assertRefused("--count-by has no effect", "--count-by=source");
    }

    @Test
    void theStateIsThatOfKeyEventAndMachineAndNotOfAnId() {
        assertThat(parse("--key=header:a,key").optionsOfTheState())
                .containsAllEntriesOf(
                        Map.of(
                                "--key",
                                "header:a,key",
                                "--event",
                                "json:/type",
                                "--machine",
                                "orders",
                                "--time",
                                "event"))
                .doesNotContainKey("--id");
    }

    @Test
    void theOperatorIsWhatTheCommandLineSays() {
        MachineJobOptions options =
                parse("--store=kbf", "--bits-per-machine=64", "--slices=4", "--max-future=2 h");
        assertThat(options.operatorOptions().get(MachineOptions.STORE)).isEqualTo(StoreKind.KBF);
        assertThat(options.operatorOptions().get(MachineOptions.MAX_FUTURE))
                .isEqualTo(Duration.ofHours(2));
        assertThat(
                        parse("--error-probability=0.001")
                                .operatorOptions()
                                .get(MachineOptions.ERROR_PROBABILITY))
                .isEqualTo(0.001);
        assertThat(parse("--renamed=sent=shipped").renamed).isEqualTo(Map.of("sent", "shipped"));
    }

    @Test
    void helpNamesTheOptionsAndTheirDefaults() {
        String help = new CommandLine(new MachineJobOptions()).getUsageMessage();
        assertThat(help.replaceAll("\\s+", " "))
                .contains("--key=FIELD,...", "Default: key.")
                .contains("--machine=FILE", "'sluice machine check' explains it.")
                .contains("--emit=KIND,...", "Default: output,finished,open.")
                .contains("--alert=KIND,...", "Default: illegal,timed-out.")
                .contains("--store=KIND", "One of KBF, FINGERPRINTS, EXACT.");
    }
}
