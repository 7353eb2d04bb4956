/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.qf;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeStatistics;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.SplittableRandom;

/** What deletions cost a cascade filter: bits of its files. */
public record TombstoneFigure(int item) implements PaperFigure {

    private static int keys(Run run) {
        return run.size(1_000_000, 200_000);
    }

    @Override
    public Table table(Run run) throws IOException {
        Table table = Table.of("removed", "entries", "tombstones", "bits an entry");
        for (double share : new double[] {0, 0.01, 0.1, 0.5}) {
            measure(run, table, share);
        }
        table.plot("removed", "", false, "bits an entry");
        table.finding(
                "The paper pays for deletions with a fourth bit in every slot of every level: 670 k"
                        + " insertions a second become 630 k. Here only a page with a tombstone has"
                        + " the bit, and entries take %.2f bits without removals, %.2f with a tenth"
                        + " of the keys removed.",
                table.at("bits an entry", 0.0), table.at("bits an entry", 0.1));
        table.parameters(
                keys(run)
                        + " keys in buffers of a fiftieth of them; a share of them is removed"
                        + " again, each as many insertions later as three buffers hold");
        return table;
    }

    private static void measure(Run run, Table table, double share) throws IOException {
        int keys = keys(run);
        int behind = 3 * keys / 50;
        long[] recent = new long[behind];
        SplittableRandom random = run.random(73);
        SplittableRandom chosen = run.random(74);
        try (Flash flash = new Flash();
                CascadeFilter filter =
                        CascadeFilter.open(
                                flash.directory(), Flash.options(keys, keys / 50).build())) {
            for (int i = 0; i < keys; i++) {
                long key = random.nextLong();
                filter.insert(0, key);
                if (i >= behind && chosen.nextDouble() < share) {
                    filter.remove(0, recent[i % behind]);
                }
                recent[i % behind] = key;
            }
            filter.flush();
            Flash.awaitMerges(filter);
            CascadeStatistics done = filter.statistics();
            table.add(
                    share,
                    done.entries(),
                    done.tombstones(),
                    8.0 * done.diskBytes() / done.entries());
        }
    }
}
