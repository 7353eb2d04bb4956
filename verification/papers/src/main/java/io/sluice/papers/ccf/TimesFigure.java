/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.ccf;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;

/** Figure 4 (c) and (d): the times of building a filter and of finding differences. */
public record TimesFigure(int item) implements PaperFigure {
    private static final int ROUNDS = 5;

    @Override
    public boolean isTimed() {
        return true;
    }

    @Override
    public Table table(Run run) {
        Table table =
                Table.of("elements", "build CCF", "query", "decode", "build CBF", "query CBF");
        for (int n = 4000; n <= run.size(1_024_000, 64_000); n *= 4) {
            Replicas replicas = new Replicas(n, 0.5, run.random(96));
            CuckooShape shape = CuckooShape.sized(n, Math.scalb(8.0, -16), 8);
            MultisetDigest a = replicas.digest(0, shape, Collisions.SEPARATE);
            MultisetDigest b = replicas.digest(1, shape, Collisions.SEPARATE);
            CountingBloomFilter peer = replicas.bloom(1, 160);
            table.add(
                    n,
                    millis(() -> replicas.digest(0, shape, Collisions.SEPARATE)),
                    millis(() -> replicas.difference(0, a, b, true)),
                    millis(() -> replicas.difference(0, a, b, false)),
                    millis(() -> replicas.bloom(0, 160)),
                    millis(() -> replicas.root(0).forEach((hash, copies) -> peer.count(hash))));
        }
        table.plot("elements", "", true, "build CCF", "query", "decode", "build CBF", "query CBF");
        table.finding("Times in ms.");
        table.parameters(
                "overlap 0.5, one side, f = 16, counters of 8 bits; counting Bloom filters of 160"
                        + " bits an element, about as accurate; the fastest of 5 rounds");
        return table;
    }

    private static double millis(Runnable work) {
        double least = Double.MAX_VALUE;
        for (int round = 0; round <= ROUNDS; round++) {
            long start = System.nanoTime();
            work.run();
            least = Math.min(least, (System.nanoTime() - start) / 1e6);
        }
        return least;
    }
}
