/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.ReportTestCase;
import io.sluice.papers.figure.Table;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OverloadCommandTest extends ReportTestCase {
    @Test
    void everyFilterHasARowForEveryRateAndThePlotsAreOnThePage() throws Exception {
        assertThat(run(new OverloadCommand(), "--ids", "5000")).isZero();
        Table table = Table.parse(Files.readAllLines(directory.resolve("overload.csv")));
        Map<String, Integer> rows = new HashMap<>();
        for (int i = 0; i < table.size(); i++) {
            rows.merge(table.text(i, "filter"), 1, Integer::sum);
        }
        assertThat(rows).containsOnlyKeys("fingerprints", "quotient", "fail", "paper");
        assertThat(rows.values()).containsOnly(12);
        assertThat(figures("overload")).containsKeys("overload.quotient.rate4.dropped");
        assertThat(Files.readString(directory.resolve("overload.html")))
                .contains("New ids dropped", "Duplicates passed", "FORGET_OLDEST, quotient");
    }

    @Test
    void underFailTheJobEndsAndWithoutAPolicyNewIdsAreLost() throws Exception {
        assertThat(run(new OverloadCommand(), "--ids", "5000")).isZero();
        Table table = Table.parse(Files.readAllLines(directory.resolve("overload.csv")));
        for (int i = 0; i < table.size(); i++) {
            if (table.number(i, "rate") < 4) {
                continue;
            }
            String filter = table.text(i, "filter");
            double failed = table.number(i, "failed_after_windows");
            if (filter.equals("fail")) {
                assertThat(failed).isPositive();
            } else {
                assertThat(failed).isEqualTo(-1);
                assertThat(table.number(i, "dropped_share") > 0.01)
                        .as(filter)
                        .isEqualTo(filter.equals("paper"));
            }
        }
    }
}
