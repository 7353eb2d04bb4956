/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;

class SuiteVerdictTest {

    private static final SuiteRun RUN = SuiteRun.OVER_ROCKSDB;
    private static final Counts GOOD = new Counts(2, 1, 1, 2, 0, 200, 100, 0, 0);

    @Test
    void aRunInWhichAllTestsPassIsGood() {
        assertThat(problems(result(RUN, GOOD))).isEmpty();
    }

    @Test
    void aDeniedMarkIsAProblemThoughAllTestsPassed() {
        Counts denied = new Counts(2, 1, 1, 2, 0, 200, 100, 1, 0);
        assertOnlyProblem(result(RUN, denied))
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
        assertOnlyProblem(failed).contains("a.Test#works");
    }

    @Test
    void aClassThatDidNotEndIsAProblem() {
        assertThat(
                        SuiteVerdict.problems(
                                List.of(RUN),
                                List.of("a.Test", "b.Test"),
                                List.of(),
                                List.of(result(RUN, GOOD))))
                .singleElement()
                .asString()
                .contains("b.Test has not ended");
    }

    @Test
    void aClassWithoutAnyTestIsAProblem() {
        ClassResult nothing =
                new ClassResult(RUN.label(), "a.Test", "abc", 0, 0, List.of(), List.of(), GOOD, 1);
        assertOnlyProblem(nothing).contains("has run no test");
    }

    @Test
    void aClassAllOfWhoseTestsAreSkippedIsAProblem() {
        ClassResult skipped =
                new ClassResult(RUN.label(), "a.Test", "abc", 0, 4, List.of(), List.of(), GOOD, 1);
        assertOnlyProblem(skipped).contains("has run no test");
    }

    @Test
    void aTestThatIsSkippedOnOurBackendAloneIsAProblem() {
        ClassResult stock =
                new ClassResult(
                        SuiteRun.STOCK.label(),
                        "a.Test",
                        "abc",
                        4,
                        0,
                        List.of(),
                        List.of(),
                        Counts.NONE,
                        1);
        assertOnlyProblem(stock, result(RUN, GOOD))
                .contains("a.Test skips 1 tests, and 0 on Flink's own backend");
    }

    @Test
    void aClassThatDoesNotReachTheBackendIsAProblemUnlessThatIsKnown() {
        List<ClassResult> results = List.of(result(RUN, GOOD), result(RUN, "b.Test", Counts.NONE));
        List<String> classes = List.of("a.Test", "b.Test");
        assertThat(SuiteVerdict.problems(List.of(RUN), classes, List.of(), results))
                .singleElement()
                .asString()
                .contains("b.Test has not reached the backend");
        assertThat(SuiteVerdict.problems(List.of(RUN), classes, List.of("b.Test"), results))
                .isEmpty();
    }

    @Test
    void filtersThatKeepWhatWasRemovedOrSayYesToEverythingAreAProblem() {
        Counts yes = new Counts(2, 1, 1, 2, 0, 200_000, 100_000, 0, 12_500);
        assertOnlyProblem(result(RUN, yes))
                .contains("of 100000 lookups of keys without a mark 12500 found one");
    }

    @Test
    void aFewKeysAreTakenForMarkedByChance() {
        Counts chance = new Counts(2, 1, 1, 2, 0, 80_000_000, 40_000_000, 0, 45);
        assertThat(problems(result(RUN, chance))).isEmpty();
    }

    @Test
    void aRunThatAskedNoFilterIsAProblem() {
        Counts unasked = new Counts(2, 1, 1, 2, 0, 0, 0, 0, 0);
        assertOnlyProblem(result(RUN, unasked)).contains("no filter was asked");
    }

    @Test
    void aStockRunWithOurBackendIsAProblem() {
        assertThat(
                        SuiteVerdict.problems(
                                List.of(SuiteRun.STOCK),
                                List.of("a.Test"),
                                List.of(),
                                List.of(result(SuiteRun.STOCK, GOOD))))
                .singleElement()
                .asString()
                .contains("backends of the cascade were made");
    }

    private static AbstractStringAssert<?> assertOnlyProblem(ClassResult... results) {
        return assertThat(problems(results)).singleElement().asString();
    }

    private static List<String> problems(ClassResult... results) {
        return SuiteVerdict.problems(List.of(RUN), List.of("a.Test"), List.of(), List.of(results));
    }

    private static ClassResult result(SuiteRun run, Counts counts) {
        return result(run, "a.Test", counts);
    }

    private static ClassResult result(SuiteRun run, String name, Counts counts) {
        return new ClassResult(run.label(), name, "abc", 3, 1, List.of(), List.of(), counts, 1);
    }
}
