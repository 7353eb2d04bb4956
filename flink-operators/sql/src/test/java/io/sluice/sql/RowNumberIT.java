/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code DEDUPLICATE} ends with the same table as {@code ROW_NUMBER() = 1} on random records. */
class RowNumberIT {

    @RegisterExtension static final MiniClusterExtension FLINK = new MiniClusterExtension();

    private static final int REPETITIONS = 3;
    private static final int RECORDS = 400;
    private static final int KEYS = 60;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "keep => 'first' | proc ASC",
                "keep => 'last' | proc DESC",
                "keep => 'FIRST', sequence_by => DESCRIPTOR(seq) | seq ASC",
                "keep => 'last', sequence_by => DESCRIPTOR(seq) | seq DESC",
                "sequence_by => DESCRIPTOR(`at`) | `at` ASC",
                "keep => 'last', sequence_by => DESCRIPTOR(text, seq) | text DESC, seq DESC",
                "keep => 'last', sequence_by => DESCRIPTOR(seq), state_ttl => INTERVAL '1' DAY,"
                        + " reset_ttl_on_duplicate => FALSE | seq DESC"
            })
    void theTablesAreEqual(String arguments, String order) throws Exception {
        for (int i = 0; i < REPETITIONS; i++) {
            long seed = Seeds.seed(i);
            List<Row> records = records(new SplittableRandom(seed));
            List<Row> ours =
                    Tables.inStreamingMode()
                            .withRecords(records)
                            .changes(
                                    "SELECT id, seq, text, millis FROM DEDUPLICATE(input => TABLE"
                                            + " records PARTITION BY id, "
                                            + arguments
                                            + ")");
            List<Row> expected =
                    Tables.inStreamingMode()
                            .withRecords(records)
                            .changes(
                                    "SELECT id, seq, text, millis FROM (SELECT *, ROW_NUMBER() OVER"
                                            + " (PARTITION BY id ORDER BY "
                                            + order
                                            + ") AS n FROM records) WHERE n = 1");
            assertThat(table(ours))
                    .as(Seeds.describe(seed))
                    .hasSizeGreaterThan(KEYS / 2)
                    .isEqualTo(lastOfEachKey(expected));
        }
    }

    @ParameterizedTest
    @CsvSource({"''", "', keep => ''first'''"})
    void keepingTheFirstToArriveMakesOnlyInserts(String arguments) throws Exception {
        List<Row> records = records(Seeds.random());
        assertThat(
                        Tables.inStreamingMode()
                                .withRecords(records)
                                .changes(
                                        "SELECT * FROM DEDUPLICATE(input => TABLE records PARTITION"
                                                + " BY id"
                                                + arguments
                                                + ")"))
                .allMatch(row -> row.getKind() == RowKind.INSERT)
                .hasSameSizeAs(records.stream().map(row -> row.getField("id")).distinct().toList());
    }

    /** The table that the changes make. Fails if one takes back what is not there. */
    private static Set<Row> table(List<Row> changes) {
        Set<Row> table = new HashSet<>();
        for (Row change : changes) {
            RowKind kind = change.getKind();
            change.setKind(RowKind.INSERT);
            boolean adds = kind == RowKind.INSERT || kind == RowKind.UPDATE_AFTER;
            assertThat(adds ? table.add(change) : table.remove(change)).as("%s", change).isTrue();
        }
        return table;
    }

    /** The same for Flink's own, which may update a row without taking it back before. */
    private static Set<Row> lastOfEachKey(List<Row> changes) {
        Map<Object, Row> table = new HashMap<>();
        for (Row change : changes) {
            RowKind kind = change.getKind();
            change.setKind(RowKind.INSERT);
            if (kind == RowKind.INSERT || kind == RowKind.UPDATE_AFTER) {
                table.put(change.getField("id"), change);
            } else {
                table.remove(change.getField("id"), change);
            }
        }
        return new HashSet<>(table.values());
    }

    /** Numbers and times are unique, so that there is one right answer; one number is null. */
    private static List<Row> records(SplittableRandom random) {
        List<Long> numbers = new ArrayList<>();
        for (long i = 0; i < RECORDS; i++) {
            numbers.add(i);
        }
        List<Row> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            int key = random.nextInt(KEYS);
            long number = numbers.remove(random.nextInt(numbers.size()));
            Row row = Row.withNames();
            row.setField("id", key == 0 ? null : "id-" + key);
            row.setField("seq", number == 0 ? null : number);
            row.setField("text", "text-" + number % 3);
            // Never late: each is after the one before.
            row.setField("millis", 1000L * i);
            records.add(row);
        }
        return records;
    }
}
