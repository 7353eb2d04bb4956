/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes one file for each class of tests, with its results and with what the oracles saw while it
 * ran. A listener cannot fail a test, so the {@link VerdictCheck} reads these files.
 */
public final class LedgerListener implements TestExecutionListener {

    private static final String DIRECTORY = "sluice.suite.results";

    /** How the engines name an invocation of a test with parameters. */
    private static final Pattern INVOCATION =
            Pattern.compile("(?<method>\\w+)(\\(.*\\))?(?<number>\\[\\d+]).*");

    /**
     * What the oracles had seen when the last class ended. What they see after that, in a task that
     * outlives its class, belongs to the next one, so that no denied mark is lost in between.
     */
    private static Counts attributed = Counts.NONE;

    private final String directory = System.getProperty(DIRECTORY);
    private final Excluded excluded = Excluded.fromFile();
    private final Map<String, Results> running = new HashMap<>();

    /** The class that ended last, for what is seen after it; empty before the first. */
    private String lastName = "";

    private Results last;

    @Override
    public void executionStarted(TestIdentifier test) {
        Results.classOf(test.getUniqueIdObject()).ifPresent(RunningClass::is);
        if (directory != null) {
            Results.classOf(test.getUniqueIdObject()).ifPresent(this::results);
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        Results.classOf(test.getUniqueIdObject())
                .filter(name -> directory != null)
                .ifPresent(
                        name -> {
                            results(name).skipped();
                            writeIfWhole(test, name);
                        });
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Results.classOf(test.getUniqueIdObject())
                .filter(running::containsKey)
                .ifPresent(
                        name -> {
                            note(name, running.get(name), test, result);
                            writeIfWhole(test, name);
                        });
    }

    private Results results(String className) {
        return running.computeIfAbsent(className, key -> new Results(attributed));
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        if (!lastName.isEmpty()) {
            write(lastName, last);
        }
    }

    private void note(
            String className, Results results, TestIdentifier test, TestExecutionResult result) {
        Optional<Excluded.Entry> mustFail = mustFail(className, test);
        if (mustFail.isPresent()) {
            noteWhatMustFail(className, results, test, result, mustFail.get());
            return;
        }
        switch (result.getStatus()) {
            case FAILED ->
                    results.failed(
                            test.getLegacyReportingName(), result.getThrowable().orElse(null));
            case ABORTED -> results.skipped();
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    results.passed();
                }
            }
        }
    }

    private Optional<Excluded.Entry> mustFail(String className, TestIdentifier test) {
        Matcher invocation = INVOCATION.matcher(test.getLegacyReportingName());
        return test.isTest() && invocation.matches()
                ? excluded.entryOf(
                        SuiteRun.current(),
                        className,
                        invocation.group("method") + invocation.group("number"))
                : Optional.empty();
    }

    /** Only what the entry says is excused; a denied mark is counted anyway. */
    private static void noteWhatMustFail(
            String className,
            Results results,
            TestIdentifier test,
            TestExecutionResult result,
            Excluded.Entry entry) {
        String name = test.getLegacyReportingName();
        Throwable cause = result.getThrowable().orElse(null);
        if (cause == null) {
            results.failed(
                    name,
                    new AssertionError("passes, so its line in " + Excluded.FILE + " has to go"));
        } else if (entry.excuses(cause)) {
            Results.excluded(className, name, entry);
        } else {
            results.failed(name, cause);
        }
    }

    /** The container of the whole class ends last. */
    private void writeIfWhole(TestIdentifier test, String name) {
        boolean isWhole =
                test.getSource().orElse(null) instanceof ClassSource source
                        && source.getClassName().equals(name);
        if (!isWhole) {
            return;
        }
        lastName = name;
        last = running.remove(name);
        write(name, last);
    }

    private void write(String name, Results results) {
        ClassResult result = results.of(SuiteRun.current(), name);
        attributed = results.before().plus(result.counts());
        try {
            Results.write(Path.of(directory), result);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
