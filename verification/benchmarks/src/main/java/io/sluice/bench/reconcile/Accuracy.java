/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.reconcile.Exchange.Cost;
import io.sluice.bench.reconcile.Exchange.Shapes;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Figure;
import io.sluice.capture.traffic.SplitMix64;
import io.sluice.filter.cuckoo.CuckooShape;
import java.util.Locale;

/**
 * The paper's setting, 64,000 elements of some 640,000 copies a side in 16,384 buckets: the share
 * of elements that are right after one round, and after a second one over the key groups that still
 * differ. Also the bytes for two replicas that differ in one element in a hundred.
 */
final class Accuracy {
    static final int ELEMENTS = 64_000;

    private static final int BUCKETS = 16_384;

    /** 25.6 bits an element. */
    private static final int FINGERPRINT_BITS = 17;

    /** Flink's usual number; the second round exchanges only key groups that differ. */
    private static final int KEY_GROUPS = 128;

    private static final int MAX_ROUNDS = 8;
    private static final double OVERLAP = 0.5;
    private static final Shapes SIZED = Shapes.sized(FINGERPRINT_BITS);

    private Accuracy() {}

    static void run(BenchReport report, int pairs, long seed) {
        report.progress("accuracy after one round and after two, " + pairs + " pairs");
        double first = 0;
        double second = 1;
        double wrong = 0;
        double digestBytes = 0;
        double laterBytes = 0;
        CuckooShape shape = new CuckooShape(FINGERPRINT_BITS, Exchange.COUNTER_BITS, BUCKETS);
        for (int i = 0; i < pairs; i++) {
            MultisetPair pair = MultisetPair.overlapping(ELEMENTS, OVERLAP, seed + i);
            Exchange exchange = new Exchange(pair);
            long own = SplitMix64.mix(seed + i);
            Cost one = exchange.round(new Division(pair, 1, 1), elements -> shape, own);
            first += share(exchange, pair) / pairs;
            wrong += pair.size() - (double) exchange.right();
            long other = SplitMix64.mix(seed + i + SplitMix64.GAMMA);
            Cost residue = exchange.round(new Division(pair, KEY_GROUPS, 1), SIZED, other);
            second = Math.min(second, share(exchange, pair));
            digestBytes += one.digestBytes() / 2.0 / pairs;
            laterBytes += residue.bytes() / (double) pairs;
        }
        report.add(
                new Figure(
                        "reconcile.accuracy",
                        first,
                        "share",
                        "the paper's 0.9999",
                        ">= 0.9999",
                        String.format(
                                Locale.ROOT,
                                "elements at their larger multiplicity on both sides after one"
                                    + " round by query; 64,000 elements of 640,000 copies a side,"
                                    + " half of them common; mean of %d pairs, %.1f elements wrong",
                                pairs,
                                wrong / pairs)));
        report.add(
                "reconcile.accuracySecondRound",
                second,
                "share",
                ">= 1",
                "least of %d pairs; another seed, only the key groups of %d that"
                        + " still differ, %.0f bytes more",
                pairs,
                KEY_GROUPS,
                laterBytes);
        String bits = "of one side's digest of the first round, as sent, for the accuracy above";
        report.add("reconcile.bitsPerElement", 8 * digestBytes / ELEMENTS, "bits", "<= 30", bits);
        replicas(report, seed);
    }

    /** Returns the share of elements that are right. */
    private static double share(Exchange exchange, MultisetPair of) {
        return (double) exchange.right() / of.size();
    }

    /** Two replicas of one stream that lost or repeated one element in a hundred. */
    private static void replicas(BenchReport report, long seed) {
        MultisetPair pair = MultisetPair.replicas(ELEMENTS, ELEMENTS / 100, seed);
        Division groups = new Division(pair, 1, KEY_GROUPS);
        Cost cost = new Exchange(pair).untilEqual(groups, SIZED, seed, MAX_ROUNDS);
        report.ratio(
                "reconcile.bytesRatioToNaive",
                (double) cost.bytes() / pair.bytes(),
                "both sides send everything",
                "<= 0.5",
                "%d bytes until equal in %d rounds, totals included; 64,000"
                        + " elements of %d bytes, one of a hundred differs",
                cost.bytes(),
                cost.rounds(),
                Exchange.ELEMENT_BYTES);
    }
}
