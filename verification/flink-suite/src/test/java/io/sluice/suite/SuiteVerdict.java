/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import io.sluice.state.CascadeBackendOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What is wrong with the results of the cascade's runs; the stock run is only for comparison. */
final class SuiteVerdict {

    /** No test of Flink changes it. */
    private static final double PROBABILITY =
            CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY.defaultValue();

    /** Marks that Flink's own backends have written have no truth beside them: a few in a run. */
    private static final double WITHOUT_TRUTH = 10;

    private SuiteVerdict() {}

    /**
     * One line for each problem.
     *
     * @param runs that were to be made
     * @param classes that were to be run in each of them
     * @param unreached classes of which nothing gets to the backend, as is known
     */
    static List<String> problems(
            Collection<SuiteRun> runs,
            Collection<String> classes,
            Collection<String> unreached,
            List<ClassResult> results) {
        List<String> problems = new ArrayList<>();
        Map<String, Integer> skippedByStock = new HashMap<>();
        for (ClassResult result : results) {
            if (result.run().equals(SuiteRun.STOCK.label())) {
                skippedByStock.put(result.className(), result.skipped());
            }
        }
        for (SuiteRun run : runs) {
            Set<String> missing = new TreeSet<>(classes);
            Counts all = Counts.NONE;
            for (ClassResult result : results) {
                if (result.run().equals(run.label())) {
                    missing.remove(result.className());
                    all = all.plus(result.counts());
                    if (run != SuiteRun.STOCK) {
                        addProblemsOf(result, skippedByStock, unreached, problems);
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
            double mean = PROBABILITY * (all.asked() - all.marked());
            if (all.falsePositives() > WITHOUT_TRUTH + mean + 6 * Math.sqrt(mean)) {
                problems.add(
                        run.label()
                                + ": of "
                                + (all.asked() - all.marked())
                                + " lookups of keys without a mark "
                                + all.falsePositives()
                                + " found one, more than the probability explains");
            }
            if (run == SuiteRun.STOCK && all.backends() > 0) {
                problems.add(run.label() + ": backends of the cascade were made");
            }
        }
        return problems;
    }

    private static void addProblemsOf(
            ClassResult result,
            Map<String, Integer> skippedByStock,
            Collection<String> unreached,
            List<String> problems) {
        String where = result.run() + ": " + result.className();
        if (result.counts().denied() > 0) {
            problems.add(where + " had " + result.counts().denied() + " marks denied");
        }
        result.failed()
                .forEach(
                        failure ->
                                problems.add(
                                        where + '#' + failure.test() + ": " + failure.message()));
        if (result.passed() + result.failed().size() == 0 && result.excluded().isEmpty()) {
            problems.add(where + " has run no test");
        }
        int skipped = skippedByStock.getOrDefault(result.className(), result.skipped());
        if (result.skipped() > skipped) {
            problems.add(
                    where
                            + " skips "
                            + result.skipped()
                            + " tests, and "
                            + skipped
                            + " on Flink's own backend");
        }
        if (result.passed() > 0
                && result.counts().backends() == 0
                && !unreached.contains(result.className())) {
            problems.add(where + " has not reached the backend");
        }
    }
}
