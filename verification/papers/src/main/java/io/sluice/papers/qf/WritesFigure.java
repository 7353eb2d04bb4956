/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.qf;

import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;

/** How often a key is written, and how many levels a lookup asks. */
public record WritesFigure(int item) implements PaperFigure {

    @Override
    public Table table(Run run) throws IOException {
        Table table = Table.of("buffers", "writes", "formula", "mean levels");
        Agreement agreement = new Agreement();
        Table theirs = run.reference("cf_levels_write_amp.csv");
        for (int buffers : new int[] {4, 16, 64, 256, 1024, 4096}) {
            double[] paper = paper(buffers);
            double formula = 1 + Math.log(buffers) / Math.log(2) / 2;
            table.add(buffers, paper[0], formula, paper[1]);
            int row = theirs.row("policy", "binaryCounterCOLA(paper)", "n_over_M", buffers);
            String at = buffers + " buffers";
            agreement.formula(at, paper[0], theirs.number(row, "write_amp_mc"));
            agreement.formula(
                    at, paper[1], theirs.number(row, "avg_nonempty_QFs(=neg_lookup_page_reads)"));
        }
        table.finding(
                "The paper merges the buffer directly, so a key is written log2(buffers) / 2 + 1"
                    + " times. The cascade filter writes the buffer as a file of its own first,"
                    + " once more, so that additions never wait for a merge, and has policies with"
                    + " fewer files: [counted here](benchmarks/cascade-filter.md).");
        agreement.addTo(table, run);
        table.parameters("the paper's schedule, simulated for 4 to 4,096 buffers");
        return table;
    }

    /**
     * Writes a key, and mean levels that are not empty after a flush: a flush merges the buffer and
     * all levels below the first empty one into that.
     */
    private static double[] paper(int buffers) {
        double writes = 0;
        double levels = 0;
        for (int t = 1; t <= buffers; t++) {
            writes += Integer.lowestOneBit(t);
            levels += Integer.bitCount(t);
        }
        return new double[] {writes / buffers, levels / buffers};
    }
}
