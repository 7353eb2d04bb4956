/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    TABLE records PARTITION BY id, keep => 'newest' | argument 'keep' is 'newest'. Write 'first' or 'last'.
                    TABLE records PARTITION BY id, keep => UPPER('first') | argument 'keep' is no constant
                    TABLE records PARTITION BY id, state_ttl => INTERVAL -'1' HOUR | argument 'state_ttl' is negative
                    TABLE records PARTITION BY id, sequence_by => DESCRIPTOR(nothing) | argument 'sequence_by' names 'nothing', which is no column of the input. Its columns are seq, text, millis, at, proc.
                    TABLE records PARTITION BY id, sequence_by => DESCRIPTOR(id) | argument 'sequence_by' names 'id', which is the same in all rows of a key. Leave it out.
                    TABLE odd PARTITION BY id, sequence_by => DESCRIPTOR(m) | argument 'sequence_by' names 'm' of type MAP<CHAR(1) NOT NULL, BIGINT> NOT NULL, which has no order
                    TABLE records PARTITION BY id ORDER BY `at` | argument 'input' has an ORDER BY
                    TABLE ids PARTITION BY id | argument 'input' has only columns of PARTITION BY
                    """)
    void ofDeduplicate(String arguments, String message) {
        refused("DEDUPLICATE(input => " + arguments + ")", "DEDUPLICATE: " + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    keep => 'first' | argument 'duration' is missing, and so is 'inactivity'
                    duration => INTERVAL '0' SECOND | argument 'duration' is not positive. Write an interval such as INTERVAL '1' HOUR.
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

    /** What Flink itself checks; its messages name the fix. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    DEDUPLICATE(input => TABLE records) | PARTITION BY
                    DEDUPLICATE(input => TABLE records PARTITION BY id, uid => '1 2') | Invalid unique identifier
                    DEDUPLICATE_WINDOW(input => TABLE records PARTITION BY id, duration => INTERVAL '1' HOUR) | on_time
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

    private void refused(String call, String message) {
        assertThatThrownBy(() -> tables.tables().explainSql("SELECT * FROM " + call))
                .rootCause()
                .hasMessageContaining(message);
    }
}
