/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code STATE_MACHINE}: what happens to the machine of each key. */
class StateMachineTest {

    private static final long TIME_TO_LIVE = 10_000;
    private static final int RECORDS = 2_000;

    private static final String MACHINE =
            """
            machine: logins
            initial: none
            timeToLive: 10 s
            states:
              failed:
              suspicious:
              broken-in: {terminal: true}
            transitions:
              - {from: none, event: failure, to: failed}
              - {from: failed, event: failure, to: suspicious}
              - {from: suspicious, event: failure}
              - {from: failed, event: success, to: none}
              - {from: suspicious, event: success, to: broken-in, output: guessed}
            """;

    private static String query(String machine) {
        return "SELECT id, kind, previous, event, state, output FROM STATE_MACHINE(input => TABLE"
                + " records PARTITION BY id, event => DESCRIPTOR(text), machine => '"
                + machine.replace("'", "''")
                + "', on_time => DESCRIPTOR(`at`))";
    }

    private static List<String> run(List<Row> records, String machine) throws Exception {
        return Tables.inStreamingMode().withRecords(records).changes(query(machine)).stream()
                .map(Row::toString)
                .toList();
    }

    @Test
    void eachEventIsOneRow() throws Exception {
        assertThat(
                        run(
                                List.of(
                                        Row.of("eve", 1L, "failure", 1_000L),
                                        Row.of("eve", 2L, "failure", 2_000L),
                                        Row.of("eve", 3L, null, 2_000L),
                                        Row.of("eve", 4L, "success", 3_000L),
                                        Row.of("eve", 5L, "success", 4_000L),
                                        Row.of("eve", 6L, "dance", 5_000L)),
                                MACHINE))
                .containsExactly(
                        "+I[eve, TRANSITION, none, failure, failed, null]",
                        "+I[eve, TRANSITION, failed, failure, suspicious, null]",
                        "+I[eve, FINISHED, suspicious, success, broken-in, guessed]",
                        "+I[eve, ILLEGAL, none, success, none, null]",
                        "+I[eve, ILLEGAL, none, dance, none, null]");
    }

    @Test
    void aMachineIsIdleForItsTimeToLiveAndNotForMore() throws Exception {
        assertThat(
                        run(
                                List.of(
                                        Row.of("a", 1L, "failure", 0L),
                                        Row.of("b", 2L, "failure", 0L),
                                        Row.of("a", 3L, "failure", TIME_TO_LIVE),
                                        Row.of("b", 4L, "failure", TIME_TO_LIVE + 1)),
                                MACHINE))
                .containsExactlyInAnyOrder(
                        "+I[a, TRANSITION, none, failure, failed, null]",
                        "+I[b, TRANSITION, none, failure, failed, null]",
                        "+I[a, TRANSITION, failed, failure, suspicious, null]",
                        "+I[b, TIMED_OUT, null, null, failed, null]",
                        "+I[b, TRANSITION, none, failure, failed, null]",
                        "+I[a, TIMED_OUT, null, null, suspicious, null]",
                        "+I[b, TIMED_OUT, null, null, failed, null]");
    }

    @Test
    void rowsMayBeOrderedByTheirTimes() throws Exception {
        List<Row> records =
                List.of(
                        Row.of("eve", 1L, "success", 3_000L),
                        Row.of("eve", 2L, "failure", 1_000L),
                        Row.of("eve", 3L, "failure", 2_000L));
        assertThat(
                        Tables.inStreamingMode()
                                .withRecords(records, Duration.ofSeconds(5))
                                .changes(
                                        query(MACHINE)
                                                .replace(
                                                        "PARTITION BY id",
                                                        "PARTITION BY id ORDER BY `at`")))
                .extracting(row -> row.getField("kind"))
                .containsExactly("TRANSITION", "TRANSITION", "FINISHED");
    }

    @Test
    void aTerminalStateWithATimeToLiveAbsorbsWhatTrails() throws Exception {
        String held = MACHINE.replace("{terminal: true}", "{terminal: true, timeToLive: 5 s}");
        List<Row> records = new ArrayList<>();
        for (String event : new String[] {"failure", "failure", "success", "failure"}) {
            records.add(Row.of("eve", 1L, event, 1_000L));
        }
        records.add(Row.of("eve", 1L, "failure", 6_001L));
        assertThat(run(records, held))
                .endsWith(
                        "+I[eve, FINISHED, suspicious, success, broken-in, guessed]",
                        "+I[eve, ILLEGAL, broken-in, failure, broken-in, null]",
                        "+I[eve, TRANSITION, none, failure, failed, null]",
                        "+I[eve, TIMED_OUT, null, null, failed, null]");
    }

