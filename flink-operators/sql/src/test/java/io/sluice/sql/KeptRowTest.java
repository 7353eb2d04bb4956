/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A kept row and the flag of its key do not end at the same time: in a filter a flag lives up to an
 * eighth longer, and without {@code reset_ttl_on_duplicate} the row is written later. Whatever ends
 * first, no row that would be put out is lost.
 */
@ParameterizedClass
@EnumSource(Backend.class)
class KeptRowTest {

    private static final long HOUR = 3_600_000;
    private static final long MINUTE = 60_000;

    private static final String TWO_HOURS = ", state_ttl => INTERVAL '2' HOUR";

    @Parameter Backend backend;

    private Operator start(String arguments) throws Exception {
        return start(new Configuration(), arguments, null, 0);
    }

    private Operator start(
            Configuration session, String arguments, OperatorSubtaskState snapshot, long wallClock)
            throws Exception {
        return Operator.start(
                session,
                "DEDUPLICATE(input => TABLE records PARTITION BY id" + arguments + ")",
                backend.make(),
                snapshot,
                wallClock);
    }

    /** Just behind its time-to-live a key is new, or, if its flag is still there, updated. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                ", keep => 'last'",
                ", keep => 'last', reset_ttl_on_duplicate => FALSE",
                ", keep => 'last', sequence_by => DESCRIPTOR(seq)",
                ", keep => 'last', sequence_by => DESCRIPTOR(seq), reset_ttl_on_duplicate => FALSE"
            })
    void theLastRowComesOutAtAnyTime(String arguments) throws Exception {
        try (Operator operator = start(arguments + TWO_HOURS)) {
            long seq = 0;
            for (long now = 0; now < 30 * HOUR; now += 2 * HOUR + 5 * MINUTE) {
                operator.at(now, "a", seq, "row " + seq, 0);
                assertThat(operator.output()).last().asString().endsWith("a row " + seq);
                seq++;
            }
        }
    }

    /** In smaller steps too, which end at any time of a bucket. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theChangesMakeATable(boolean resets) throws Exception {
        try (Operator operator =
                start(", keep => 'last', reset_ttl_on_duplicate => " + resets + TWO_HOURS)) {
            List<String> table = new ArrayList<>();
            long now = 0;
            for (int i = 0; i < 200; i++) {
                now += (i * 37 % 145) * MINUTE;
                operator.at(now, "a", i, "row " + i, 0);
                for (String change : operator.output()) {
                    String row = change.substring(3);
                    switch (change.substring(0, 2)) {
                        // New, or new again after its row has been forgotten.
                        case "+I" -> table = new ArrayList<>(List.of(row));
                        case "-U" -> assertThat(table.remove(row)).as(change).isTrue();
                        default -> table.add(row);
                    }
                }
                assertThat(table).containsExactly("a row " + i);
            }
        }
    }

    @Test
    void soDoesTheBestRow() throws Exception {
        try (Operator operator = start(", sequence_by => DESCRIPTOR(seq)" + TWO_HOURS)) {
            operator.at(0, "a", 5, "five", 0);
            operator.at(2 * HOUR + 5 * MINUTE, "a", 4, "four", 0);
            assertThat(operator.output()).last().asString().endsWith("a four");
        }
    }

    @Test
    void underTheTimeToLiveOfTheSessionToo() throws Exception {
        Configuration session =
                new Configuration()
                        .set(ExecutionConfigOptions.IDLE_STATE_RETENTION, Duration.ofHours(2));
        try (Operator operator = start(session, ", keep => 'last'", null, 0)) {
            operator.at(0, "a", 1, "one", 0);
            operator.at(2 * HOUR + 5 * MINUTE, "a", 2, "two", 0);
            operator.at(8 * HOUR, "a", 3, "three", 0);
            assertThat(operator.output())
                    .anyMatch(change -> change.endsWith("a two"))
                    .endsWith("+I a three");
        }
    }

    /** Without a row there is nothing to update, so its duplicates do not keep the key known. */
    @Test
    void aKeyWithoutARowIsNewAfterATimeToLiveThoughDuplicatesCome() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start(TWO_HOURS)) {
            operator.at(0, "a", 1, "one", 0);
            snapshot = operator.snapshot(1);
        }
        try (Operator operator =
                start(new Configuration(), ", keep => 'last'" + TWO_HOURS, snapshot, 0)) {
            for (int minutes = 25; minutes <= 150; minutes += 25) {
                operator.at(minutes * MINUTE, "a", 2, "after " + minutes, 0);
            }
            assertThat(operator.output())
                    .isNotEmpty()
                    .doesNotContain("+I a after 100")
                    .last()
                    .asString()
                    .endsWith("a after 150");
            operator.at(200 * MINUTE, "a", 3, "three", 0);
            assertThat(operator.output()).containsExactly("-U a after 150", "+U a three");
        }
    }

    /**
     * In a filter marks that lasted begin to live at the restore; the row's time is that at which
     * it was written.
     */
    @Test
    void aTimeToLiveThatIsSwitchedOnLosesNoKeyForLonger() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start(", keep => 'last'")) {
            operator.at(0, "a", 1, "one", 0);
            snapshot = operator.snapshot(1);
        }
        try (Operator operator =
                start(new Configuration(), ", keep => 'last'" + TWO_HOURS, snapshot, 10 * HOUR)) {
            for (int minutes = 30; minutes <= 150; minutes += 30) {
                operator.at(10 * HOUR + minutes * MINUTE, "a", 2, "after " + minutes, 0);
            }
            assertThat(operator.output()).last().asString().endsWith("a after 150");
        }
    }
}
