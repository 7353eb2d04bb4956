/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class BrokerOptionsTest {
    @TempDir private Path folder;

    private static Brokers parse(String... arguments) {
        BrokerOptions options = new BrokerOptions();
        new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("b", mixin(options)))
                .parseArgs(arguments);
        return options.brokers();
    }

    private static CommandLine.Model.CommandSpec mixin(BrokerOptions options) {
        return CommandLine.Model.CommandSpec.forAnnotatedObject(options);
    }

    private String file(String... lines) throws IOException {
        Path file = folder.resolve("client.properties");
        Files.write(file, List.of(lines));
        return "--command-config=" + file;
    }

    @Test
    void theCommandLineGoesBeforeTheFileAndEachClientGetsWhatItKnows() throws IOException {
        Brokers brokers =
                parse(
                        "--bootstrap-servers=here:9092",
                        file(
                                "security.protocol=SASL_SSL ",
                                "fetch.min.bytes=7",
                                "client.dns.lookup=use_all_dns_ips",
                                "our.plugin=x"),
                        "--kafka-property=linger.ms=5",
                        "--kafka-property",
                        "client.dns.lookup=resolve_canonical_bootstrap_servers_only");

        assertThat(brokers.servers()).isEqualTo("here:9092");
        assertThat(brokers.consumer())
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("fetch.min.bytes", "7")
                .containsEntry("bootstrap.servers", "here:9092")
                .containsEntry("client.dns.lookup", "resolve_canonical_bootstrap_servers_only")
                .containsEntry("our.plugin", "x")
                .doesNotContainKey("linger.ms");
        assertThat(brokers.producer())
                .containsEntry("linger.ms", "5")
                .containsEntry("our.plugin", "x")
                .doesNotContainKey("fetch.min.bytes");
    }

    @Test
    void theFileMayNameTheBrokers() throws IOException {
        assertThat(parse(file("bootstrap.servers=there:9093")).servers()).isEqualTo("there:9093");
        assertThatIllegalArgumentException()
                .isThrownBy(BrokerOptionsTest::parse)
                .withMessageContaining("--bootstrap-servers");
    }

    @Test
    void whatTheCommandSetsItselfIsRefusedByName() throws IOException {
        String reserved = file("isolation.level=read_uncommitted");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--bootstrap-servers=b:1", reserved))
                .withMessageContaining("isolation.level")
                .withMessageContaining("client.properties");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                parse(
                                        "--bootstrap-servers=b:1",
                                        "--kafka-property=transactional.id=x"))
                .withMessageContaining("transactional.id")
                .withMessageContaining("--kafka-property");
    }

    @Test
    void aFileForKafkasToolsIsTakenAsItIs() throws IOException {
        Brokers brokers =
                parse(
                        "--bootstrap-servers=127.0.0.1:1",
                        file("acks=all", "enable.idempotence=true", "request.timeout.ms=20000"));
        brokers.admin(Duration.ofSeconds(1)).close(Duration.ZERO);
        assertThat(brokers.producer()).containsEntry("request.timeout.ms", "20000");
        String weaker = file("acks=1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--bootstrap-servers=b:1", weaker))
                .withMessageContaining("acks");
    }

    @Test
    void aFileThatIsMissingOrDamagedIsNamedAndNotQuoted() throws IOException {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--bootstrap-servers=b:1", "--command-config=/no/where"))
                .withMessageContaining("/no/where")
                .withMessageContaining("--command-config");
        String damaged = file("sasl.jaas.config=secret\\u00zz");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--bootstrap-servers=b:1", damaged))
                .withMessageContaining("client.properties")
                .withMessageNotContaining("secret");
    }

    @Test
    void noSecretIsPrinted() {
        Brokers brokers =
                parse("--bootstrap-servers=b:1", "--kafka-property=sasl.jaas.config=hunter2");
        assertThat(brokers).hasToString("b:1");
    }

    private static Brokers parseOutput(Brokers input, String... arguments) {
        OutputBrokerOptions options = new OutputBrokerOptions();
        new CommandLine(options).parseArgs(arguments);
        return options.brokers(input);
    }

    @Test
    void theOutputIsOnTheBrokersOfTheInputUnlessOthersAreNamedWhichGetNoneOfTheirProperties()
            throws IOException {
        Brokers input =
                parse("--bootstrap-servers=here:9092", "--kafka-property=sasl.mechanism=PLAIN");
        assertThat(parseOutput(input)).isSameAs(input);

        Brokers output =
                parseOutput(
                        input,
                        "--output-bootstrap-servers=there:9092",
                        file("linger.ms=7", "security.protocol=SSL")
                                .replace("--command", "--output-command"),
                        "--output-kafka-property=linger.ms=8");
        assertThat(output.servers()).isEqualTo("there:9092");
        assertThat(output.producer())
                .containsEntry("linger.ms", "8")
                .containsEntry("security.protocol", "SSL")
                .doesNotContainKey("sasl.mechanism");
        assertThat(input.producer()).doesNotContainKey("security.protocol");
    }

    @Test
    void whatIsWrongWithTheBrokersOfTheOutputIsToldByItsOption() {
        Brokers input = parse("--bootstrap-servers=here:9092");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parseOutput(input, "--output-kafka-property=linger.ms=8"))
                .withMessageContaining(
                        "give --output-bootstrap-servers HOST:PORT, or bootstrap.servers in"
                                + " --output-command-config");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parseOutput(input, "--output-kafka-property=acks=1"))
                .withMessageContaining("--output-kafka-property sets acks");
    }
}