    /** As with {@code Machines}: what trails does not renew an ended machine. */
    @Test
    void anEndedMachineIsHeldFromItsEndOnWhateverTrails() throws Exception {
        String held =
                MACHINE.replace("{terminal: true}", "{terminal: true, timeToLive: 5 s}")
                        + "  - {from: broken-in, event: success}\n";
        assertThat(
                        run(
                                List.of(
                                        Row.of("eve", 1L, "failure", 1_000L),
                                        Row.of("eve", 2L, "failure", 1_000L),
                                        Row.of("eve", 3L, "success", 1_000L),
                                        Row.of("eve", 4L, "success", 5_000L),
                                        Row.of("eve", 5L, "failure", 6_001L)),
                                held))
                .endsWith(
                        "+I[eve, TRANSITION, broken-in, success, broken-in, null]",
                        "+I[eve, TRANSITION, none, failure, failed, null]",
                        "+I[eve, TIMED_OUT, null, null, failed, null]");
    }

    /** Judged by counting the failures of each user. */
    @Test
    void finishedMachinesAndTimeOutsAreThoseOfCounting() throws Exception {
        long seed = Seeds.seed(0);
        SplittableRandom random = new SplittableRandom(seed);
        List<Row> records = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        Map<String, Integer> failures = new HashMap<>();
        Map<String, Long> last = new HashMap<>();
        for (int i = 0; i < RECORDS; i++) {
            String user = "user-" + random.nextInt(60);
            long now = 500L * i;
            boolean isFailure = random.nextInt(4) > 0;
            records.add(Row.of(user, (long) i, isFailure ? "failure" : "success", now));
            int count = failures.getOrDefault(user, 0);
            if (count > 0 && now - last.get(user) > TIME_TO_LIVE) {
                expected.add(user + " TIMED_OUT");
                count = 0;
            }
            if (!isFailure && count >= 2) {
                expected.add(user + " FINISHED");
            }
            failures.put(user, isFailure ? count + 1 : 0);
            last.put(user, now);
        }
        failures.forEach(
                (user, count) -> {
                    if (count > 0) {
                        expected.add(user + " TIMED_OUT");
                    }
                });
        List<String> rows =
                Tables.inStreamingMode().withRecords(records).changes(query(MACHINE)).stream()
                        .map(row -> row.getField(0) + " " + row.getField(1))
                        .filter(row -> !row.endsWith("TRANSITION") && !row.endsWith("ILLEGAL"))
                        .toList();
        assertThat(rows)
                .as(Seeds.describe(seed))
                .hasSizeGreaterThan(100)
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    event => DESCRIPTOR(seq), machine => 'x' | argument 'event' names 'seq' of type BIGINT. Name a column of text
                    event => DESCRIPTOR(id), machine => 'x' | argument 'event' names 'id', which is not a column of the input besides
                    event => DESCRIPTOR(text, seq), machine => 'x' | argument 'event' does not name one column
                    event => DESCRIPTOR(text), machine => UPPER('x') | argument 'machine' is not a constant
                    event => DESCRIPTOR(text), machine => 'x' | argument 'machine' is not a machine. machine, line 1: a machine must be a map
                    """)
    void anArgumentThatCannotBeMeantIsRefused(String arguments, String message) {
        Tables tables =
                Tables.inStreamingMode().withRecords(List.of(Row.of("a", 1L, "failure", 0L)));
        assertThatThrownBy(
                        () ->
                                tables.changes(
                                        "SELECT * FROM STATE_MACHINE(input => TABLE records"
                                                + " PARTITION BY id, on_time => DESCRIPTOR(`at`), "
                                                + arguments
                                                + ")"))
                .hasStackTraceContaining("STATE_MACHINE: " + message);
    }

    @Test
    void aMistakeInTheMachineHasItsLine() {
        assertThatThrownBy(
                        () ->
                                run(
                                        List.of(Row.of("a", 1L, "failure", 0L)),
                                        MACHINE.replace("to: failed", "to: faild")))
                .hasStackTraceContaining(
                        "argument 'machine' is not a machine. machine, line 9: machine 'logins':"
                                + " state 'faild' is not declared");
    }
}
