/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.report.DemoReport;
import io.sluice.report.ReportFiles;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** The table at the end of a demonstration. */
final class DemoSummary {
    private DemoSummary() {}

    static void print(DemoReport report, Path folder, PrintWriter out) {
        DemoReport.Input input = report.input();
        DemoReport.Dedup dedup = report.dedup();
        DemoReport.Counters counters = report.counters();
        out.println();
        row(
                out,
                "records sent",
                input.records(),
                "of them "
                        + number(input.injectedDuplicates())
                        + " retries, "
                        + input.malformed()
                        + " malformed");
        row(out, "counted", dedup.passed(), "");
        row(out, "dropped as duplicates", dedup.dropped(), "");
        row(out, "missed duplicates", dedup.missedDuplicates(), "must be 0");
        row(
                out,
                "false positives",
                dedup.falsePositives(),
                "credible: up to "
                        + dedup.falsePositivesBound()
                        + "; predicted: "
                        + String.format("%.1f", counters.expectedUndercount()));
        row(out, "dead letters", dedup.deadLetters(), "");
        out.println();
        row(
                out,
                "truth",
                counters.exact(),
                number(counters.count()) + " counters, by " + counters.countBy());
        row(
                out,
                report.settings().filter() ? "with filter" : "filter switched off",
                counters.withFilter(),
                percent(counters.errorWithFilter()));
        row(
                out,
                "without filter",
                counters.withoutFilter(),
                percent(counters.errorWithoutFilter()));
        out.println();
        DemoReport.Flows flows = report.flows();
        row(
                out,
                "TCP flows",
                flows.total(),
                (flows.truth() < 0 ? "" : "truth: " + number(flows.truth()) + ", ")
                        + "reported twice: "
                        + flows.reportedTwice());
        row(
                out,
                "errors of the kBF",
                report.kbf().errors(),
                "credible: up to " + number(report.kbf().errorsBound()));
        out.println();
        row(
                out,
                "records/s, at best",
                Math.round(report.throughput().peakRecordsPerSecond()),
                "the fastest half second; './sluice bench kafka' measures a warm job");
        row(
                out,
                "records/s, cold",
                Math.round(report.throughput().recordsPerSecond()),
                "draining the first "
                        + number(report.throughput().backlogRecords())
                        + " records, while the JVM compiles");
        row(
                out,
                "checkpoints",
                report.checkpoint().count(),
                String.format(
                        "%.0f ms each, %.1f MB in all",
                        report.checkpoint().millis(), report.checkpoint().bytes() / 1e6));
        row(
                out,
                "failures recovered",
                report.failures().recovered(),
                "of "
                        + report.failures().injected()
                        + "; rescaled "
                        + report.failures().parallelism().stream()
                                .map(String::valueOf)
                                .collect(Collectors.joining(" to ")));
        out.println();
        out.println("report:  " + folder.resolve(ReportFiles.HTML));
        out.println("verdict: " + report.verdict());
    }

    private static void row(PrintWriter out, String name, long value, String note) {
        out.printf("  %-24s %,14d  %s%n", name, value, note);
    }

    private static String number(long value) {
        return String.format("%,d", value);
    }

    private static String percent(double share) {
        return String.format("%+.4f %%", 100 * share);
    }
}
