/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.ccf.CcfRun;
import io.sluice.bench.ccf.MultisetPair;
import io.sluice.bench.reconcile.Exchange.Cost;
import io.sluice.bench.reconcile.Exchange.Shapes;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.capture.SplitMix64;
import io.sluice.filter.cuckoo.CuckooShape;
import java.io.IOException;
import java.util.Locale;

/**
 * The paper's setting, 64,000 elements of some 640,000 copies a side in 16,384 buckets: the share
 * of elements that are right after one round, and after a second one over the key groups that still
 * differ. Also the bytes for two replicas that differ in one element in a hundred.
 */
final class Accuracy {
    /** 25.6 bits an element. */
    private static final int FINGERPRINT_BITS = 17;

    /** Flink's usual number; the second round exchanges only key groups that differ. */
    private static final int KEY_GROUPS = 128;

    private static final int MAX_ROUNDS = 8;

    private static final double OVERLAP = 0.5;

    private static final Shapes SIZED = Shapes.sized(FINGERPRINT_BITS, CcfRun.COUNTER_BITS);

    private Accuracy() {}

    static void run(BenchReport report, int pairs, long seed) throws IOException {
        report.progress("accuracy after one round and after two, " + pairs + " pairs");
        CsvTable table =
                new CsvTable(
                        "pair,round,groups_exchanged,right_share,elements_wrong,totals_bytes,"
                                + "digest_bytes,element_bytes");
        double first = 0;
        double second = 1;
        double wrong = 0;
        double digestBytes = 0;
        double laterBytes = 0;
        CuckooShape shape = new CuckooShape(FINGERPRINT_BITS, CcfRun.COUNTER_BITS, CcfRun.BUCKETS);
        for (int i = 0; i < pairs; i++) {
            MultisetPair pair = new MultisetPair(CcfRun.ELEMENTS, OVERLAP, seed + i);
            Exchange exchange = new Exchange(pair);
            Division whole = new Division(pair, 1, 1);
            Cost one = exchange.round(whole, elements -> shape, SplitMix64.mix(seed + i));
            row(table, i, 1, one, exchange);
            first += exchange.outcome().rightShare() / pairs;
            wrong += wrong(exchange);
            long other = SplitMix64.mix(seed + i + SplitMix64.GAMMA);
            Cost residue = exchange.round(new Division(pair, KEY_GROUPS, 1), SIZED, other);
            row(table, i, 2, residue, exchange);
            second = Math.min(second, exchange.outcome().rightShare());
            digestBytes += one.digestBytes() / 2.0 / pairs;
            laterBytes += residue.bytes() / (double) pairs;
        }
        report.table("reconcile_rounds.csv", table);
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
        report.add(
                "reconcile.bitsPerElement",
                8 * digestBytes / CcfRun.ELEMENTS,
                "bits",
                "<= 30",
                "of one side's digest of the first round, as sent, for the accuracy" + " above");
        replicas(report, seed);
    }

    private static void row(CsvTable table, int pair, int round, Cost cost, Exchange exchange) {
        table.add(
                pair,
                round,
                cost.parts(),
                exchange.outcome().rightShare(),
                wrong(exchange),
                cost.totalsBytes(),
                cost.digestBytes(),
                cost.elementBytes());
    }

    private static double wrong(Exchange exchange) {
        return exchange.outcome().union() - (double) exchange.outcome().right();
    }

    /** Two replicas of one stream that lost or repeated one element in a hundred. */
    private static void replicas(BenchReport report, long seed) {
        MultisetPair pair = MultisetPair.replicas(CcfRun.ELEMENTS, CcfRun.ELEMENTS / 100, seed);
        Cost cost =
                new Exchange(pair)
                        .untilEqual(new Division(pair, 1, KEY_GROUPS), SIZED, seed, MAX_ROUNDS);
        double naive = OtherExchanges.everything(2.0 * pair.each());
        report.ratio(
                "reconcile.bytesRatioToNaive",
                cost.bytes() / naive,
                "both sides send everything",
                "<= 0.5",
                "%d bytes until equal in %d rounds, totals included; 64,000"
                        + " elements of %d bytes, one of a hundred differs",
                cost.bytes(),
                cost.rounds(),
                Exchange.ELEMENT_BYTES);
    }
}
