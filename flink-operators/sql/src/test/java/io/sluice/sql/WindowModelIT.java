/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code DEDUPLICATE_WINDOW} puts out what a simple model says, of random records that come out of
 * order.
 */
class WindowModelIT {

    @RegisterExtension static final MiniClusterExtension FLINK = new MiniClusterExtension();

    private static final int REPETITIONS = 3;
    private static final int RECORDS = 500;
    private static final int KEYS = 8;
    private static final int STEP_MILLIS = 100;
    private static final int OUT_OF_ORDER_MILLIS = 3000;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "first | 2000 | 0 | false",
                "last | 2000 | 0 | false",
                "first | 0 | 900 | false",
                "last | 0 | 900 | true",
                "first | 4000 | 900 | true",
                "last | 1 | 0 | true"
            })
    void asTheModelSays(String keep, long duration, long inactivity, boolean bySequence)
            throws Exception {
        for (int i = 0; i < REPETITIONS; i++) {
            long seed = Seeds.seed(i);
            List<Row> records = records(new SplittableRandom(seed));
            List<Row> ours =
                    Tables.inStreamingMode()
                            .withRecords(records, Duration.ofMillis(OUT_OF_ORDER_MILLIS))
                            .changes(
                                    "SELECT id, seq, text, millis, rowtime FROM DEDUPLICATE_WINDOW("
                                            + "input => TABLE records PARTITION BY id, keep => '"
                                            + keep
                                            + "', on_time => DESCRIPTOR(`at`)"
                                            + interval("duration", duration)
                                            + interval("inactivity", inactivity)
                                            + (bySequence ? ", sequence_by => DESCRIPTOR(seq)" : "")
                                            + ")");
            assertThat(ours)
                    .as(Seeds.describe(seed))
                    .containsExactlyInAnyOrderElementsOf(
                            expected(
                                    records,
                                    keep.equals("first"),
                                    duration == 0 ? Long.MAX_VALUE / 2 : duration,
                                    inactivity == 0 ? Long.MAX_VALUE / 2 : inactivity,
                                    bySequence));
        }
    }

    private static String interval(String argument, long millis) {
        return millis == 0
                ? ""
                : String.format(
                        ", %s => INTERVAL '%d.%03d' SECOND",
                        argument, millis / 1000, millis % 1000);
    }

    private static List<Row> expected(
            List<Row> records, boolean first, long duration, long inactivity, boolean bySequence) {
        Map<String, List<Row>> byKey =
                records.stream()
                        .collect(Collectors.groupingBy(row -> row.<String>getFieldAs("id")));
        List<Row> expected = new ArrayList<>();
        for (List<Row> rows : byKey.values()) {
            // Stable: among equal times, in the order of arrival.
            rows.sort(Comparator.comparing(WindowModelIT::millis));
            for (int from = 0; from < rows.size(); ) {
                long start = millis(rows.get(from));
                int to = from + 1;
                while (to < rows.size()
                        && millis(rows.get(to)) - start < duration
                        && millis(rows.get(to)) - millis(rows.get(to - 1)) < inactivity) {
                    to++;
                }
                long end = Math.min(start + duration, millis(rows.get(to - 1)) + inactivity);
                Row kept = rows.get(from);
                for (Row row : rows.subList(from + 1, to)) {
                    long order =
                            bySequence
                                    ? row.<Long>getFieldAs("seq") - kept.<Long>getFieldAs("seq")
                                    : 0;
                    if (first ? order < 0 : order >= 0) {
                        kept = row;
                    }
                }
                expected.add(
                        Row.of(
                                kept.getField("id"),
                                kept.getField("seq"),
                                kept.getField("text"),
                                kept.getField("millis"),
                                Instant.ofEpochMilli(end - 1)));
                from = to;
            }
        }
        return expected;
    }

    private static long millis(Row row) {
        return row.<Long>getFieldAs("millis");
    }

    /** Times go on by a step, and are taken back by less than the watermark waits for. */
    private static List<Row> records(SplittableRandom random) {
        List<Row> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            Row row = Row.withNames();
            row.setField("id", "id-" + random.nextInt(KEYS));
            row.setField("seq", (long) random.nextInt(RECORDS));
            row.setField("text", "text-" + i);
            row.setField(
                    "millis",
                    1_000_000L + (long) STEP_MILLIS * i - random.nextInt(OUT_OF_ORDER_MILLIS));
            records.add(row);
        }
        return records;
    }
}
