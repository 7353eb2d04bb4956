/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.flows.CaptureTable.Row;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.DataFolder;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CaptureTableTest extends ReportTestCase {
    private static final int FLOWS = 200;

    /** Includes damaged captures, which are counted up to the damage. */
    @Test
    void realCapturesHoldTheFlowsThatOtherToolsFound() throws IOException {
        Optional<Path> captures = captures();
        assumeThat(captures).as("no real captures: set SLUICE_CAPTURES").isPresent();

        List<Row> rows = CaptureTable.rows(captures.orElseThrow());

        assertThat(rows.stream().map(Row::file).distinct().count()).isGreaterThan(150);
        assertThat(rows).filteredOn(row -> row.expected().isPresent()).hasSizeGreaterThan(900);
        assertThat(rows).filteredOn(row -> !row.exactAgrees()).isEmpty();
        assertThat(rows).filteredOn(row -> !row.approximateAgrees()).isEmpty();
    }

    private static Optional<Path> captures() {
        Optional<Path> beside =
                DataFolder.find(null, "SLUICE_CAPTURES", "pcap", CaptureTable.TRUTH);
        Path besideParent = Path.of("../../../shared/data/pcap");
        return beside.isPresent() || !Files.isReadable(besideParent.resolve(CaptureTable.TRUTH))
                ? beside
                : Optional.of(besideParent);
    }

    /** A wrong table must be noticed: a comparison that cannot fail is meaningless. */
    @Test
    void aTableThatDisagreesIsNoticed() throws IOException {
        Path capture = directory.resolve("made.pcap");
        PacketTrace.generate(capture, FLOWS, SEED);
        PacketTrace trace = PacketTrace.read(capture);
        Files.createDirectories(directory.resolve("truth"));
        for (int more : new int[] {0, 1}) {
            Files.writeString(
                    directory.resolve(CaptureTable.TRUTH),
                    truth(capture, trace, trace.flows() + more));
            BenchReport report = report("flows");
            CaptureTable.run(report, directory);
            assertThat(report.ok()).as("%d more, seed %d", more, SEED).isEqualTo(more == 0);
            assertThat(
                            Table.parse(Files.readAllLines(directory.resolve("flows_captures.csv")))
                                    .size())
                    .isEqualTo(6);
        }
    }

    private static String truth(Path capture, PacketTrace trace, int flows) throws IOException {
        FlowCensus census = FlowCensus.of(capture);
        return String.format(
                """
                [{"file": "made.pcap", "end_of_file": "clean", "second_reader_disagrees": null,
                  "outer": {"tcp_packets": %d, "tuples_bidir": %d, "syn_any": %d, "fin": %d,
                  "rst": %d, "tuples_bidir_with_fin_and_rst": %d}}]
                """,
                trace.packets(),
                flows,
                census.exact("syn_any"),
                census.exact("fin"),
                census.exact("rst"),
                trace.finAndRst());
    }
}
