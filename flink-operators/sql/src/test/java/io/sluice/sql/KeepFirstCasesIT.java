/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.apache.flink.table.api.Expressions.$;
import static org.apache.flink.table.api.Expressions.lit;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.ApiExpression;
import org.apache.flink.table.api.Table;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The cases by which Flink 2.5 tests its {@code DEDUPLICATE_KEEP_FIRST}, with data of our own.
 * Elsewhere are those of updates ({@link UpdatesIT}), of one key ({@link OneKeyIT}), of what is
 * refused ({@link ArgumentsTest}), of late rows ({@link FirstInTimeTest}) and of restores ({@link
 * TimeToLiveTest}, {@link FirstInTimeTest}).
 */
class KeepFirstCasesIT {

    @RegisterExtension static final MiniClusterExtension FLINK = new MiniClusterExtension();

    private static final List<String> FUNCTIONS = List.of("DEDUPLICATE", "DEDUPLICATE_KEEP_FIRST");

    /** Two keys take turns, and the null key comes between. */
    private static final List<Row> RECORDS =
            List.of(
                    Operator.record("oak", 1, "seed", 3000),
                    Operator.record("elm", 2, "leaf", 2000),
                    Operator.record(null, 3, "wind", 2000),
                    Operator.record("oak", 4, "leaf", 1000),
                    Operator.record("elm", 5, "seed", 2000),
                    Operator.record(null, 6, "rain", 4000),
                    Operator.record("oak", 7, "seed", 1000));

    private static Tables tables() {
        return Tables.inStreamingMode().withRecords(RECORDS, Duration.ofSeconds(10));
    }

    /** What both functions put out, which is the same. */
    private static List<Row> first(String columns, String arguments) throws Exception {
        List<Row> rows = null;
        for (String function : FUNCTIONS) {
            List<Row> other =
                    tables().changes(
                                    "SELECT "
                                            + columns
                                            + " FROM "
                                            + function
                                            + "(input => "
                                            + arguments
                                            + ")");
            assertThat(rows == null ? other : rows).isEqualTo(other);
            rows = other;
        }
        return rows;
    }

    /** With a time-to-live of any kind, as long as it does not end, it is the same. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ", state_ttl => INTERVAL '0' SECOND, reset_ttl_on_duplicate => TRUE",
                ", state_ttl => INTERVAL '1' DAY",
                ", state_ttl => INTERVAL '1' DAY, reset_ttl_on_duplicate => FALSE"
            })
    void eachKeyAndTheNullKeyHaveAFirstRow(String arguments) throws Exception {
        assertThat(first("id, seq, text", "TABLE records PARTITION BY id" + arguments))
                .containsExactly(
                        Row.of("oak", 1L, "seed"),
                        Row.of("elm", 2L, "leaf"),
                        Row.of(null, 3L, "wind"));
    }

    @Test
    void rowsThatDifferInOneColumnOfTheKeyAreOfTwoKeys() throws Exception {
        assertThat(first("text, id, seq", "TABLE records PARTITION BY (text, id)"))
                .containsExactly(
                        Row.of("seed", "oak", 1L),
                        Row.of("leaf", "elm", 2L),
                        Row.of("wind", null, 3L),
                        Row.of("leaf", "oak", 4L),
                        Row.of("seed", "elm", 5L),
                        Row.of("rain", null, 6L));
    }

    /** Flink 2.5 needs no other column. */
    @Test
    void allColumnsMayMakeTheKeyIfOneIsAdded() throws Exception {
        assertThat(
                        first(
                                "id, text",
                                "(SELECT id, text, TRUE AS is_first FROM records) PARTITION BY"
                                        + " (id, text)"))
                .hasSize(6);
    }

    @Test
    void aColumnMayBeCalledLikeWhatIsKeptOfARow() throws Exception {
        assertThat(
                        first(
                                "*",
                                "(SELECT id, seq AS event_time, text AS seen FROM records)"
                                        + " PARTITION BY id"))
                .containsExactly(
                        Row.of("oak", 1L, "seed"),
                        Row.of("elm", 2L, "leaf"),
                        Row.of(null, 3L, "wind"));
    }

    @Test
    void theTableApiCallsThem() throws Exception {
        for (String function : FUNCTIONS) {
            assertThat(seqs(function)).containsExactly(1L, 2L, 3L);
            assertThat(
                            seqs(
                                    function,
                                    lit(Duration.ofHours(5)).asArgument("state_ttl"),
                                    lit(false).asArgument("reset_ttl_on_duplicate")))
                    .containsExactly(1L, 2L, 3L);
        }
    }

    @SuppressWarnings("try") // closing a result may be interrupted, says its type
    private static List<Object> seqs(String function, ApiExpression... arguments) throws Exception {
        Table result =
                tables().tables()
                        .from("records")
                        .partitionBy($("id"))
                        .process(function, (Object[]) arguments);
        List<Object> seqs = new ArrayList<>();
        try (CloseableIterator<Row> rows = result.execute().collect()) {
            rows.forEachRemaining(row -> seqs.add(row.getField("seq")));
        }
        return seqs;
    }

    /** Each with its own time; of equal times the first to arrive. */
    @Test
    void theFirstInEventTimeOfEachKey() throws Exception {
        assertThat(
                        tables().changes(
                                        "SELECT id, seq, rowtime FROM DEDUPLICATE_KEEP_FIRST(input"
                                                + " => TABLE records PARTITION BY id, on_time =>"
                                                + " DESCRIPTOR(`at`))"))
                .containsExactlyInAnyOrder(
                        Row.of("oak", 4L, Instant.ofEpochMilli(1000)),
                        Row.of("elm", 2L, Instant.ofEpochMilli(2000)),
                        Row.of(null, 3L, Instant.ofEpochMilli(2000)));
    }
}
