/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.CaptureCounts;
import io.sluice.capture.CaptureReader;
import io.sluice.capture.ClassicRecords;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrafficTruthFileTest {
    /** Looks like UTF-32, and has no character. */
    private static final String NO_TEXT = "\0\0\0:\1\0\0\0";

    @TempDir private Path folder;

    @Test
    void theGoldenCaptureIsReadAsItsTruthSays() throws Exception {
        TrafficTruth truth = TrafficTruthFile.read(golden("v1.json"));

        assertThat(truth.options()).isEqualTo(GoldenTraffic.OPTIONS);
        TrafficGeneratorTest.assertAgrees(CaptureCounts.of(golden("v1.pcap")), truth);
    }

    @Test
    void theGoldenCaptureIsMadeAgainByteByByte() throws Exception {
        Path capture = folder.resolve("capture.pcap");
        Path flows = folder.resolve("flows.csv");

        TrafficTruth truth = TrafficTruthFile.writeWithFlows(GoldenTraffic.OPTIONS, capture, flows);

        assertThat(capture).hasSameBinaryContentAs(golden("v1.pcap"));
        assertThat(flows).hasSameBinaryContentAs(golden("v1-flows.csv"));
        assertThat(truth).isEqualTo(TrafficTruthFile.read(golden("v1.json")));
    }

    @Test
    void everyPrefixOfTheGoldenCaptureGivesItsWholePackets() throws Exception {
        byte[] whole = Files.readAllBytes(golden("v1.pcap"));
        long least = 0;

        for (int length = ClassicRecords.FILE_HEADER_BYTES; length < whole.length; length++) {
            try (CaptureReader reader = LoadGeneratorTest.open(Arrays.copyOf(whole, length))) {
                long packets = 0;
                while (reader.next()) {
                    packets++;
                }
                assertThat(packets).isBetween(least, least + 1);
                assertThat(reader.end().isClean()).isEqualTo(reader.end().offset() == length);
                least = packets;
            }
        }
        assertThat(least).isEqualTo(TrafficTruthFile.read(golden("v1.json")).packets().total() - 1);
    }

    @Test
    void theListOfFlowsMayBeCompressed() throws Exception {
        Path flows = folder.resolve("flows.csv.gz");

        TrafficTruth truth =
                TrafficTruthFile.writeWithFlows(
                        GoldenTraffic.OPTIONS, folder.resolve("capture.pcap"), flows);

        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(flows))) {
            String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(text).isEqualTo(Files.readString(golden("v1-flows.csv")));
            assertThat(text.lines()).hasSize((int) truth.flows().total() + 1);
        }
    }

    @Test
    void whatIsNoTruthIsRefused() throws Exception {
        String whole = Files.readString(golden("v1.json"));
        Path file = folder.resolve("truth.json");
        for (String wrong :
                List.of(
                        "",
                        "null",
                        NO_TEXT,
                        "{}",
                        whole.substring(0, whole.length() / 2),
                        whole.replace("sluice-traffic", "other"),
                        whole.replace("\"version\" : 1", "\"version\" : 2"),
                        whole.replace("\"lossShare\" : 0.05", "\"lossShare\" : 5"),
                        whole.replace("PT20S", "soon"),
                        whole.replace("\"total\"", "\"sum\""))) {
            assertThat(wrong).isNotEqualTo(whole);
            Files.writeString(file, wrong);
            assertThatThrownBy(() -> TrafficTruthFile.read(file))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file.toString());
        }
        assertThatThrownBy(() -> TrafficTruthFile.read(folder.resolve("missing")))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aFolderThatIsNotThereLeavesNothing() throws IOException {
        Path missing = folder.resolve("missing").resolve("capture.pcap");
        Path flows = folder.resolve("flows.csv");

        assertThatThrownBy(
                        () ->
                                TrafficTruthFile.writeWithFlows(
                                        GoldenTraffic.OPTIONS, missing, flows))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("capture.pcap: cannot be written");
        try (var files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    private static Path golden(String name) throws URISyntaxException {
        return Path.of(TrafficTruthFileTest.class.getResource("/golden/traffic/" + name).toURI());
    }
}
