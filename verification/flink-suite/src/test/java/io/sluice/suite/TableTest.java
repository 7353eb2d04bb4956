/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {

    private static final Place PLACE =
            new Place("2026-11-26T04:00:00Z", "abc", "2.3.0", "a cpu", 2, "17", "Linux");
    private static final Counts REACHED = new Counts(2, 1, 1, 2, 3, 2000, 1000, 0, 1);

    @Test
    void aClassHasARowWithAllItsRuns() {
        assertThat(
                        Table.of(
                                PLACE,
                                List.of(
                                        result("stock", 4, Counts.NONE),
                                        result("cascade-over-hashmap", 3, REACHED))))
                .contains(
                        "| `b.SomeTest` | 4 passed | not run | 3 passed, 1 left out | 3 | 1,000 |");
    }

    @Test
    void aClassWithoutOurBackendIsNamedAsSuchAndNotCounted() {
        assertThat(Table.of(PLACE, List.of(result("cascade-over-rocksdb", 4, Counts.NONE))))
                .contains(
                        "| `b.SomeTest` | not run | does not reach the backend | not run | 0 | 0 |",
                        "| cascade-over-rocksdb | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |");
    }

    @Test
    void aTestThatWasLeftOutDoesNotHideThatTheOthersDoNotReachTheBackend() {
        assertThat(Table.of(PLACE, List.of(result("cascade-over-hashmap", 3, Counts.NONE))))
                .contains(
                        "| `b.SomeTest` | not run | not run | does not reach the backend | 0 | 0"
                                + " |");
    }

    @Test
    void whatWasLeftOutIsNamedWithItsReason() {
        assertThat(Table.of(PLACE, List.of(result("cascade-over-hashmap", 3, REACHED))))
                .contains("| `b.SomeTest.works` | it asks for keys |");
    }

    @Test
    void theTotalsOfARunAreSums() {
        ClassResult result = result("cascade-over-hashmap", 3, REACHED);
        assertThat(Table.of(PLACE, List.of(result, result)))
                .contains(
                        "| cascade-over-hashmap | 2 | 6 | 0 | 0 | 2 | 4 | 2 | 2 | 2,000 | 0 | 2 |");
    }

    private static ClassResult result(String run, int passed, Counts counts) {
        List<ClassResult.LeftOut> leftOut =
                run.equals("cascade-over-hashmap")
                        ? List.of(new ClassResult.LeftOut("works()[1]", "it asks for keys"))
                        : List.of();
        return new ClassResult(
                run, "a.b.SomeTest", "abc", passed, 0, List.of(), leftOut, counts, 1);
    }
}
