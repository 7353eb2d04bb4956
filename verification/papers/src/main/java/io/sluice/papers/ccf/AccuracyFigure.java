/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.ccf;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;

/**
 * The accuracy of one round of synchronisation, the share of elements that have equally many copies
 * at both sides afterwards: figure 4 (a) and (b) over bits per element, figure 5 (c) and (d) over
 * elements.
 */
public record AccuracyFigure(int item, boolean overBits) implements PaperFigure {
    private static final String MERGED = "CCF-merge";
    private static final String SEPARATE = "CCF-slotPerElement";
    private static final String BLOOM = "CBF8";
    private static final String QUERY = "query";
    private static final String DECODE = "decode";

    @Override
    public Table table(Run run) throws IOException {
        Table table =
                Table.of("structure", "method", "overlap", "elements", "f", "bits", "accuracy");
        Agreement agreement = new Agreement();
        if (overBits) {
            for (double overlap : new double[] {0, 0.5, 0.9}) {
                for (int f : new int[] {7, 9, 12, 17}) {
                    cuckoo(run, table, agreement, overlap, Filling.ELEMENTS, f);
                }
                for (double bits : new double[] {16, 32, 80, 160}) {
                    bloom(run, table, agreement, overlap, bits);
                }
            }
            table.plot("bits", "structure", false, "accuracy");
            Object[] at = {SEPARATE, QUERY, 0.5, Filling.ELEMENTS, 17};
            table.finding(
                    "With a slot for each element and f = 17, %.1f bits an element, %.5f are equal"
                            + " after one round; a counting Bloom filter of 160 bits has %.5f. The"
                            + " paper finds queries better than decoding; with equal counts paired"
                            + " first, decoding has %.5f.",
                    table.at("bits", at),
                    table.at("accuracy", at),
                    table.at("accuracy", BLOOM, QUERY, 0.5, Filling.ELEMENTS, 0, 160.0),
                    table.at("accuracy", SEPARATE, DECODE, 0.5, Filling.ELEMENTS, 17));
        } else {
            int f = 8;
            for (int n = 1000; n <= run.size(512_000, 64_000); n *= 2) {
                cuckoo(run, table, agreement, 0.5, n, f++);
            }
            table.plot("elements", "structure", false, "accuracy");
            table.finding(
                    "Accuracy rises with n because f does; the number of elements that differ"
                            + " stays the same.");
        }
        agreement.addTo(table, run);
        table.parameters(
                (overBits
                                ? "64,000 elements a side, overlap 0, 0.5 and 0.9, f from 7 to 17;"
                                        + " counting Bloom filters with cells of 8 bits"
                                : "overlap 0.5, f = 8 for 1,000 elements and one more for each"
                                        + " doubling")
                        + "; 1 to 19 copies, counters of 8 bits, "
                        + run.size(4, 1)
                        + " pairs of multisets");
        return table;
    }

    private static void cuckoo(
            Run run, Table table, Agreement agreement, double overlap, int n, int f)
            throws IOException {
        Table theirs = run.reference("ccf_sync_accuracy.csv");
        // Some 3.9 elements for 4 slots, as in the paper; small filters need a little more.
        long spare = n == Filling.ELEMENTS ? 0 : (long) Math.sqrt(n) / 4 + 1;
        long buckets = ((long) n * Filling.BUCKETS / Filling.ELEMENTS + spare) & ~1;
        CuckooShape shape = new CuckooShape(f, 8, buckets);
        int pairs = Math.max(1, Math.min(8, run.size(4, 1) * Filling.ELEMENTS / n));
        for (Collisions collisions : Collisions.values()) {
            double[] unequal = new double[2];
            int union = 0;
            for (int pair = 0; pair < pairs; pair++) {
                Replicas replicas = new Replicas(n, overlap, run.random(n + 31L * pair));
                MultisetDigest a = replicas.digest(0, shape, collisions);
                MultisetDigest b = replicas.digest(1, shape, collisions);
                unequal[0] += replicas.unequal(a, b, true);
                unequal[1] += replicas.unequal(a, b, false);
                union = replicas.union();
            }
            String structure = collisions == Collisions.MERGED ? MERGED : SEPARATE;
            double bits = 4.0 * buckets * (f + 8) / n;
            for (int method = 0; method < 2; method++) {
                double mean = unequal[method] / pairs;
                String name = method == 0 ? QUERY : DECODE;
                table.add(structure, name, overlap, n, f, bits, 1 - mean / union);
                // Decoding pairs equal counts first, so it may only be better.
                boolean same = collisions == Collisions.MERGED && method == 0;
                int row =
                        theirs.row(
                                "struct", structure + (n == Filling.ELEMENTS ? "" : "-fig5c"),
                                "method", name,
                                "overlap", overlap,
                                "distinct", n,
                                "f_or_k", f);
                String at = structure + " " + name + " f=" + f + " n=" + n;
                agree(theirs, row, agreement, at, mean, union, pairs, same);
            }
        }
    }

    private static void bloom(
            Run run, Table table, Agreement agreement, double overlap, double bits)
            throws IOException {
        Table theirs = run.reference("ccf_sync_accuracy.csv");
        double unequal = 0;
        int pairs = run.size(4, 1);
        int union = 0;
        for (int pair = 0; pair < pairs; pair++) {
            Replicas replicas =
                    new Replicas(Filling.ELEMENTS, overlap, run.random(95 + 31L * pair));
            unequal += replicas.unequal(bits);
            union = replicas.union();
        }
        double mean = unequal / pairs;
        table.add(BLOOM, QUERY, overlap, Filling.ELEMENTS, 0, bits, 1 - mean / union);
        int row = theirs.row("struct", BLOOM, "overlap", overlap, "bits_per_element", bits);
        agree(theirs, row, agreement, "CBF " + bits, mean, union, pairs, true);
    }

    private static void agree(
            Table theirs,
            int row,
            Agreement agreement,
            String at,
            double mean,
            int union,
            int pairs,
            boolean same) {
        double their = (1 - theirs.number(row, "acc_elements_equal")) * union;
        // Two repetitions of theirs; an element in error brings another one along.
        double deviation = Math.sqrt(2 * Math.max(1, their) * (1.0 / pairs + 0.5));
        if (same) {
            agreement.near(at, mean, their, deviation);
        } else {
            agreement.atMost(at, mean, their, deviation);
        }
    }
}
