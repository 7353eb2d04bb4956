/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A restore with other arguments: no key that is known becomes new. */
@ParameterizedClass
@EnumSource(Backend.class)
class ChangedOptionsTest {

    private static final long HOUR = 3_600_000;

    @Parameter Backend backend;

    private static String call(String arguments) {
        return "DEDUPLICATE(input => TABLE records PARTITION BY id" + arguments + ")";
    }

    private Operator start(String arguments, OperatorSubtaskState snapshot) throws Exception {
        return Operator.start(call(arguments), backend.make(), snapshot);
    }

    /** After one record of the key "a", at the time 0. */
    private OperatorSubtaskState afterOne(String arguments) throws Exception {
        try (Operator operator = start(arguments, null)) {
            operator.at(0, "a", 5, "five", 0);
            return operator.snapshot(1);
        }
    }

    @Test
    void aTimeToLiveThatIsSwitchedOnBeginsAtTheLatestWithTheRestore() throws Exception {
        OperatorSubtaskState snapshot = afterOne("");
        try (Operator operator =
                start(
                        ", state_ttl => INTERVAL '2' HOUR, reset_ttl_on_duplicate => FALSE",
                        snapshot)) {
            operator.at(HOUR, "a", 6, "duplicate", 0);
            operator.at(HOUR, "b", 6, "b", 0);
            operator.at(HOUR * 5, "a", 7, "new", 0);
            assertThat(operator.output()).containsExactly("+I b b", "+I a new");
        }
    }

    @Test
    void aTimeToLiveThatIsSwitchedOffOrMadeLonger() throws Exception {
        OperatorSubtaskState snapshot = afterOne(", state_ttl => INTERVAL '2' HOUR");
        for (String arguments : List.of("", ", state_ttl => INTERVAL '2' DAY")) {
            try (Operator operator = start(arguments, snapshot)) {
                operator.at(HOUR, "a", 6, "duplicate", 0);
                operator.at(HOUR * 20, "a", 7, "duplicate", 0);
                assertThat(operator.output()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\" | , keep => 'last'",
                "\"\" | , sequence_by => DESCRIPTOR(seq)",
                ", keep => 'last' | \"\"",
                ", keep => 'last' | , keep => 'last', reset_ttl_on_duplicate => FALSE",
                ", sequence_by => DESCRIPTOR(seq) | , keep => 'last', sequence_by =>"
                        + " DESCRIPTOR(seq)"
            })
    void whicheverRowIsKept(String before, String after) throws Exception {
        try (Operator operator = start(after, afterOne(before))) {
            operator.at(0, "b", 1, "new", 0);
            operator.at(0, "a", 5, "duplicate", 0);
            operator.at(0, "a", 3, "duplicate", 0);
            assertThat(operator.output()).contains("+I b new").doesNotContain("+I a duplicate");
        }
    }

    @Test
    void anotherParallelism() throws Exception {
        int keys = 100;
        OperatorSubtaskState snapshot;
        try (Operator operator = start("", null)) {
            for (int i = 0; i < keys; i++) {
                operator.at(0, "id-" + i, i, "first", 0);
            }
            snapshot = operator.snapshot(1);
        }
        List<String> output = new ArrayList<>();
        for (int subtask = 0; subtask < 3; subtask++) {
            try (Operator operator =
                    Operator.start(call(""), backend.make(), snapshot, 3, subtask)) {
                for (int i = 0; i < 2 * keys; i++) {
                    if (operator.isFor("id-" + i, 3, subtask)) {
                        operator.at(0, "id-" + i, i, "again", 0);
                    }
                }
                output.addAll(operator.output());
            }
        }
        assertThat(output)
                .hasSize(keys)
                .doesNotContain("+I id-0 again")
                .contains("+I id-100 again");
    }
}
