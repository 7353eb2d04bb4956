/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class VerdictTest {

    private static final SuiteRun RUN = SuiteRun.OVER_ROCKSDB;
    private static final Counts GOOD = new Counts(2, 1, 1, 2, 0, 200, 100, 0, 0);

    @Test
    void aRunInWhichAllTestsPassIsGood() {
        assertThat(problems(result(RUN, GOOD))).isEmpty();
    }

    @Test
    void aDeniedMarkIsAProblemThoughAllTestsPassed() {
        Counts denied = new Counts(2, 1, 1, 2, 0, 200, 100, 1, 0);
        assertThat(problems(result(RUN, denied)))
                .singleElement()
                .asString()
                .contains("cascade-over-rocksdb", "a.Test", "1 marks denied");
    }

    @Test
    void aTestThatFailedIsAProblem() {
        ClassResult failed =
                new ClassResult(
                        RUN.label(),
                        "a.Test",
                        "abc",
                        1,
                        0,
                        List.of(new ClassResult.Failure("works", "it does not")),
                        List.of(),
                        GOOD,
                        1);
        assertThat(problems(failed)).singleElement().asString().contains("a.Test#works");
    }

    @Test
    void aClassThatDidNotEndIsAProblem() {
        assertThat(
                        Verdict.problems(
                                List.of(RUN),
                                List.of("a.Test", "b.Test"),
                                List.of(result(RUN, GOOD))))
                .singleElement()
                .asString()
                .contains("b.Test has not ended");
    }

    @Test
    void aClassWithoutAnyTestIsAProblem() {
        ClassResult nothing =
                new ClassResult(RUN.label(), "a.Test", "abc", 0, 0, List.of(), List.of(), GOOD, 1);
        assertThat(problems(nothing)).singleElement().asString().contains("has run no test");
    }

    @Test
    void aRunThatAskedNoFilterIsAProblem() {
        assertThat(problems(result(RUN, Counts.NONE)))
                .singleElement()
                .asString()
                .contains("no filter was asked");
    }

    @Test
    void aStockRunWithOurBackendIsAProblem() {
        assertThat(
                        Verdict.problems(
                                List.of(SuiteRun.STOCK),
                                List.of("a.Test"),
                                List.of(result(SuiteRun.STOCK, GOOD))))
                .singleElement()
                .asString()
                .contains("backends of the cascade were made");
    }

    private static List<String> problems(ClassResult result) {
        return Verdict.problems(List.of(RUN), List.of("a.Test"), List.of(result));
    }

    private static ClassResult result(SuiteRun run, Counts counts) {
        return new ClassResult(run.label(), "a.Test", "abc", 3, 1, List.of(), List.of(), counts, 1);
    }
}
