/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.soak.SoakIds.Kind;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SoakCountsTest extends ReportTestCase {
    private static final long RECORDS = 100_000_000;
    private static final SoakIds IDS = new SoakIds(SEED, 1000, 2000);

    private final long[] counts = new long[SoakTally.COUNTS];

    SoakCountsTest() {
        counts[0] = IDS.count(Kind.FIRST, RECORDS);
        counts[1] = IDS.count(Kind.COMEBACK, RECORDS);
        counts[5] = IDS.count(Kind.REPEAT, RECORDS);
    }

    private boolean holds() throws IOException {
        BenchReport report = report("soak");
        SoakCounts.check(report, SoakJob.WINDOW, IDS, RECORDS, counts);
        return report.ok();
    }

    @Test
    void everyRecordAsItHasToBeHolds() throws IOException {
        assertThat(holds()).isTrue();
    }

    @Test
    void aRecordThatIsLostOrComesTwiceFails() throws IOException {
        counts[0]++;
        assertThat(holds()).isFalse();
        counts[0] -= 2;
        assertThat(holds()).isFalse();
    }

    @Test
    void asManyDropsAsTheProbabilityAllowsHoldAndMoreFail() throws IOException {
        drop(90); // of 90 million, at one in a million
        assertThat(holds()).isTrue();
        drop(50);
        assertThat(holds()).isFalse();
    }

    @Test
    void idsThatAreHeldForTooLongDoNotHideAmongTheFirstOccurrences() throws IOException {
        counts[1] -= 50; // of 10 million, at one in a million
        counts[4] += 50;
        assertThat(holds()).isFalse();
    }

    @Test
    void aDuplicateThatPassesFails() throws IOException {
        counts[5]--;
        counts[2]++;
        counts[7]++;
        assertThat(holds()).isFalse();
    }

    @Test
    void aRunWhoseRepeatsMostlyCameAfterTheLifetimeShowsNothing() throws IOException {
        long late = counts[5] / 2;
        counts[5] -= late;
        counts[2] += late;
        counts[8] += late;
        assertThat(holds()).isFalse();
    }

    private void drop(int records) {
        counts[0] -= records;
        counts[3] += records;
    }
}
