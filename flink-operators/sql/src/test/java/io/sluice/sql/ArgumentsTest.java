/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.LoggedLines;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An argument that cannot be meant is refused before the job starts, with its name and the fix. */
class ArgumentsTest {

    private final Tables tables =
            Tables.inStreamingMode().withRecords(List.of(Row.of("a", 1L, "one", 0L)));

    ArgumentsTest() {
        tables.tables()
                .executeSql(
                        "CREATE TEMPORARY VIEW odd AS SELECT id, MAP['a', seq] AS m, `at` FROM"
                                + " records");
        tables.tables().executeSql("CREATE TEMPORARY VIEW ids AS SELECT id FROM records");
        tables.tables()
                .executeSql(
                        "CREATE TEMPORARY VIEW named AS SELECT id, seq AS rowtime, text AS"
                                + " rowtime0, `at` FROM records");
        tables.tables()
                .executeSql(
                        "CREATE TEMPORARY VIEW counted AS SELECT id, COUNT(*) AS n FROM records"
                                + " GROUP BY id");
        tables.tables()
                .executeSql(
                        "CREATE TEMPORARY VIEW timed AS SELECT id, COUNT(*) AS n, `at` FROM records"
                                + " GROUP BY id, `at`");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    TABLE records PARTITION BY id, keep => 'newest' | argument 'keep' is 'newest'. Write 'first' or 'last'.
                    TABLE records PARTITION BY id, keep => UPPER('first') | argument 'keep' is not a constant
                    TABLE records PARTITION BY id, state_ttl => INTERVAL -'1' HOUR | argument 'state_ttl' is negative
                    TABLE records PARTITION BY id, state_ttl => INTERVAL '1' HOUR * 2 | argument 'state_ttl' is not a constant
                    TABLE records PARTITION BY id, reset_ttl_on_duplicate => 1 = 1 | argument 'reset_ttl_on_duplicate' is not a constant
                    TABLE records PARTITION BY id, sequence_by => DESCRIPTOR(nothing) | argument 'sequence_by' names 'nothing', which is not a column of the input. Its columns are seq, text, millis, at, proc.
                    TABLE records PARTITION BY id, sequence_by => DESCRIPTOR(id) | argument 'sequence_by' names 'id', which is the same in all rows of a key. Leave it out.
                    TABLE odd PARTITION BY id, sequence_by => DESCRIPTOR(m) | argument 'sequence_by' names 'm' of type MAP<CHAR(1) NOT NULL, BIGINT> NOT NULL, which has no order
                    TABLE records | argument 'input' has no PARTITION BY, so all of its rows would be of one key. Write input => TABLE t PARTITION BY id.
                    TABLE records PARTITION BY id ORDER BY `at` | argument 'input' has an ORDER BY
                    TABLE ids PARTITION BY id | argument 'input' has only columns of PARTITION BY
                    TABLE records PARTITION BY proc | argument 'input' has PARTITION BY 'proc', which is PROCTIME(): no row has a value there
                    TABLE odd PARTITION BY m | argument 'input' has PARTITION BY 'm', whose type MAP<CHAR(1) NOT NULL, BIGINT> NOT NULL has a map or a multiset
                    (SELECT ARRAY[ROW(m)] AS deep, id FROM odd) PARTITION BY deep | argument 'input' has PARTITION BY 'deep'
                    TABLE records PARTITION BY id, on_time => DESCRIPTOR(`at`) | argument 'on_time' has no effect here. Use DEDUPLICATE_KEEP_FIRST
                    TABLE records PARTITION BY id, on_time => DESCRIPTOR(proc) | argument 'on_time' has no effect here. Use DEDUPLICATE_KEEP_FIRST
                    TABLE records PARTITION BY id, state_ttl => INTERVAL '365' DAY | argument 'state_ttl' cannot be read: while parsing day-to-second interval 365. The first number of an interval has at most two digits, or three if it says so: INTERVAL '365' DAY(3), INTERVAL '16:40' MINUTE TO SECOND for 1000 seconds.
                    TABLE records PARTITION BY id, state_ttl => INTERVAL '1000' SECOND | argument 'state_ttl' cannot be read: while parsing
                    TABLE records PARTITION BY id, state_ttl => INTERVAL '0.000000001' SECOND | argument 'state_ttl' cannot be read
                    """)
    void ofDeduplicate(String arguments, String message) {
        refused("DEDUPLICATE(input => " + arguments + ")", "DEDUPLICATE: " + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "state_ttl => INTERVAL -'1' HOUR | is negative",
                "state_ttl => INTERVAL '1' HOUR * 2 | is not a constant",
                "reset_ttl_on_duplicate => 1 = 1 | is not a constant"
            },
            quoteCharacter = '"')
    void ofDeduplicateKeepFirst(String arguments, String message) {
        refused(
                "DEDUPLICATE_KEEP_FIRST(input => TABLE records PARTITION BY id, " + arguments + ")",
                message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    keep => 'first' | argument 'duration' is missing, and so is 'inactivity'
                    duration => INTERVAL '0' SECOND | argument 'duration' is not positive. Write an interval such as INTERVAL '1' HOUR.
                    duration => INTERVAL '0.0001' SECOND | argument 'duration' is not positive
                    duration => NULL, inactivity => NULL | argument 'duration' is missing, and so is 'inactivity'
                    inactivity => INTERVAL -'1' SECOND | argument 'inactivity' is not positive
                    duration => INTERVAL '1' HOUR, keep => 'any' | argument 'keep' is 'any'
                    duration => INTERVAL '1' HOUR, state_ttl => INTERVAL -'1' SECOND | argument 'state_ttl' is negative
                    duration => INTERVAL '1' HOUR, sequence_by => DESCRIPTOR(x) | argument 'sequence_by' names 'x'
                    """)
    void ofDeduplicateWindow(String arguments, String message) {
        refused(
                "DEDUPLICATE_WINDOW(input => TABLE records PARTITION BY id, on_time =>"
                        + " DESCRIPTOR(`at`), "
                        + arguments
                        + ")",
                "DEDUPLICATE_WINDOW: " + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    DEDUPLICATE_KEEP_FIRST(input => TABLE records PARTITION BY id, | proc | names 'proc', which is PROCTIME(): no row has a value there. Name the column that has the watermark
                    DEDUPLICATE_WINDOW(input => TABLE records PARTITION BY id, duration => INTERVAL '1' HOUR, | proc | names 'proc', which is PROCTIME(): no row has a value there. Name the column that has the watermark
                    DEDUPLICATE_KEEP_FIRST(input => TABLE records PARTITION BY id, | "" | names no column
                    """)
    void ofEventTime(String call, String column, String message) {
        refused(call + " on_time => DESCRIPTOR(" + column + "))", "argument 'on_time' " + message);
    }

    /** But for {@code DEDUPLICATE_KEEP_FIRST}, see {@link OneKeyIT}. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "DEDUPLICATE(input => TABLE records, keep => 'last')",
                "DEDUPLICATE_WINDOW(input => TABLE records, on_time => DESCRIPTOR(`at`), duration"
                        + " => INTERVAL '1' HOUR)",
                "STATE_MACHINE(input => TABLE records, event => DESCRIPTOR(text), machine => '{}')"
            })
    void noPartitionByInAnyOther(String call) {
        refused(call, "argument 'input' has no PARTITION BY");
    }

    @Test
    void columnsThatWouldBeCalledLikeTheOneThatFlinkAdds() {
        refused(
                "DEDUPLICATE_KEEP_FIRST(input => TABLE named PARTITION BY id, on_time =>"
                        + " DESCRIPTOR(`at`))",
                "DEDUPLICATE_KEEP_FIRST: argument 'input' has columns 'rowtime' and 'rowtime0'");
    }

    /** Intervals are counted in milliseconds by Flink itself; a shorter one is none. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "state_ttl => NULL",
                "state_ttl => CAST(NULL AS INTERVAL SECOND), keep => NULL, sequence_by => NULL,"
                        + " reset_ttl_on_duplicate => NULL",
                "state_ttl => INTERVAL '0' SECOND",
                "state_ttl => INTERVAL '0.0001' SECOND",
                "state_ttl => INTERVAL '0.001' SECOND",
                "state_ttl => INTERVAL '1 12:00:00' DAY TO SECOND",
                "state_ttl => INTERVAL '999 23:59:59.999' DAY(3) TO SECOND, keep => 'last'",
                "sequence_by => DESCRIPTOR()"
            })
    void whatIsTaken(String arguments) {
        assertThat(
                        tables.tables()
                                .explainSql(
                                        "SELECT * FROM DEDUPLICATE(input => TABLE records PARTITION"
                                                + " BY id, "
                                                + arguments
                                                + ")"))
                .contains("uid=[DEDUPLICATE]");
    }

    @Test
    void updatesInTheInputOfAWindow() {
        assertThatThrownBy(
                        () ->
                                tables.tables()
                                        .explainSql(
                                                "SELECT * FROM DEDUPLICATE_WINDOW(input => TABLE"
                                                        + " timed PARTITION BY id, on_time =>"
                                                        + " DESCRIPTOR(`at`), duration => INTERVAL"
                                                        + " '1' HOUR)"))
                .hasMessageContaining("doesn't support consuming update changes");
    }

    @Test
    void updatesInTheInputOfTheFirstRowInEventTime() {
        assertThatThrownBy(
                        () ->
                                tables.tables()
                                        .explainSql(
                                                "SELECT * FROM DEDUPLICATE_KEEP_FIRST(input =>"
                                                        + " TABLE timed PARTITION BY id, on_time =>"
                                                        + " DESCRIPTOR(`at`))"))
                .hasMessageContaining("`on_time`")
                .hasMessageContaining("not supported for PTFs that consume or produce updates");
    }

    @Test
    void twoCallsOfOneName() {
        assertThatThrownBy(
                        () ->
                                tables.tables()
                                        .explainSql(
                                                "SELECT id FROM DEDUPLICATE(input => TABLE records"
                                                    + " PARTITION BY id) UNION ALL SELECT id FROM"
                                                    + " DEDUPLICATE(input => TABLE records"
                                                    + " PARTITION BY (id, seq))"))
                .hasMessageContaining("Duplicate unique identifier 'DEDUPLICATE'")
                .hasMessageContaining("uid");
    }

    /** What Flink itself checks; its messages name the fix. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    DEDUPLICATE(input => TABLE records PARTITION BY id, uid => '1 2') | Invalid unique identifier
                    DEDUPLICATE_WINDOW(input => TABLE records PARTITION BY id, duration => INTERVAL '1' HOUR) | on_time
                    DEDUPLICATE(input => TABLE records PARTITION BY id, state_ttl => INTERVAL '1' MONTH) | state_ttl => INTERVAL DAY(2) TO SECOND(3)
                    DEDUPLICATE_WINDOW(input => TABLE records PARTITION BY id, on_time => DESCRIPTOR(`at`), duration => INTERVAL '1' YEAR) | duration => INTERVAL DAY(2) TO SECOND(3)
                    DEDUPLICATE(input => TABLE records PARTITION BY id, state_ttl => 1000) | state_ttl => INTERVAL DAY(2) TO SECOND(3)
                    DEDUPLICATE(input => TABLE records PARTITION BY id, state_ttl => INTERVAL '1000' DAY(4)) | precision is not supported: 4
                    """)
    void whatFlinkChecks(String call, String message) {
        refused(call, message);
    }

    @Test
    void updatesForOneWhoTakesOnlyInserts() {
        for (String arguments : List.of("keep => 'last'", "sequence_by => DESCRIPTOR(seq)")) {
            assertThatThrownBy(
                            () ->
                                    tables.tables()
                                            .toDataStream(
                                                    tables.tables()
                                                            .sqlQuery(
                                                                    "SELECT * FROM"
                                                                        + " DEDUPLICATE(input =>"
                                                                        + " TABLE records PARTITION"
                                                                        + " BY id, "
                                                                            + arguments
                                                                            + ")")))
                    .hasMessageContaining("what follows takes only inserts")
                    .hasMessageContaining("DEDUPLICATE_WINDOW");
        }
    }

    /** Flink leaves it out before the function is asked. */
    @Test
    void anArgumentThatTheFunctionDoesNotKnowIsMetByTheListOfThoseItKnows() {
        try (LoggedLines lines = LoggedLines.of(Definition.class)) {
            tables.tables()
                    .explainSql(
                            "SELECT * FROM DEDUPLICATE_KEEP_FIRST(input => TABLE records PARTITION"
                                    + " BY id, keep => 'last')");
            assertThat(lines.all())
                    .anySatisfy(
                            line ->
                                    assertThat(line)
                                            .contains("DEDUPLICATE_KEEP_FIRST")
                                            .contains(
                                                    "input, state_ttl, reset_ttl_on_duplicate,"
                                                            + " on_time, uid"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INTERVAL '365' SECOND(3)",
                "INTERVAL '16:40' MINUTE TO SECOND",
                "INTERVAL '365' DAY(3)"
            })
    void intervalsThatTheMessageAboutThemNames(String interval) {
        assertThat(
                        tables.tables()
                                .explainSql(
                                        "SELECT * FROM DEDUPLICATE(input => TABLE records"
                                                + " PARTITION BY id, state_ttl => "
                                                + interval
                                                + ")"))
                .contains("DEDUPLICATE");
    }

    @Test
    void aTableWithUpdatesComesInAsItsChanges() {
        assertThat(
                        tables.tables()
                                .explainSql(
                                        "SELECT * FROM DEDUPLICATE_KEEP_FIRST(input => (SELECT *"
                                                + " FROM TO_CHANGELOG(input => TABLE counted))"
                                                + " PARTITION BY id)"))
                .contains("TO_CHANGELOG", "DEDUPLICATE_KEEP_FIRST");
    }

    private void refused(String call, String message) {
        assertThatThrownBy(() -> tables.tables().explainSql("SELECT * FROM " + call))
                .rootCause()
                .hasMessageContaining(message);
    }
}
