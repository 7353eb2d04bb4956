/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.ReferenceTables;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CcfCommandTest extends ReportTestCase {
    @Test
    void allFiguresLeaveTablesPlotsAndNames() throws IOException {
        BenchReport report = report("ccf");
        CcfFigures.run(new CcfRun(report, Optional.empty(), 1, 64_000, SEED));
        report.write();
        assertTables(
                "ccf_occupancy.csv",
                "ccf_collided.csv",
                "ccf_sync_accuracy.csv",
                "ccf_sync_times.csv");
        assertThat(Files.readString(directory.resolve("ccf.html")))
                .contains("Occupancy", "Figure 4", "Figure 5", "Figure 5c");
        assertThat(figures("ccf"))
                .containsKeys(
                        "ccf.occupancy", "ccf.sync.accuracy.raise", "ccf.sync.build.ccf.mops");
        assertThat(report.ok()).as("all checks, seed %d", SEED).isTrue();
    }

    /** A comparison that cannot fail is meaningless. */
    @Test
    void aReferenceThatDisagreesIsNoticed() throws IOException {
        String header =
                "buckets,distinct,f,merged_into_existing(mc),elements_involved(mc)\n16384,64000,8,";
        for (String numbers : List.of("969,1930", "1369,1930", "969,2930")) {
            Path tables = Files.createDirectory(directory.resolve(numbers));
            Files.writeString(tables.resolve("ccf_collided.csv"), header + numbers + "\n");
            BenchReport report = report("ccf");
            Optional<ReferenceTables> reference = ReferenceTables.find(tables, "ccf_collided.csv");
            CollidedElements.run(new CcfRun(report, reference, 1, 64_000, SEED));
            assertThat(report.ok())
                    .as("%s, seed %d", numbers, SEED)
                    .isEqualTo(numbers.equals("969,1930"));
        }
    }

    @Test
    void aFolderWithoutTablesIsRefused() {
        assertThatThrownBy(() -> ReferenceTables.find(directory, "ccf_sync_accuracy.csv"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ccf_sync_accuracy.csv");
    }

    /** The baseline never counts too few, and with many cells it is mostly right. */
    @Test
    void theCountingBloomFilterCountsAtLeastWhatItHolds() {
        MultisetPair pair = new MultisetPair(2_000, 0.5, SEED);
        CountingBloomFilter filter = new SyncTrial(pair).bloomFilter(160, MultisetPair.Side.A);
        int right = 0;
        for (int i = 0; i < pair.size(); i++) {
            long held = pair.copies(MultisetPair.Side.A)[i];
            assertThat(filter.count(pair.hash(i))).isGreaterThanOrEqualTo(held);
            right += filter.count(pair.hash(i)) == held ? 1 : 0;
        }
        assertThat(right).isGreaterThan(pair.size() - 5);
        filter.insert(7, 1_000);
        assertThat(filter.count(7)).isEqualTo(255);
    }

    /** A round between equal sets sends nothing, one between different sets leaves them equal. */
    @Test
    void roundsAreCountedByWhatTheyLeave() {
        MultisetPair pair = new MultisetPair(1_000, 0.5, SEED);
        SyncTrial trial = new SyncTrial(pair);
        SyncOutcome outcome =
                trial.round(
                        trial.digests(new CuckooShape(24, 8, 300), Collisions.SEPARATE, SEED),
                        SyncTrial.Method.QUERY,
                        SyncTrial.Way.SENDING);
        assertThat(outcome.equalShare()).isEqualTo(1);
        assertThat(outcome.rightShare()).isEqualTo(1);
        assertThat(outcome.sent()).isBetween(1_000L, 1_300L);
        SyncOutcome nothing =
                SyncOutcome.of(
                        pair,
                        pair.copies(MultisetPair.Side.A),
                        pair.copies(MultisetPair.Side.B),
                        0);
        assertThat(nothing.equal()).isLessThan(400);
    }
}
