/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Columns of any name and type; and settings of Flink that make rows come in another way. */
class ColumnsIT {

    @RegisterExtension static final MiniClusterExtension FLINK = new MiniClusterExtension();

    /** The key "a" comes twice, first with the greater time, and the null key twice. */
    private static final List<Row> RECORDS =
            List.of(
                    Operator.record("a", 1, "one", 1000),
                    Operator.record("a", 2, "two", 500),
                    Operator.record(null, 3, "three", 2000),
                    Operator.record(null, 4, "four", 2500));

    private static List<Object> seqs(Tables tables, String columns, String call) throws Exception {
        tables.withRecords(RECORDS, Duration.ofSeconds(5));
        tables.tables()
                .executeSql("CREATE TEMPORARY VIEW t AS SELECT " + columns + " FROM records");
        return tables.changes("SELECT `s` FROM " + call).stream()
                .map(row -> row.getField(0))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    id AS k, `at` AS rowtime, seq AS s | k | rowtime
                    id AS k, `at`, text AS rowtime, seq AS s | k | at
                    id AS rowtime, `at`, seq AS s | rowtime | at
                    id AS `a.b`, `at` AS `it's "at" $1`, text AS `select`, seq AS s | a.b | it's "at" $1
                    id AS `été ☃ 列`, `at` AS `x y`, text AS `f0`, seq AS s | été ☃ 列 | x y
                    id AS seen, `at` AS uid, text AS `input`, millis AS on_time, seq AS s | seen | uid
                    id AS K, `at`, text AS k, seq AS s | K | at
                    id AS k, `at`, text AS `$time`, millis AS `$$time`, text AS `$first_row`, id AS `$last_row`, seq AS s | k | at
                    """)
    void mayHaveAnyName(String columns, String key, String time) throws Exception {
        String input =
                "(input => TABLE t PARTITION BY `"
                        + key
                        + "`, on_time => DESCRIPTOR(`"
                        + time
                        + "`)";
        assertThat(seqs(Tables.inStreamingMode(), columns, "DEDUPLICATE_KEEP_FIRST" + input + ")"))
                .containsExactlyInAnyOrder(2L, 3L);
        assertThat(
                        seqs(
                                Tables.inStreamingMode(),
                                columns,
                                "DEDUPLICATE_WINDOW"
                                        + input
                                        + ", keep => 'last', duration => INTERVAL '1' HOUR)"))
                .containsExactlyInAnyOrder(1L, 4L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CAST(CHAR_LENGTH(id) AS DECIMAL(38, 10))",
                "ROW(id, 1)",
                "ARRAY[id, 'x']",
                "ENCODE(id, 'UTF-8')",
                "CAST(id AS BYTES)",
                "TO_TIMESTAMP_LTZ(CHAR_LENGTH(id), 3)",
                "CAST(TO_TIMESTAMP_LTZ(CHAR_LENGTH(id), 3) AS TIMESTAMP(9))",
                "id = 'a'",
                "CAST(CHAR_LENGTH(id) AS DOUBLE)",
                "CAST(CHAR_LENGTH(id) AS TINYINT)",
                "CAST(id AS CHAR(3))"
            })
    void ofTheKeyMayHaveAnyTypeAndBeNull(String key) throws Exception {
        assertThat(
                        seqs(
                                Tables.inStreamingMode(),
                                key + " AS k, seq AS s",
                                "DEDUPLICATE(input => TABLE t PARTITION BY k)"))
                .containsExactly(1L, 3L);
    }

    /** Of two such columns both have it, and a row that is taken back has that of its arrival. */
    @Test
    void ofTheClockHaveTheTimeAtWhichTheRowCame() throws Exception {
        Tables tables = Tables.inStreamingMode().withRecords(RECORDS);
        Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        List<Row> changes =
                tables.changes(
                        "SELECT * FROM DEDUPLICATE(input => (SELECT text, proc AS p, id, seq, proc,"
                                + " millis FROM records) PARTITION BY id, keep => 'last')");
        Instant after = Instant.now();
        assertThat(changes)
                .extracting(
                        Row::getKind,
                        row -> row.getField("id"),
                        row -> row.getField("text"),
                        row -> row.getField("seq"),
                        row -> row.getField("millis"))
                .containsExactly(
                        tuple(RowKind.INSERT, "a", "one", 1L, 1000L),
                        tuple(RowKind.UPDATE_BEFORE, "a", "one", 1L, 1000L),
                        tuple(RowKind.UPDATE_AFTER, "a", "two", 2L, 500L),
                        tuple(RowKind.INSERT, null, "three", 3L, 2000L),
                        tuple(RowKind.UPDATE_BEFORE, null, "three", 3L, 2000L),
                        tuple(RowKind.UPDATE_AFTER, null, "four", 4L, 2500L));
        assertThat(changes)
                .extracting(row -> row.<Instant>getFieldAs("proc"))
                .allMatch(time -> !time.isBefore(before) && !time.isAfter(after));
        assertThat(changes)
                .allMatch(row -> Objects.equals(row.getField("p"), row.getField("proc")));
        assertThat(changes.get(1).getField("proc")).isEqualTo(changes.get(0).getField("proc"));
    }

    @ParameterizedTest
    @CsvSource({
        "pipeline.object-reuse, true",
        "table.exec.mini-batch.enabled, true",
        "execution.checkpointing.unaligned.interruptible-timers.enabled, true",
        "state.changelog.enabled, true",
        "table.optimizer.reuse-sub-plan-enabled, false"
    })
    void comeTheSameWayWithOtherSettings(String option, String value) throws Exception {
        for (Backend backend : Backend.values()) {
            Configuration configuration = backend.configuration();
            configuration.setString(option, value);
            configuration.setString("table.exec.mini-batch.allow-latency", "1 s");
            configuration.setString("table.exec.mini-batch.size", "3");
            configuration.setString("execution.checkpointing.interval", "50 ms");
            configuration.setString("execution.checkpointing.unaligned.enabled", "true");
            assertThat(
                            seqs(
                                    Tables.with(configuration),
                                    "id AS k, text, seq AS s, `at`",
                                    "DEDUPLICATE(input => TABLE t PARTITION BY k, keep => 'last',"
                                            + " state_ttl => INTERVAL '1' DAY)"))
                    .containsExactly(1L, 1L, 2L, 3L, 3L, 4L);
            assertThat(
                            seqs(
                                    Tables.with(configuration),
                                    "id AS k, text, seq AS s, `at`",
                                    "DEDUPLICATE_WINDOW(input => TABLE t PARTITION BY k, on_time =>"
                                            + " DESCRIPTOR(`at`), duration => INTERVAL '1' HOUR)"))
                    .containsExactlyInAnyOrder(2L, 3L);
        }
    }
}
