/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.rate.StructureContract;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.run.ReferenceTables;
import io.sluice.filter.quotient.QuotientFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QfCommandTest extends ReportTestCase {
    /** Bound of the error at load 0.95 with r = 8: five standard errors of some thousand probes. */
    private static final double MAX_FPP = 0.01;

    @Test
    void theStructureKeepsTheContract() {
        StructureContract.check(new QuotientStructure(1 << 14, 8, 0.95), MAX_FPP);
        StructureContract.check(new QuotientStructure(1 << 12, 13, 0.5), MAX_FPP);
    }

    @Test
    void everyFigureIsThereAtBothLoads() throws Exception {
        assertThat(
                        run(
                                new QfCommand(),
                                "--only",
                                "rates,curve,whole",
                                "--slots",
                                "4096",
                                "--rounds",
                                "1"))
                .isZero();
        Map<String, Double> figures = figures("qf");
        figures.forEach(
                (name, value) -> {
                    if (!name.startsWith("qf.fpp")) {
                        assertThat(value).as(name).isPositive();
                    }
                });
        for (String suffix : List.of("", ".95")) {
            for (String name :
                    List.of(
                            "qf.add.mops",
                            "qf.addLast.mops",
                            "qf.contains.present.mops",
                            "qf.contains.absent.mops",
                            "qf.remove.mops",
                            "qf.addIfAbsent.mops",
                            "qf.addIfAbsent.batched.mops",
                            "qf.addIfAbsent.ratioToGuava",
                            "qf.addIfAbsent.ratioToFastfilterCuckoo",
                            "qf.addIfAbsent.ratioToFastutil",
                            "qf.merge.mops",
                            "qf.serialization.writeGBs",
                            "qf.serialization.readGBs",
                            "qf.bitsPerKey",
                            "qf.fpp")) {
                assertThat(figures).containsKey(name + suffix);
            }
        }
        assertThat(CsvTable.read(directory.resolve("qf_load_curve.csv")).size()).isEqualTo(40);
        assertThat(Files.readString(directory.resolve("qf.html"))).contains("Throughput over load");
    }

    @Test
    void clustersAndErrorsAgreeWithTheirFormulas() throws Exception {
        assertThat(run(new QfCommand(), "--only", "agreement", "--seed", "" + SEED))
                .as("seed %d", SEED)
                .isZero();
        assertThat(CsvTable.read(directory.resolve(ClusterAgreement.FILE)).size()).isEqualTo(8);
        assertThat(CsvTable.read(directory.resolve(ErrorAgreement.FILE)).size()).isEqualTo(40);
    }

    /** A comparison that cannot fail is meaningless. */
    @Test
    void aReferenceThatDisagreesIsNoticed() throws IOException {
        String header =
                "q,r,alpha,fpr_formula_1-exp(-a/2^r),fpr_mc,queries,bits_per_key_3,bits_per_key_2,"
                        + "bloom_bits_per_key_same_fpr,ratio3_to_bloom\n";
        String right = "18,4,0.50,0.03077,0.03081,4000000,14.000,12.000,7.246,1.932\n";
        String wrong = "18,4,0.50,0.03077,0.03381,4000000,14.000,12.000,7.246,1.932\n";
        for (String row : List.of(right, wrong)) {
            Files.writeString(directory.resolve(ErrorAgreement.FILE), header + row);
            BenchReport report = report("qf", directory.resolve("out"));
            ErrorAgreement.run(report, ReferenceTables.find(directory, ErrorAgreement.FILE), SEED);
            assertThat(report.ok()).as("%s, seed %d", row, SEED).isEqualTo(row.equals(right));
        }
    }

    /** By hand: q = 7, so three homes of 48 quotients (the last one incomplete). */
    @Test
    void theClusterPictureIsThatOfTheLayout() {
        QuotientFilter filter = QuotientStructure.create(7, 8);
        for (long quotient : new long[] {3, 3, 4, 10, 11, 11, 20}) {
            filter.insertFingerprint(quotient << 8);
        }
        ClusterPicture picture = ClusterPicture.of(filter);
        // In slots 3 4 5, 10, 11 12, 20: those at 3, 10, 11 and 20 begin a cluster.
        assertThat(picture.value(ClusterPicture.Column.MEAN_CLUSTER)).isEqualTo(7.0 / 4);
        assertThat(picture.value(ClusterPicture.Column.SIZE_BIASED)).isEqualTo(15.0 / 7);
        assertThat(picture.value(ClusterPicture.Column.MEAN_SUPERCLUSTER)).isEqualTo(7.0 / 3);
        assertThat(picture.value(ClusterPicture.Column.MEAN_RUN)).isEqualTo(7.0 / 5);
        assertThat(picture.value(ClusterPicture.Column.MEAN_SHIFT)).isEqualTo(3.0 / 7);
        assertThat(picture.value(ClusterPicture.Column.RUNS_OF_ONE)).isEqualTo(3.0 / 5);
        assertThat(picture.slotsToFree()).isEqualTo((6 + 6 + 1) / 128.0);
        assertThat(picture.spilledShare()).isZero();
        assertThat(picture.fullBlocks()).isZero();
        for (int i = 0; i < 100; i++) {
            filter.insertFingerprint(30L << 8 | i);
        }
        // All 107 have their home in the first block, 48 of them their place.
        picture = ClusterPicture.of(filter);
        assertThat(picture.spilledShare()).isEqualTo(59.0 / 107);
        assertThat(picture.fullBlocks()).isEqualTo((2 + 1) * 48 / 128.0);
    }

    @Test
    void refusesImpossibleSizes() {
        assertThatThrownBy(() -> run(new QfCommand(), "--slots", "5000"))
                .hasMessageContaining("power of two");
        assertThatThrownBy(() -> run(new QfCommand(), "--slots", "2048"))
                .hasMessageContaining("--slots");
        assertThatThrownBy(() -> run(new QfCommand(), "--rounds", "0"))
                .hasMessageContaining("--rounds");
    }
}
