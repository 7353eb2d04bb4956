/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.ccf;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.CuckooSizing;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;

/** Figure 5 (a) and (b): elements whose fingerprint another element of their buckets has. */
public record CollidedFigure(int item) implements PaperFigure {

    @Override
    public Table table(Run run) throws IOException {
        Table table = Table.of("buckets", "f", "merged", "by formula", "involved");
        Agreement agreement = new Agreement();
        for (int f : new int[] {8, 12, 16}) {
            for (int buckets = 256; buckets <= run.size(131_072, 16_384); buckets *= 4) {
                point(run, table, agreement, buckets, f);
            }
        }
        for (int f = 5; f <= 20; f += 3) {
            point(run, table, agreement, Filling.BUCKETS, f);
        }
        table.plot("f", "buckets", true, "involved");
        table.finding(
                "Equations 5 and 6 count the elements that are involved in a collision; half as"
                        + " many are merged into another one's slot.");
        agreement.addTo(table, run);
        table.parameters(
                "3.906 elements a bucket: f = 8, 12 and 16 over buckets, and 16,384 buckets over"
                        + " f");
        return table;
    }

    private static void point(Run run, Table table, Agreement agreement, int buckets, int f)
            throws IOException {
        Table theirs = run.reference("ccf_collided.csv");
        int elements = buckets * 125 / 32;
        int runs = Math.max(1, Math.min(16, run.size(512_000, 64_000) / elements));
        double merged = 0;
        double involved = 0;
        for (int i = 0; i < runs; i++) {
            Filling filling = new Filling(buckets, f, elements, true, run.random(97L * f + i));
            merged += (elements - filling.refused - (double) filling.filter.occupied()) / runs;
            for (long element : filling.elements) {
                involved += filling.filter.count(element) > 1 ? 1.0 / runs : 0;
            }
        }
        double formula = CuckooSizing.mergedElements(new CuckooShape(f, 4, buckets), elements);
        table.add(buckets, f, merged, formula, involved);
        int row = theirs.row("buckets", buckets, "f", f);
        String at = "m=" + buckets + " f=" + f;
        double deviation = Math.sqrt(Math.max(1, formula) * (1 + 1.0 / runs));
        agreement.near(at, merged, theirs.number(row, "merged_into_existing(mc)"), deviation);
        // They come in pairs.
        agreement.near(at, involved, theirs.number(row, "elements_involved(mc)"), 2 * deviation);
    }
}
