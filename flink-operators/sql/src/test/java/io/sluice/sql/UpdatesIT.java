/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An input with updates and deletes: the first row of a key that is inserted, or is there after an
 * update, comes out as an insert. What is taken back makes a key neither known nor new again.
 */
class UpdatesIT {

    @RegisterExtension static final MiniClusterExtension FLINK = new MiniClusterExtension();

    private static Row change(RowKind kind, String id, String text) {
        return Row.ofKind(kind, id, text);
    }

    private static Tables withChanges(ChangelogMode mode, Row... changes) {
        return withChanges(Tables.inStreamingMode(), mode, changes);
    }

    /** Makes the table {@code changes}, whose primary key is {@code id} if it is of upserts. */
    private static Tables withChanges(Tables tables, ChangelogMode mode, Row... changes) {
        DataStream<Row> stream =
                tables.environment()
                        .fromData(
                                Arrays.asList(changes),
                                Types.ROW_NAMED(
                                        new String[] {"id", "text"}, Types.STRING, Types.STRING));
        Schema.Builder schema =
                Schema.newBuilder()
                        .column("id", DataTypes.STRING().notNull())
                        .column("text", DataTypes.STRING());
        if (!mode.contains(RowKind.UPDATE_BEFORE)) {
            schema.primaryKey("id");
        }
        tables.tables()
                .createTemporaryView(
                        "changes",
                        tables.tables().fromChangelogStream(stream, schema.build(), mode));
        return tables;
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEDUPLICATE", "DEDUPLICATE_KEEP_FIRST"})
    void theFirstRowOfAKeyComesOutAndNoChangeOfIt(String function) throws Exception {
        assertThat(
                        withChanges(
                                        ChangelogMode.all(),
                                        change(RowKind.DELETE, "a", "never there"),
                                        change(RowKind.UPDATE_BEFORE, "b", "never there"),
                                        change(RowKind.UPDATE_AFTER, "b", "after an update"),
                                        change(RowKind.INSERT, "a", "inserted"),
                                        change(RowKind.INSERT, "a", "again"),
                                        change(RowKind.UPDATE_BEFORE, "a", "again"),
                                        change(RowKind.UPDATE_AFTER, "a", "updated"),
                                        change(RowKind.DELETE, "a", "updated"),
                                        change(RowKind.INSERT, "a", "after a delete"))
                                .changes(
                                        "SELECT * FROM "
                                                + function
                                                + "(input => TABLE changes PARTITION BY id)"))
                .containsExactly(
                        change(RowKind.INSERT, "b", "after an update"),
                        change(RowKind.INSERT, "a", "inserted"));
    }

    /** Deletes then have a key and nothing else. */
    @ParameterizedTest
    @EnumSource(Backend.class)
    void theSameOfUpserts(Backend backend) throws Exception {
        for (String arguments : List.of("", ", state_ttl => INTERVAL '1' DAY")) {
            assertThat(
                            withChanges(
                                            Tables.with(backend.configuration()),
                                            ChangelogMode.upsert(),
                                            change(RowKind.DELETE, "a", null),
                                            change(RowKind.UPDATE_AFTER, "a", "first"),
                                            change(RowKind.UPDATE_AFTER, "a", "updated"),
                                            change(RowKind.DELETE, "a", null),
                                            change(RowKind.UPDATE_AFTER, "b", "other"),
                                            change(RowKind.UPDATE_AFTER, "a", "after a delete"))
                                    .changes(
                                            "SELECT * FROM DEDUPLICATE(input => TABLE changes"
                                                    + " PARTITION BY id"
                                                    + arguments
                                                    + ")"))
                    .containsExactly(
                            change(RowKind.INSERT, "a", "first"),
                            change(RowKind.INSERT, "b", "other"));
        }
    }

    /** A row whose key changes is the first of its new one, and the old one stays known. */
    @Test
    void anUpdateOfTheKeyIsTheFirstRowOfTheNewKey() throws Exception {
        List<Row> records = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            records.add(Operator.record("id-" + i % 3, i, "", 0));
        }
        assertThat(
                        Tables.inStreamingMode()
                                .withRecords(records)
                                .changes(
                                        "SELECT n FROM DEDUPLICATE_KEEP_FIRST(input => (SELECT id,"
                                                + " COUNT(*) AS n FROM records GROUP BY id)"
                                                + " PARTITION BY n)"))
                .containsExactly(Row.of(1L), Row.of(2L), Row.of(3L), Row.of(4L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEDUPLICATE", "DEDUPLICATE_KEEP_FIRST"})
    @SuppressWarnings("try") // closing a result may be interrupted, says its type
    void whatTakesOnlyInsertsMayFollow(String function) throws Exception {
        Tables tables =
                withChanges(
                        ChangelogMode.all(),
                        change(RowKind.INSERT, "a", "one"),
                        change(RowKind.UPDATE_BEFORE, "a", "one"),
                        change(RowKind.UPDATE_AFTER, "a", "two"));
        try (CloseableIterator<Row> rows =
                tables.tables()
                        .toDataStream(
                                tables.tables()
                                        .sqlQuery(
                                                "SELECT * FROM "
                                                        + function
                                                        + "(input => TABLE changes PARTITION BY"
                                                        + " id)"))
                        .executeAndCollect()) {
            assertThat(rows).toIterable().containsExactly(change(RowKind.INSERT, "a", "one"));
        }
    }

    /** Even where what follows would take updates: of this input there are none. */
    @Test
    void onlyInsertsAreAnnounced() {
        assertThat(
                        explain(
                                withChanges(ChangelogMode.all()),
                                "SELECT * FROM DEDUPLICATE(input => TABLE changes PARTITION BY"
                                        + " id)"))
                .containsPattern("ProcessTableFunction\\(.*changelogMode=\\[I\\]");
    }

    /** The rows before an update are not asked for where the keys are those of the table. */
    @Test
    void upsertsNeedNoRowsBeforeThem() {
        assertThat(
                        explain(
                                withChanges(ChangelogMode.upsert()),
                                "SELECT * FROM DEDUPLICATE(input => TABLE changes PARTITION BY"
                                        + " id)"))
                .contains("ProcessTableFunction")
                .doesNotContain("UB");
    }

    private static String explain(Tables tables, String query) {
        return tables.tables().explainSql(query, ExplainDetail.CHANGELOG_MODE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"keep => 'last'", "sequence_by => DESCRIPTOR(text)"})
    void anyOtherRowThanTheFirstIsRefusedWithTheFix(String arguments) {
        assertThatThrownBy(
                        () ->
                                explain(
                                        withChanges(ChangelogMode.all()),
                                        "SELECT * FROM DEDUPLICATE(input => TABLE changes PARTITION"
                                                + " BY id, "
                                                + arguments
                                                + ")"))
                .hasMessageContaining("DEDUPLICATE: argument 'input' has updates or deletes")
                .hasMessageContaining("ROW_NUMBER()");
    }
}
