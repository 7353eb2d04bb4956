/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.report.BenchReport;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What an exact store and a kBF find in every capture of a folder, compared with other tools: the
 * folder's {@code truth/truth.json} has a row per capture with the counts of tshark and, where they
 * differ, of a second reader, which then counts as right.
 */
final class CaptureTable {
    /** File names in a folder of captures. */
    static final String TRUTH = "truth/truth.json";

    /**
     * Names of the counts in the table of truth, and of the second reader's if it has the count.
     */
    private static final Map<String, String> COUNTS =
            Map.of(
                    "tcp_packets", "tcp",
                    "tuples_bidir", "bituples",
                    "syn_any", "syn",
                    "fin", "fin",
                    "rst", "rst",
                    "tuples_bidir_with_fin_and_rst", "");

    /** Here we look behind all headers, as tshark does. */
    private static final String MANY_HEADERS = "vlan-mpls/pcap_flow_lab_showcase.pcap";

    /** Which records this file yields depends on the decompressor. */
    private static final String CORRUPT_GZIP = "damaged/mawi7000.corrupt.pcap.gz";

    private CaptureTable() {}

    /**
     * One count of one capture.
     *
     * @param expected empty if the other tools disagree
     * @param approximate the kBF's count; the same as {@code exact} if no store is involved
     * @param allowed how far it may be off, from the kBF's predicted error
     */
    record Row(
            String file,
            String count,
            OptionalLong expected,
            long exact,
            long approximate,
            double allowed) {

        boolean exactAgrees() {
            return expected.isEmpty() || expected.getAsLong() == exact;
        }

        boolean approximateAgrees() {
            return Math.abs(approximate - exact) <= allowed;
        }
    }

    /** All rows of a folder. */
    static List<Row> rows(Path captures) throws IOException {
        List<Row> rows = new ArrayList<>();
        for (JsonNode truth : new ObjectMapper().readTree(captures.resolve(TRUTH).toFile())) {
            String file = truth.get("file").asText();
            String end = truth.get("end_of_file").asText();
            boolean isCapture = !end.equals("not-a-capture") && !end.equals("short-header");
            if (isCapture && !file.equals(CORRUPT_GZIP)) {
                addRows(rows, file, truth, FlowCensus.of(captures.resolve(file)));
            }
        }
        return rows;
    }

    private static void addRows(List<Row> rows, String file, JsonNode truth, FlowCensus census) {
        COUNTS.keySet().stream()
                .sorted()
                .forEach(
                        count ->
                                rows.add(
                                        new Row(
                                                file,
                                                count,
                                                expected(file, truth, count),
                                                census.exact(count),
                                                census.approximate(count),
                                                census.allowed(count))));
    }

    private static OptionalLong expected(String file, JsonNode truth, String count) {
        JsonNode disagreement = truth.get("second_reader_disagrees");
        JsonNode outer = truth.path("outer");
        if (!disagreement.isNull() && !file.equals(MANY_HEADERS)) {
            String second = COUNTS.get(count);
            if (second.isEmpty()) {
                return OptionalLong.empty();
            }
            if (disagreement.has(second)) {
                return OptionalLong.of(disagreement.get(second).get("second").asLong());
            }
        }
        return OptionalLong.of(outer.path(count).asLong());
    }

    static void run(BenchReport report, Path captures) throws IOException {
        report.progress("every capture of " + captures + ": expected and found");
        Table table = Table.of("file,count,expected,exact,kbf,kbf_allowed_error".split(","));
        int agreeing = 0;
        int within = 0;
        int compared = 0;
        List<Row> rows = rows(captures);
        for (Row row : rows) {
            table.add(
                    row.file,
                    row.count,
                    row.expected.isPresent() ? Long.toString(row.expected.getAsLong()) : "",
                    row.exact,
                    row.approximate,
                    row.allowed);
            compared += row.expected.isPresent() ? 1 : 0;
            agreeing += row.expected.isPresent() && row.exactAgrees() ? 1 : 0;
            within += row.approximateAgrees() ? 1 : 0;
            if (!row.exactAgrees() || !row.approximateAgrees()) {
                report.progress("    differs: " + row);
            }
        }
        report.table("flows_captures.csv", table);
        report.check(
                "flows.captures.exact",
                agreeing == compared && compared > 0,
                agreeing
                        + " of "
                        + compared
                        + " counts of "
                        + rows.stream().map(Row::file).distinct().count()
                        + " captures are those of other tools");
        report.check(
                "flows.captures.kbf",
                within == rows.size() && !rows.isEmpty(),
                within + " of " + rows.size() + " are within the predicted error");
    }
}
