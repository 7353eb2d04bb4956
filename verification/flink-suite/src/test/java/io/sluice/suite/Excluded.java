/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code suite/excluded.txt} says: the tests that are left out, each with its reason. A single
 * invocation of a test with parameters, {@code method[3]}, is run all the same, and has to fail an
 * assertion, or for the cause that its line names after {@code !}. If it passes, its line is out of
 * date.
 */
final class Excluded {

    static final String FILE = "/suite/excluded.txt";

    private static final Pattern LINE =
            Pattern.compile(
                    "(?<class>[\\w.]+)(#(?<method>\\w+(\\[\\d+])?))?(\\s+@(?<run>[\\w-]+))?"
                            + "(\\s+!(?<failure>\\w+))?\\s+(?<reason>\\S.*)");

    /**
     * One line.
     *
     * @param method empty for the whole class; with the number of an invocation for that alone
     * @param run label of the one run that it is left out of; empty for all of the cascade's
     * @param failure the class of the root cause with which a single invocation has to fail; empty
     *     if it has to fail an assertion
     */
    record Entry(String className, String method, String run, String failure, String reason) {

        /** Whether a single invocation may fail in this way. */
        boolean excuses(Throwable thrown) {
            Throwable root = thrown;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            return failure.isEmpty()
                    ? thrown instanceof AssertionError
                    : root.getClass().getSimpleName().equals(failure);
        }

        boolean matches(SuiteRun of, String testClass, String testMethod) {
            return of != SuiteRun.STOCK
                    && (run.isEmpty() || run.equals(of.label()))
                    && className.equals(testClass)
                    && (method.isEmpty() || method.equals(testMethod));
        }
    }

    private final List<Entry> entries;

    private Excluded(List<Entry> entries) {
        this.entries = entries;
    }

    static Excluded fromFile() {
        try (InputStream in = Excluded.class.getResourceAsStream(FILE)) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Excluded parse(String text) {
        return new Excluded(
                text.lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                        .map(Excluded::entry)
                        .toList());
    }

    private static Entry entry(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    FILE + ": neither class nor method, or no reason: " + line);
        }
        String run = matcher.group("run") == null ? "" : matcher.group("run");
        if (!run.isEmpty() && SuiteRun.named(run) == SuiteRun.STOCK) {
            throw new IllegalArgumentException(
                    FILE + ": the run for comparison leaves nothing out: " + line);
        }
        return new Entry(
                matcher.group("class"),
                matcher.group("method") == null ? "" : matcher.group("method"),
                run,
                matcher.group("failure") == null ? "" : matcher.group("failure"),
                matcher.group("reason"));
    }

    List<Entry> entries() {
        return entries;
    }

    /** The entry that leaves this test out of a run. */
    Optional<Entry> entryOf(SuiteRun run, String testClass, String testMethod) {
        return entries.stream()
                .filter(entry -> entry.matches(run, testClass, testMethod))
                .findFirst();
    }
}
