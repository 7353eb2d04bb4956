/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How long a key is known. On the state backend of Sluice that may be an eighth longer, so the
 * steps are long.
 */
@ParameterizedClass
@EnumSource(Backend.class)
class TimeToLiveTest {

    private static final long HOUR = 3_600_000;

    @Parameter Backend backend;

    private static String call(String arguments) {
        return "DEDUPLICATE(input => TABLE records PARTITION BY id" + arguments + ")";
    }

    private Operator start(String arguments) throws Exception {
        return Operator.start(call(arguments), backend.make(), null);
    }

    @Test
    void aDuplicateBeginsTheTimeToLiveAnewByDefault() throws Exception {
        try (Operator operator = start(", state_ttl => INTERVAL '2' HOUR")) {
            operator.at(0, "a", 1, "new", 0);
            operator.at(HOUR * 3 / 2, "a", 2, "duplicate", 0);
            operator.at(HOUR * 3, "a", 3, "duplicate", 0);
            operator.at(HOUR * 9 / 2, "a", 4, "duplicate", 0);
            operator.at(HOUR * 8, "a", 5, "new again", 0);
            assertThat(operator.output()).containsExactly("+I a new", "+I a new again");
        }
    }

    @Test
    void orItEndsAfterTheFirst() throws Exception {
        try (Operator operator =
                start(", state_ttl => INTERVAL '2' HOUR, reset_ttl_on_duplicate => FALSE")) {
            operator.at(0, "a", 1, "new", 0);
            operator.at(HOUR, "a", 2, "duplicate", 0);
            operator.at(HOUR * 3 / 2, "a", 3, "duplicate", 0);
            operator.at(HOUR * 3, "a", 4, "new again", 0);
            assertThat(operator.output()).containsExactly("+I a new", "+I a new again");
        }
    }

    /** It is not a duplicate. */
    @Test
    void whatIsTakenBackDoesNotBeginItAnew() throws Exception {
        try (Operator operator = start(", state_ttl => INTERVAL '2' HOUR")) {
            operator.at(0, "a", 1, "new", 0);
            operator.at(HOUR * 3 / 2, RowKind.UPDATE_BEFORE, "a", 2, "taken back", 0);
            operator.at(HOUR * 3 / 2, RowKind.DELETE, "a", 3, "taken back", 0);
            operator.at(HOUR * 3, RowKind.UPDATE_AFTER, "a", 4, "new again", 0);
            assertThat(operator.output()).containsExactly("+I a new", "+I a new again");
            assertThat(operator.duplicates()).isZero();
        }
    }

    @Test
    void ofTheLastRowToo() throws Exception {
        try (Operator operator = start(", keep => 'last', state_ttl => INTERVAL '2' HOUR")) {
            operator.at(0, "a", 1, "one", 0);
            operator.at(HOUR * 3 / 2, "a", 2, "two", 0);
            operator.at(HOUR * 3, "a", 3, "three", 0);
            operator.at(HOUR * 7, "a", 4, "four", 0);
            assertThat(operator.output())
                    .containsExactly(
                            "+I a one",
                            "-U a one",
                            "+U a two",
                            "-U a two",
                            "+U a three",
                            "+I a four");
        }
    }

    /** The rows that replace each other are written, and still the time of the first counts. */
    @Test
    void ofTheLastRowAfterTheFirst() throws Exception {
        try (Operator operator =
                start(
                        ", keep => 'last', state_ttl => INTERVAL '2' HOUR, reset_ttl_on_duplicate"
                                + " => FALSE")) {
            operator.at(0, "a", 1, "one", 0);
            operator.at(HOUR * 3 / 2, "a", 2, "two", 0);
            operator.at(HOUR * 3, "a", 3, "three", 0);
            assertThat(operator.output())
                    .containsExactly("+I a one", "-U a one", "+U a two", "+I a three");
        }
    }

    /** A row that is not kept begins the time-to-live of the row that is. */
    @Test
    void ofTheBestRowWhenWorseOnesCome() throws Exception {
        try (Operator operator =
                start(", sequence_by => DESCRIPTOR(seq), state_ttl => INTERVAL '2' HOUR")) {
            operator.at(0, "a", 5, "five", 0);
            operator.at(HOUR * 3 / 2, "a", 6, "six", 0);
            operator.at(HOUR * 3, "a", 7, "seven", 0);
            operator.at(HOUR * 9 / 2, "a", 4, "four", 0);
            assertThat(operator.output()).containsExactly("+I a five", "-U a five", "+U a four");
        }
    }

    /** By the call or the session. A key that comes after the restore is new then. */
    @Test
    void mayEndBeforeARestore() throws Exception {
        Configuration session =
                new Configuration()
                        .set(ExecutionConfigOptions.IDLE_STATE_RETENTION, Duration.ofHours(2));
        String inCall = call(", state_ttl => INTERVAL '2' HOUR");
        for (Map.Entry<Configuration, String> job :
                List.of(Map.entry(new Configuration(), inCall), Map.entry(session, call("")))) {
            OperatorSubtaskState snapshot;
            try (Operator operator =
                    Operator.start(job.getKey(), job.getValue(), backend.make(), null, 0)) {
                operator.at(0, "a", 1, "new", 0);
                operator.at(HOUR * 4, "b", 2, "new", 0);
                snapshot = operator.snapshot(1);
            }
            try (Operator operator =
                    Operator.start(
                            job.getKey(), job.getValue(), backend.make(), snapshot, HOUR * 5)) {
                operator.at(HOUR * 5, "a", 3, "new again", 0);
                operator.at(HOUR * 5, "b", 4, "duplicate", 0);
                operator.at(HOUR * 5, "c", 5, "new", 0);
                assertThat(operator.output()).containsExactly("+I a new again", "+I c new");
            }
        }
    }

    @Test
    void thereIsNoneUnlessItIsGiven() throws Exception {
        for (String arguments : new String[] {"", ", state_ttl => INTERVAL '0' SECOND"}) {
            try (Operator operator = start(arguments)) {
                operator.at(0, "a", 1, "new", 0);
                operator.at(HOUR * 24 * 365, "a", 2, "duplicate", 0);
                assertThat(operator.output()).containsExactly("+I a new");
            }
        }
    }

    /** As with {@code PARTITION BY} anywhere: nulls are one key. */
    @Test
    void aNullIsAKeyLikeAnyOther() throws Exception {
        try (Operator operator = start("")) {
            operator.at(0, null, 1, "new", 0);
            operator.at(0, "a", 2, "new", 0);
            operator.at(0, null, 3, "duplicate", 0);
            assertThat(operator.output()).containsExactly("+I null new", "+I a new");
        }
    }
}
