/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.qf;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.MergePolicy;
import io.sluice.filter.hash.Hashing;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * Lookups of a cascade filter beside a Bloom filter on flash: pages that a lookup reads, counted
 * and by the paper's model.
 */
public record LookupFigure(int item) implements PaperFigure {
    private static final double FPP = 1e-3;
    private static final String CASCADE = "cascade filter";
    private static final String BLOOM = "Bloom filter on flash";

    private static int keys(Run run) {
        return run.size(5_000_000, 500_000);
    }

    @Override
    public Table table(Run run) throws IOException {
        Table table = Table.of("structure", "lookups of", "pages read", "model");
        int keys = keys(run);
        int asked = run.size(50_000, 10_000);
        try (Flash flash = new Flash();
                CascadeFilter filter =
                        CascadeFilter.open(
                                flash.directory(),
                                Flash.options(keys, keys / 50)
                                        .mergePolicy(MergePolicy.doubling(2))
                                        .build())) {
            SplittableRandom random = run.random(72);
            for (int i = 0; i < keys; i++) {
                filter.insert(0, random.nextLong());
            }
            filter.flush();
            Flash.awaitMerges(filter);
            int files = filter.statistics().files();
            for (boolean present : new boolean[] {false, true}) {
                SplittableRandom keysAsked = run.random(present ? 72 : 73);
                long before = filter.statistics().pageReads() + filter.statistics().pageHits();
                for (int i = 0; i < asked; i++) {
                    filter.mightContain(0, keysAsked.nextLong());
                }
                long pages =
                        filter.statistics().pageReads() + filter.statistics().pageHits() - before;
                // The paper's lookup of an old key ends at the largest level.
                double model = present ? Double.NaN : files;
                table.add(CASCADE, held(present), (double) pages / asked, model);
            }
        }
        bloom(run, table, keys, asked);
        double cascade = table.at("pages read", CASCADE, "absent keys");
        double bloom = table.at("pages read", BLOOM, "absent keys");
        table.finding(
                "An absent key costs the cascade a page of each level, %.1f, and a Bloom filter"
                        + " that is half full two, %.2f: a ratio of %.1f by the device's reads."
                        + " The paper has 530 and 1,609 lookups a second, a ratio of 3.0.",
                cascade, bloom, cascade / bloom);
        table.check(
                "model",
                Math.abs(bloom - 2) < 0.1 && cascade > bloom,
                "an absent key reads %.2f pages of the Bloom filter, 2 by the model",
                bloom);
        table.parameters(
                keys(run)
                        + " keys at an error of 1e-3, buffers of "
                        + keys(run) / 50
                        + ", levels of fan-out 2");
        return table;
    }

    /** Bits in memory are enough to count the pages that a lookup would read on flash. */
    private static void bloom(Run run, Table table, int keys, int asked) {
        double bitsPerKey = -Math.log(FPP) / (Math.log(2) * Math.log(2));
        int functions = (int) Math.round(bitsPerKey * Math.log(2));
        BitSet bits = new BitSet();
        int size = (int) (keys * bitsPerKey);
        SplittableRandom random = run.random(72);
        for (int i = 0; i < keys; i++) {
            long key = random.nextLong();
            for (int j = 0; j < functions; j++) {
                bits.set(position(key, j, size));
            }
        }
        for (boolean present : new boolean[] {false, true}) {
            SplittableRandom keysAsked = run.random(present ? 72 : 73);
            long pages = 0;
            for (int i = 0; i < asked; i++) {
                long key = keysAsked.nextLong();
                int j = 0;
                while (j < functions && bits.get(position(key, j, size))) {
                    j++;
                }
                pages += Math.min(functions, j + 1);
            }
            double model = present ? functions : 2;
            table.add(BLOOM, held(present), (double) pages / asked, model);
        }
    }

    private static int position(long key, int i, int size) {
        long mixed = Hashing.mix(key + i * 0x9E3779B97F4A7C15L);
        return (int) Math.multiplyHigh(mixed >>> 1, 2L * size);
    }

    private static String held(boolean present) {
        return present ? "keys that are held" : "absent keys";
    }
}
