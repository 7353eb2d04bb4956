/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Compares every capture of a folder of real ones with its table of truth, which was computed with
 * tshark and, independently, with a second reader. Where both disagree, the second reader is
 * followed: its differences are explained beside the table.
 */
class CaptureTruthTest {
    private static final List<String> COUNTS =
            List.of(
                    "tcp_packets",
                    "pairs_dir",
                    "pairs_bidir",
                    "tuples_dir",
                    "tuples_bidir",
                    "syn_any",
                    "syn_only",
                    "synack",
                    "fin",
                    "rst",
                    "fin_and_rst");

    /** Names of the second reader for what both readers count. */
    private static final Map<String, String> SECOND_NAMES =
            Map.of(
                    "packets", "packets",
                    "tcp_packets", "tcp",
                    "tuples_dir", "tuples",
                    "tuples_bidir", "bituples",
                    "pairs_dir", "pairs",
                    "syn_any", "syn",
                    "synack", "synack",
                    "fin", "fin",
                    "rst", "rst",
                    "fin_and_rst", "finrst");

    /** What the second reader did not count, so that only tshark's number is there, unreliable. */
    private static final Set<String> ONLY_TSHARK = Set.of("syn_only", "pairs_bidir");

    /** Where the records end that come out of this file depends on the decompressor. */
    private static final String CORRUPT_GZIP = "damaged/mawi7000.corrupt.pcap.gz";

    private static final long CORRUPT_GZIP_MOST_PACKETS = 1719;

    /** The second reader skips the packet of an unknown interface; we stop there, like tshark. */
    private static final String UNKNOWN_INTERFACE = "damaged/mawi7000.unknown-interface.pcapng";

    private static final long UNKNOWN_INTERFACE_PACKETS = 8;

    @TestFactory
    List<DynamicTest> everyCaptureCountsAsTheTableSays() throws IOException {
        Path directory = Captures.directory();
        JsonNode table =
                new ObjectMapper().readTree(directory.resolve("truth/truth.json").toFile());
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode row : table) {
            String name = row.get("file").asText();
            tests.add(DynamicTest.dynamicTest(name, () -> check(directory.resolve(name), row)));
        }
        assertThat(tests).isNotEmpty();
        return tests;
    }

    private static void check(Path file, JsonNode row) throws IOException {
        String name = row.get("file").asText();
        String endOfFile = row.get("end_of_file").asText();
        if (name.equals(CORRUPT_GZIP)) {
            checkCorruptGzip(file);
        } else if (name.equals(UNKNOWN_INTERFACE)) {
            checkUnknownInterface(file);
        } else if (endOfFile.equals("not-a-capture") || endOfFile.equals("short-header")) {
            assertThatThrownBy(() -> CaptureCounts.of(file))
                    .isInstanceOf(CaptureException.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("at offset 0");
        } else if (!isReadable(row)) {
            assertThatThrownBy(() -> CaptureCounts.of(file))
                    .isInstanceOf(CaptureException.class)
                    .hasMessageContaining("link type " + row.get("linktypes").get(0).asText());
        } else {
            checkCounts(file, row, endOfFile);
        }
    }

    private static boolean isReadable(JsonNode row) {
        return row.get("format").asText().equals("pcapng")
                || LinkType.isReadable(row.get("linktypes").get(0).asInt());
    }

    private static void checkCounts(Path file, JsonNode row, String endOfFile) throws IOException {
        CaptureCounts counts = CaptureCounts.of(file);
        SoftAssertions softly = new SoftAssertions();
        softly.assertThat(describe(counts.end())).as("end").isEqualTo(expectedEnd(endOfFile));
        softly.assertThat(counts.end().packets()).isEqualTo(counts.get("packets"));
        checkCount(softly, counts, row, row, "packets");
        for (String name : COUNTS) {
            checkCount(softly, counts, row, row.get("outer"), name);
        }
        if (row.get("second_reader_disagrees").isNull()) {
            for (String name : List.of("captured_bytes", "wire_bytes")) {
                softly.assertThat(counts.get(name)).as(name).isEqualTo(row.path(name).asLong());
            }
            if (row.path("time_ordered").asText().equals("True") && counts.get("packets") > 0) {
                softly.assertThat(counts.firstNanos())
                        .as("first timestamp")
                        .isEqualTo(nanos(row.get("first_ts")));
                softly.assertThat(counts.lastNanos())
                        .as("last timestamp")
                        .isEqualTo(nanos(row.get("last_ts")));
            }
        }
        softly.assertAll();
    }

    private static void checkCount(
            SoftAssertions softly,
            CaptureCounts counts,
            JsonNode row,
            JsonNode place,
            String name) {
        JsonNode disagreement = row.get("second_reader_disagrees");
        long expected = place == null ? 0 : place.path(name).asLong();
        if (!disagreement.isNull()) {
            if (ONLY_TSHARK.contains(name)) {
                return;
            }
            JsonNode second = disagreement.get(SECOND_NAMES.get(name));
            expected = second == null ? expected : second.get("second").asLong();
        }
        softly.assertThat(counts.get(name)).as(name).isEqualTo(expected);
    }

    private static long nanos(JsonNode seconds) {
        return new BigDecimal(seconds.asText()).movePointRight(9).longValueExact();
    }

    private static String describe(CaptureEnd end) {
        return switch (end.kind()) {
            case CLEAN -> "clean";
            case CUT -> "cut";
            case DAMAGED -> "damaged@" + end.offset();
        };
    }

    private static String expectedEnd(String endOfFile) {
        if (endOfFile.startsWith("cut-")) {
            return "cut";
        }
        if (endOfFile.startsWith("bad-")) {
            return "damaged" + endOfFile.substring(endOfFile.indexOf('@'));
        }
        return endOfFile;
    }

    private static void checkCorruptGzip(Path file) throws IOException {
        CaptureCounts counts = CaptureCounts.of(file);
        assertThat(counts.end().kind()).isEqualTo(CaptureEnd.Kind.DAMAGED);
        assertThat(counts.get("packets")).isBetween(1L, CORRUPT_GZIP_MOST_PACKETS);
    }

    private static void checkUnknownInterface(Path file) throws IOException {
        CaptureCounts counts = CaptureCounts.of(file);
        assertThat(counts.end().kind()).isEqualTo(CaptureEnd.Kind.DAMAGED);
        assertThat(counts.end().message()).contains("interface 5");
        assertThat(counts.get("packets")).isEqualTo(UNKNOWN_INTERFACE_PACKETS);
    }

    @Test
    void timesBesideACaptureAgreeWithItsOwnToTheMicrosecond() throws IOException {
        Path folder = Captures.directory().resolve("caida-like");
        String name = "caida-like-a.dirA.20180315-130000.UTC.anon";
        Path capture = folder.resolve(name + ".pcap.gz");
        long packets = 0;
        try (CaptureReader plain = CaptureReader.open(capture);
                CaptureReader timed =
                        CaptureReader.open(capture, folder.resolve(name + ".times.gz"))) {
            while (plain.next()) {
                assertThat(timed.next()).isTrue();
                long nanos = timed.packet().timestampNanos();
                assertThat(nanos / 1000).isEqualTo(plain.packet().timestampNanos() / 1000);
                packets++;
            }
            assertThat(timed.next()).isFalse();
        }
        assertThat(packets).isEqualTo(177_416);
    }
}
