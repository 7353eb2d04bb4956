/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.CaptureReader;
import io.sluice.capture.CaptureTally;
import io.sluice.capture.traffic.TrafficTruth;
import io.sluice.capture.traffic.TrafficTruthFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class GenerateCommandTest {
    @TempDir private Path folder;

    private record Run(int exit, String out, String errors) {}

    @Test
    void flowsComeWithTheirTruthAndTheirList() throws IOException {
        Path capture = folder.resolve("traffic.pcap.gz");
        Path truthFile = folder.resolve("traffic.json");
        Path list = folder.resolve("flows.csv.gz");

        Run run =
                generate(
                        capture.toString(),
                        "--model=flows",
                        "--flows=500",
                        "--half-seen=0.5",
                        "--scans=1",
                        "--probes=50",
                        "--seed=9",
                        "--truth=" + truthFile,
                        "--flow-list=" + list);

        assertThat(run.exit()).as(run.errors()).isZero();
        TrafficTruth truth = TrafficTruthFile.read(truthFile);
        assertThat(truth.options().seed()).isEqualTo(9);
        assertThat(truth.options().view().halfSeenShare()).isEqualTo(0.5);
        assertThat(truth.scans()).singleElement().extracting("flows").isEqualTo(50L);
        assertThat(run.out()).contains(truth.packets().total() + " packets");
        assertThat(read(capture).packets()).isEqualTo(truth.packets().total());
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(list))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.US_ASCII))
                    .hasLineCount((int) truth.flows().total() + 1);
        }
    }

    @Test
    void packetsAreExactlyAsMany() throws IOException {
        Path capture = folder.resolve("trace.pcap");

        Run run = generate(capture.toString(), "--packets=1234");

        assertThat(run.exit()).as(run.errors()).isZero();
        assertThat(read(capture).packets()).isEqualTo(1234);
    }

    @Test
    void optionsOfTheOtherModelAreRefused() {
        String capture = folder.resolve("trace.pcap").toString();

        assertRefused(generate(capture, "--scans=1"), "--model flows");
        assertRefused(generate(capture, "--model=flows", "--packets=5"), "--flows");
        assertRefused(generate(capture, "--model=flows", "--loss=2"), "--loss must be in");
        assertRefused(generate(capture, "--model=hosts"), "--model");
        assertRefused(generate(capture, "--model=flows", "--truth=" + folder + "/no/truth"), "no");
        assertThat(folder).isEmptyDirectory();
    }

    private static CaptureTally read(Path capture) throws IOException {
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next()) {
                assertThat(reader.packet().isIp()).isTrue();
            }
            assertThat(reader.end().isClean()).isTrue();
            return reader.tally();
        }
    }

    private static void assertRefused(Run run, String part) {
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.errors()).startsWith("sluice: ").contains(part).hasLineCount(1);
    }

    private static Run generate(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter errors = new StringWriter();
        int exit =
                new CommandLine(new GenerateCommand())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(errors))
                        .setParameterExceptionHandler(Failures::onUsage)
                        .setExecutionExceptionHandler(Failures::onExecution)
                        .execute(arguments);
        return new Run(exit, out.toString().replace(",", ""), errors.toString());
    }
}
