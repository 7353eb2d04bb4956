/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code DEDUPLICATE_KEEP_FIRST} in event time, in jobs. */
class KeepFirstIT {

    @RegisterExtension static final MiniClusterExtension FLINK = new MiniClusterExtension();

    private static final int RECORDS = 500;
    private static final int KEYS = 100;
    private static final int OUT_OF_ORDER_MILLIS = 5000;

    private static final String FIRST =
            "DEDUPLICATE_KEEP_FIRST(input => TABLE records PARTITION BY id, on_time =>"
                    + " DESCRIPTOR(`at`))";

    @Test
    void theTableIsThatOfRowNumberByEventTime() throws Exception {
        for (int i = 0; i < 3; i++) {
            long seed = Seeds.seed(i);
            List<Row> records = records(new SplittableRandom(seed));
            assertThat(query(records, "SELECT id, seq, millis FROM " + FIRST))
                    .as(Seeds.describe(seed))
                    .containsExactlyInAnyOrderElementsOf(
                            query(
                                    records,
                                    "SELECT id, seq, millis FROM (SELECT *, ROW_NUMBER() OVER"
                                            + " (PARTITION BY id ORDER BY `at`) AS n FROM records)"
                                            + " WHERE n = 1"));
        }
    }

    /** Its rows have event time, and none is late for what follows. */
    @Test
    void aWindowMayFollow() throws Exception {
        List<Row> records = records(Seeds.random());
        List<Row> counts =
                query(
                        records,
                        "SELECT window_start, COUNT(*) FROM TUMBLE(DATA => (SELECT * FROM "
                                + FIRST
                                + "), TIMECOL => DESCRIPTOR(rowtime), SIZE => INTERVAL '4' SECOND)"
                                + " GROUP BY window_start, window_end");
        assertThat(counts).hasSizeGreaterThan(1);
        assertThat(counts.stream().mapToLong(row -> row.<Long>getFieldAs(1)).sum())
                .isEqualTo(records.stream().map(row -> row.getField("id")).distinct().count());
    }

    private static List<Row> query(List<Row> records, String query) throws Exception {
        return Tables.inStreamingMode()
                .withRecords(records, Duration.ofMillis(OUT_OF_ORDER_MILLIS))
                .changes(query);
    }

    /** Times go on and are taken back by less than the watermark waits for; all are different. */
    private static List<Row> records(SplittableRandom random) {
        List<Row> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            long millis = 1_000_000L + 100L * (i - random.nextInt(OUT_OF_ORDER_MILLIS / 100));
            records.add(Operator.record("id-" + random.nextInt(KEYS), i, "", millis + i % 100));
        }
        return records;
    }
}
