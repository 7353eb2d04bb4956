/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.ccf;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;

/** The paper's table of occupancies: 4,000 elements for 1,024 buckets, doubled again and again. */
public record OccupancyTable(int item) implements PaperFigure {

    @Override
    public Table table(Run run) throws IOException {
        Table table = Table.of("buckets", "f", "mode", "occupancy", "builds with a refusal");
        Agreement agreement = new Agreement();
        int most = run.size(2_048, 64) * 1024;
        for (int f : new int[] {8, 10, 12, 16}) {
            for (boolean merge : new boolean[] {true, false}) {
                for (int buckets = 1024; buckets <= most; buckets *= 4) {
                    point(run, table, agreement, buckets, f, merge);
                }
            }
        }
        table.plot("buckets", "f", false, "occupancy");
        table.finding(
                "The paper's table reads 0.9639 to 0.9700 where every element with a slot would"
                        + " give 0.9766: that is what merging leaves with fingerprints of about 9"
                        + " bits, while its accuracies are those of a slot for each element.");
        agreement.addTo(table, run);
        table.parameters(
                "4 slots a bucket, 3.906 elements a bucket, f = 8, 10, 12 and 16, with a slot for"
                        + " each element and with equal fingerprints merged");
        return table;
    }

    private static void point(
            Run run, Table table, Agreement agreement, int buckets, int f, boolean merge)
            throws IOException {
        Table theirs = run.reference("ccf_occupancy.csv");
        int elements = buckets / 1024 * 4000;
        int runs = Math.max(1, Math.min(20, run.size(256_000, 64_000) / elements));
        double slots = CuckooShape.SLOTS * (double) buckets;
        double lacking = 0;
        int failed = 0;
        for (int i = 0; i < runs; i++) {
            Filling filling = new Filling(buckets, f, elements, merge, run.random(94L * f + i));
            lacking += (slots - filling.filter.occupied()) / runs;
            failed += filling.refused > 0 ? 1 : 0;
        }
        String mode = merge ? "merge" : "slotPerElement";
        table.add(buckets, f, mode, 1 - lacking / slots, failed + " of " + runs);
        int row = theirs.row("buckets", buckets, "f", f, "mode", mode);
        // Its elements are numbers of 32 bits, of which some are equal.
        double equal = merge ? (double) elements * elements / 2 / (1L << 32) : 0;
        double their = (1 - theirs.number(row, "occupancy_mean")) * slots - equal;
        double spread =
                Math.max(
                        Math.pow(theirs.number(row, "occupancy_sd") * slots, 2),
                        theirs.number(row, "merged_mean"));
        double deviation =
                Math.sqrt(spread * (1.0 / runs + 1 / theirs.number(row, "runs"))) + 5e-6 * slots;
        String at = mode + " f=" + f + " m=" + buckets;
        if (failed == 0 && theirs.number(row, "insert_fail_runs") == 0) {
            agreement.near(at, lacking, their, deviation + 0.5);
        } else {
            // The search for room is exhaustive here: it refuses less often.
            agreement.atMost(at, lacking, their, deviation + 0.5);
        }
    }
}
