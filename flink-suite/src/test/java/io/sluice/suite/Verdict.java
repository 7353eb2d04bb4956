/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What is wrong with the results of the cascade's runs; the stock run is only for comparison. */
final class Verdict {

    private Verdict() {}

    /**
     * One line for each problem.
     *
     * @param runs that were to be made
     * @param classes that were to be run in each of them
     */
    static List<String> problems(
            Collection<SuiteRun> runs, Collection<String> classes, List<ClassResult> results) {
        List<String> problems = new ArrayList<>();
        for (SuiteRun run : runs) {
            Set<String> missing = new TreeSet<>(classes);
            Counts all = Counts.NONE;
            for (ClassResult result : results) {
                if (result.run().equals(run.label())) {
                    missing.remove(result.className());
                    all = all.plus(result.counts());
                    if (run != SuiteRun.STOCK) {
                        addProblemsOf(result, problems);
                    }
                }
            }
            missing.forEach(
                    name ->
                            problems.add(
                                    run.label() + ": " + name + " has not ended, or was not run"));
            if (run != SuiteRun.STOCK && all.marked() == 0) {
                problems.add(run.label() + ": no filter was asked for a marked key");
            }
            if (run == SuiteRun.STOCK && all.backends() > 0) {
                problems.add(run.label() + ": backends of the cascade were made");
            }
        }
        return problems;
    }

    private static void addProblemsOf(ClassResult result, List<String> problems) {
        String where = result.run() + ": " + result.className();
        if (result.counts().denied() > 0) {
            problems.add(where + " had " + result.counts().denied() + " marks denied");
        }
        result.failed()
                .forEach(
                        failure ->
                                problems.add(
                                        where + '#' + failure.test() + ": " + failure.message()));
        if (result.passed() + result.skipped() + result.failed().size() == 0
                && result.excluded().isEmpty()) {
            problems.add(where + " has run no test");
        }
    }
}
