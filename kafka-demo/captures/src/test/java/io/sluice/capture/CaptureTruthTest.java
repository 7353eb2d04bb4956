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
 * Compares every capture in a folder of real ones with its table of truth, which was computed with
 * tshark and, independently, with a second reader. If they disagree, the second reader counts: its
 * differences are explained beside the table.
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
                    "fin_and_rst",
                    "tuples_dir_with_rst",
                    "tuples_dir_with_fin",
                    "tuples_dir_with_fin_and_rst",
                    "tuples_bidir_with_rst",
                    "tuples_bidir_with_fin",
                    "tuples_bidir_with_fin_and_rst");

    /** Names of the second reader for what both readers count. */
    private static final Map<String, String> SECOND_NAMES =
            Map.ofEntries(
                    Map.entry("packets", "packets"),
                    Map.entry("tcp_packets", "tcp"),
                    Map.entry("tuples_dir", "tuples"),
                    Map.entry("tuples_bidir", "bituples"),
                    Map.entry("pairs_dir", "pairs"),
                    Map.entry("syn_any", "syn"),
                    Map.entry("synack", "synack"),
                    Map.entry("fin", "fin"),
                    Map.entry("rst", "rst"),
                    Map.entry("fin_and_rst", "finrst"),
                    Map.entry("tuples_dir_with_fin", "finflows"),
                    Map.entry("tuples_dir_with_rst", "rstflows"));

    /** Captures that the second reader did not count: there is only tshark's unreliable number. */
    private static final Set<String> ONLY_TSHARK =
            Set.of(
                    "syn_only",
                    "pairs_bidir",
                    "tuples_dir_with_fin_and_rst",
                    "tuples_bidir_with_rst",
                    "tuples_bidir_with_fin",
                    "tuples_bidir_with_fin_and_rst");

    /** How many records this file yields depends on the decompressor. */
    private static final String CORRUPT_GZIP = "damaged/mawi7000.corrupt.pcap.gz";

    private static final long CORRUPT_GZIP_MOST_PACKETS = 1719;

    /** Like the second reader we skip the packet of an unknown interface; tshark stops there. */
    private static final String UNKNOWN_INTERFACE = "damaged/mawi7000.unknown-interface.pcapng";

    /** Like tshark we look behind LLC, MAC-in-MAC and authentication headers. */
    private static final String MANY_HEADERS = "vlan-mpls/pcap_flow_lab_showcase.pcap";

    /** Wireless frames: tshark knows them. */
    private static final String WIRELESS = "link-other/unsupported_radiotap_80211http.pcap";

    /** Tunnels of protocols that we look into. */
    private static final List<String> TUNNELS =
            List.of(
                    "derived/mawi7000.ipip.pcap",
                    "tunnels/4in6.pcap",
                    "tunnels/6in6in6.pcap",
                    "tunnels/geneve-47101.pcap",
                    "tunnels/gre-sample.pcap",
                    "tunnels/tunnel-direct-bypass.pcap",
                    "tunnels/vxlan-encapsulated-http.pcap",
                    MANY_HEADERS);

    @TestFactory
    List<DynamicTest> everyCaptureCountsAsTheTableSays() throws IOException {
        Path directory = Captures.directory();
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode row : table(directory)) {
            String name = row.get("file").asText();
            tests.add(DynamicTest.dynamicTest(name, () -> check(directory.resolve(name), row)));
        }
        assertThat(tests).isNotEmpty();
        return tests;
    }

    private static JsonNode table(Path directory) throws IOException {
        return new ObjectMapper().readTree(directory.resolve("truth/truth.json").toFile());
    }

    private static void check(Path file, JsonNode row) throws IOException {
        String name = row.get("file").asText();
        String endOfFile = row.get("end_of_file").asText();
        if (name.equals(CORRUPT_GZIP)) {
            checkCorruptGzip(file);
        } else if (endOfFile.equals("not-a-capture") || endOfFile.equals("short-header")) {
            assertThatThrownBy(() -> CaptureCounts.of(file))
                    .isInstanceOf(CaptureException.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("at offset 0");
        } else {
            checkCounts(file, row, endOfFile);
        }
    }

    private static void checkCounts(Path file, JsonNode row, String endOfFile) throws IOException {
        CaptureCounts counts = CaptureCounts.of(file);
        SoftAssertions softly = new SoftAssertions();
        softly.assertThat(describe(counts.end())).as("end").isEqualTo(expectedEnd(endOfFile));
        softly.assertThat(counts.end().packets()).isEqualTo(counts.get("packets"));
        softly.assertThat(counts.tally().packets()).isEqualTo(counts.get("packets"));
        softly.assertThat(counts.tally().lostRecords())
                .as("lost records")
                .isEqualTo(file.endsWith(UNKNOWN_INTERFACE) ? 1 : 0);
        softly.assertThat(counts.tally().count(PacketKind.UNKNOWN_LINK))
                .as("packets of unknown links")
                .isEqualTo(file.endsWith(WIRELESS) ? counts.get("packets") : 0);
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
        boolean followSecond = !row.get("file").asText().equals(MANY_HEADERS);
        if (!disagreement.isNull() && followSecond) {
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

    @TestFactory
    List<DynamicTest> insideOfTunnelsIsCountedAsTheTableSays() throws IOException {
        Path directory = Captures.directory();
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode row : table(directory)) {
            String name = row.get("file").asText();
            if (TUNNELS.contains(name)) {
                tests.add(DynamicTest.dynamicTest(name, () -> checkInside(directory, name, row)));
            }
        }
        assertThat(tests).hasSameSizeAs(TUNNELS);
        return tests;
    }

    private static void checkInside(Path directory, String name, JsonNode row) throws IOException {
        CaptureCounts counts =
                CaptureCounts.of(CaptureSet.of(List.of(directory.resolve(name)), List.of(), true));
        JsonNode inside = row.hasNonNull("inner") ? row.get("inner") : row.get("outer");
        SoftAssertions softly = new SoftAssertions();
        for (String count : COUNTS) {
            long expected = inside == null ? 0 : inside.path(count).asLong();
            softly.assertThat(counts.get(count)).as(count).isEqualTo(expected);
        }
        softly.assertAll();
    }

    /** Two flows of it are in AYIYA, whose only provider ended in 2017. */
    @Test
    void aMixOfTunnelsIsCountedButForTheOneNotLookedInto() throws IOException {
        Path file = Captures.directory().resolve("tunnels/Tunnels.pcap");

        CaptureCounts counts = CaptureCounts.of(CaptureSet.of(List.of(file), List.of(), true));

        assertThat(counts.get("tcp_packets")).isEqualTo(345 - 21);
        assertThat(counts.get("tuples_bidir")).isEqualTo(17 - 1);
    }

    @Test
    void bothDirectionsTogetherCountAsTheTableSays() throws IOException {
        Path folder = Captures.directory().resolve("caida-like");
        List<Path> captures = new ArrayList<>();
        List<Path> times = new ArrayList<>();
        for (String direction : List.of("dirA", "dirB")) {
            String stem = "caida-like-a." + direction + ".20180315-130000.UTC.anon";
            captures.add(folder.resolve(stem + ".pcap.gz"));
            times.add(folder.resolve(stem + ".times.gz"));
        }
        JsonNode row =
                new ObjectMapper()
                        .readTree(
                                folder.resolveSibling("truth/caida-like-dirA+dirB.json").toFile());

        CaptureCounts counts = CaptureCounts.of(CaptureSet.of(captures, times, false));

        SoftAssertions softly = new SoftAssertions();
        softly.assertThat(counts.isOrdered()).as("in order of time").isTrue();
        softly.assertThat(counts.end().isClean()).isTrue();
        softly.assertThat(counts.tally().refusedTimes()).isZero();
        softly.assertThat(counts.get("packets")).isEqualTo(row.get("packets").asLong());
        softly.assertThat(counts.get("wire_bytes")).isEqualTo(row.get("wire_bytes").asLong());
        // The table was made without the files of times.
        softly.assertThat(counts.firstNanos() / 1000).isEqualTo(nanos(row.get("first_ts")) / 1000);
        softly.assertThat(counts.lastNanos() / 1000).isEqualTo(nanos(row.get("last_ts")) / 1000);
        for (String count : COUNTS) {
            softly.assertThat(counts.get(count))
                    .as(count)
                    .isEqualTo(row.get("outer").get(count).asLong());
        }
        softly.assertAll();
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
