/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import io.sluice.suite.ClassResult.LeftOut;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The results as a page of the documentation has them. */
final class Table {

    private static final List<SuiteRun> RUNS = List.of(SuiteRun.values());

    private Table() {}

    /** The totals, a row for each class, and what was left out. */
    static List<String> of(Place place, List<ClassResult> results) {
        List<String> lines = new ArrayList<>();
        lines.add(
                String.format(
                        Locale.ROOT,
                        "Flink %s, %s, %s, %d cores (%s), Java %s.",
                        place.flink(),
                        commits(results),
                        place.date().substring(0, 10),
                        place.cores(),
                        place.cpu(),
                        place.java()));
        lines.add("");
        lines.addAll(totals(results));
        lines.add("");
        lines.addAll(classes(results));
        lines.add("");
        lines.addAll(leftOut(results));
        return lines;
    }

    /** An interrupted run may go on with a later commit. */
    private static String commits(List<ClassResult> results) {
        List<String> commits = results.stream().map(ClassResult::commit).distinct().toList();
        return (commits.size() == 1 ? "commit " : "commits ") + String.join(", ", commits);
    }

    private static List<String> totals(List<ClassResult> results) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "| run | classes | passed | failed | skipped by Flink | left out | keyed backends |"
                    + " restored | snapshots | lookups of marked keys | denied | false positives"
                    + " |");
        lines.add("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        for (SuiteRun run : RUNS) {
            List<ClassResult> own =
                    results.stream()
                            .filter(result -> result.run().equals(run.label()))
                            .filter(Table::reachesTheBackend)
                            .toList();
            Counts counts = own.stream().map(ClassResult::counts).reduce(Counts.NONE, Counts::plus);
            List<Number> numbers =
                    new ArrayList<>(
                            List.of(
                                    own.size(),
                                    own.stream().mapToInt(ClassResult::passed).sum(),
                                    own.stream().mapToInt(each -> each.failed().size()).sum(),
                                    own.stream().mapToInt(ClassResult::skipped).sum(),
                                    own.stream().mapToInt(each -> each.excluded().size()).sum()));
            if (run != SuiteRun.STOCK) {
                numbers.addAll(
                        List.of(
                                counts.backends(),
                                counts.restored(),
                                counts.snapshots(),
                                counts.marked(),
                                counts.denied(),
                                counts.falsePositives()));
            }
            String cells =
                    numbers.stream()
                            .map(number -> String.format(Locale.ROOT, "%,d", number.longValue()))
                            .collect(Collectors.joining(" | "));
            lines.add(
                    "| "
                            + run.label()
                            + " | "
                            + cells
                            + (run == SuiteRun.STOCK ? " | | | | | | |" : " |"));
        }
        return lines;
    }

    private static List<String> classes(List<ClassResult> results) {
        Map<String, Map<String, ClassResult>> byClass = new TreeMap<>();
        for (ClassResult result : results) {
            byClass.computeIfAbsent(result.className(), name -> new TreeMap<>())
                    .put(result.run(), result);
        }
        List<String> lines = new ArrayList<>();
        lines.add(
                "| class | stock | cascade over RocksDB | cascade over hashmap | filters of the"
                        + " test | lookups of marked keys |");
        lines.add("|---|---|---|---|--:|--:|");
        byClass.forEach(
                (name, byRun) -> {
                    String cells =
                            RUNS.stream()
                                    .map(run -> cell(byRun.get(run.label())))
                                    .collect(Collectors.joining(" | "));
                    Counts counts =
                            byRun.values().stream()
                                    .map(ClassResult::counts)
                                    .reduce(Counts.NONE, Counts::plus);
                    lines.add(
                            String.format(
                                    Locale.ROOT,
                                    "| `%s` | %s | %,d | %,d |",
                                    shortName(name),
                                    cells,
                                    counts.memberships(),
                                    counts.marked()));
                });
        return lines;
    }

    /** A test says nothing about a backend that it does not make. */
    private static boolean reachesTheBackend(ClassResult result) {
        return result.run().equals(SuiteRun.STOCK.label())
                || result.counts().backends() > 0
                || result.passed() == 0;
    }

    private static String cell(ClassResult result) {
        if (result == null) {
            return "not run";
        }
        if (!reachesTheBackend(result)) {
            return "does not reach the backend";
        }
        StringBuilder cell = new StringBuilder().append(result.passed()).append(" passed");
        append(cell, result.failed().size(), "failed");
        append(cell, result.skipped(), "skipped");
        append(cell, result.excluded().size(), "left out");
        return cell.toString();
    }

    private static void append(StringBuilder cell, int number, String what) {
        if (number > 0) {
            cell.append(", ").append(number).append(' ').append(what);
        }
    }

    private static List<String> leftOut(List<ClassResult> results) {
        Map<String, TreeSet<String>> byReason = new LinkedHashMap<>();
        for (ClassResult result : results) {
            for (LeftOut each : result.excluded()) {
                byReason.computeIfAbsent(each.reason(), reason -> new TreeSet<>())
                        .add(
                                '`'
                                        + shortName(result.className())
                                        + '.'
                                        + each.test().replaceAll("[(\\[].*", "")
                                        + '`');
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add("| left out | why |");
        lines.add("|---|---|");
        byReason.forEach(
                (reason, tests) ->
                        lines.add("| " + String.join(", ", tests) + " | " + reason + " |"));
        return lines;
    }

    /** Planner tests of SQL and of the Table API have the same names. */
    private static String shortName(String className) {
        String[] parts = className.split("\\.", -1);
        return parts[parts.length - 2] + '.' + parts[parts.length - 1];
    }
}
