/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.reconcile.Exchange.Cost;
import io.sluice.bench.reconcile.Exchange.Shapes;
import io.sluice.bench.report.BenchReport;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchReconcileCommandTest extends ReportTestCase {

    @Test
    void figuresOfRoundsAndOfScalingAreThereAndMeetTheirGoals() throws Exception {
        assertThat(
                        run(
                                new BenchReconcileCommand(),
                                "--only",
                                "rounds,scaling",
                                "--elements",
                                "5000",
                                "--seed",
                                "" + SEED))
                .as("seed %d", SEED)
                .isZero();
        Map<String, Double> figures = figures("reconcile");
        assertThat(figures.get("reconcile.accuracy")).isBetween(0.9998, 1.0);
        assertThat(figures.get("reconcile.accuracySecondRound")).isEqualTo(1);
        assertThat(figures.get("reconcile.bitsPerElement")).isBetween(25.6, 26.0);
        assertThat(figures.get("reconcile.bytesRatioToNaive")).isBetween(0.2, 0.5);
        assertThat(figures)
                .containsEntry("reconcile.scaling.elements", 5000.0)
                .containsKeys("reconcile.scaling.seconds", "reconcile.scaling.heldBytes");
    }

    @Test
    void bytesOverTheDifferenceAreCompared() throws Exception {
        Crossover.run(report("reconcile"), 8_000, 1, SEED);
        assertTables("reconcile_crossover.csv");
        String table = Files.readString(directory.resolve("reconcile_crossover.csv"));
        assertThat(table).contains("minisketch", "rateless IBLT", "invertible Bloom", "everything");
    }

    @Test
    void symbolsTakeBytesByTheDifferenceAndFiltersByTheElements() throws Exception {
        BenchReport report = report("reconcile");
        Methods.run(report, 20_000, SEED);
        assertTables("reconcile_methods.csv");
        Map<String, Double> ratios = new HashMap<>();
        report.figures().forEach(figure -> ratios.put(figure.name(), figure.value()));
        String name = "reconcile.bytesRatioToNaive.";
        assertThat(ratios).as("ratios, and seconds but for naive").hasSize(2 * 5 * (5 + 4));
        for (int differing : new int[] {2, 20, 200, 2_000, 10_000}) {
            assertThat(ratios.get(name + "naive." + differing)).isOne();
            double query = ratios.get(name + "query." + differing);
            double decoding = ratios.get(name + "decoding." + differing);
            double rateless = ratios.get(name + "rateless." + differing);
            assertThat(query).isBetween(0.3, 1.3);
            assertThat(decoding).isBetween(0.3, 1.3);
            assertThat(ratios.get(name + "automatic." + differing))
                    .isLessThanOrEqualTo(1.1 * Math.min(rateless, Math.min(query, decoding)));
        }
        assertThat(ratios.get(name + "rateless.2")).isLessThan(0.01);
        assertThat(ratios.get(name + "rateless.200")).isBetween(0.01, 0.05);
        assertThat(ratios.get(name + "rateless.10000")).isBetween(0.5, 1.7);
    }

    /** Symbols are sent in batches: at most as many again as were needed. */
    @Test
    void atMostTwiceTheNeededSymbolsAreSent() {
        MultisetPair pair = MultisetPair.replicas(10_000, 1_000, 1_000, SEED);
        RatelessExchange.Cost cost = RatelessExchange.of(pair, new Division(pair, 1, 1), SEED);
        assertThat(cost.needed()).isBetween(1_250L, 1_500L);
        assertThat(cost.sent()).isBetween(cost.needed(), 2 * cost.needed());
        // Symbols with their envelopes, and the elements that A lacks or has fewer of.
        assertThat(cost.bytes()).isBetween(12 * cost.sent(), 16 * cost.sent() + 1_000 * 27L);
    }

    @Test
    void sizesThatCannotBeMeasuredAreRefused() {
        assertThatThrownBy(() -> run(new BenchReconcileCommand(), "--elements", "999"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--elements must be from 1000");
    }

    /** Equal parts cost only their totals, and only once. */
    @Test
    void equalReplicasExchangeTotalsAlone() {
        MultisetPair pair = MultisetPair.replicas(10_000, 0, SEED);
        Cost cost =
                new Exchange(pair).untilEqual(new Division(pair, 16, 8), Shapes.sized(12), SEED, 3);
        assertThat(cost.bytes()).isEqualTo(2L * 16 * 8 * Exchange.TOTALS_BYTES);
        assertThat(cost.rounds()).isEqualTo(1);
    }

    /** Short fingerprints miss differences; rounds with other seeds find them all. */
    @Test
    void roundsEndWithTheUnionOnBothSides() {
        for (int parts : new int[] {1, 64}) {
            MultisetPair pair = MultisetPair.replicas(20_000, 5_000, SEED);
            Exchange exchange = new Exchange(pair);
            Cost cost =
                    exchange.untilEqual(new Division(pair, 4, parts), Shapes.sized(7), SEED, 20);
            assertThat(exchange.right())
                    .as("%d parts, seed %d", parts, SEED)
                    .isEqualTo(pair.size());
            assertThat(cost.rounds()).isGreaterThan(2);
            assertThat(cost.elementBytes()).isGreaterThanOrEqualTo(5_000L * 9);
        }
    }

    @Test
    void theCrossingIsBetweenThePointsWhereTheLinesChangePlaces() {
        List<double[]> flat = List.of(point(1, 100), point(10, 100), point(100, 100));
        List<double[]> rising = List.of(point(1, 10), point(10, 100 / 3.0), point(100, 300));
        assertThat(Crossover.crossing(flat, rising)).isCloseTo(31.6, within(0.1));
        assertThat(Crossover.crossing(List.of(point(1, 1)), List.of(point(1, 2)))).isZero();
        assertThat(Crossover.crossing(List.of(point(1, 2)), List.of(point(1, 1)))).isInfinite();
    }

    private static double[] point(double x, double y) {
        return new double[] {x, y};
    }
}
