/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.demo.ReconcileDemo;
import io.sluice.demo.ReconcileDemoOptions;
import io.sluice.demo.ReconcileReport;
import io.sluice.flink.reconcile.DifferenceMethod;
import io.sluice.job.Converters;
import io.sluice.report.ReportFiles;
import io.sluice.report.ReportPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice demo reconcile}. */
@Command(
        name = "reconcile",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Two regions count the same: both get the same capture, each with different losses and"
                    + " repetitions, and count its packets by source. One starts so long after the"
                    + " other that the windows of the first are suspended, and the first is killed"
                    + " in the middle of the exchange; in the end both have counted each packet"
                    + " that either got, once, and their savepoints hold the same.",
            "Writes report.json into the output folder."
        })
final class ReconcileDemoCommand implements Callable<Integer> {
    @Option(
            names = "--capture",
            paramLabel = "FILE",
            description = "A pcap file, plain or gzip. Default: one is generated.")
    private Path capture;

    @Option(
            names = "--packets",
            defaultValue = "100000",
            paramLabel = "N",
            description = "Packets to generate. Default: ${DEFAULT-VALUE}.")
    private long packets;

    @Option(
            names = "--out",
            defaultValue = "sluice-out/reconcile",
            paramLabel = "DIR",
            description = "Where the results go. Default: ${DEFAULT-VALUE}.")
    private Path out;

    @Option(
            names = "--seed",
            defaultValue = "1",
            paramLabel = "N",
            description =
                    "Seed of the capture and of everything that goes wrong. Default:"
                            + " ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--method",
            defaultValue = "AUTO",
            paramLabel = "METHOD",
            description =
                    "How differences are found: ${COMPLETION-CANDIDATES}. Default:"
                            + " ${DEFAULT-VALUE}.")
    private DifferenceMethod method;

    @Option(
            names = "--losses",
            defaultValue = "0.02",
            paramLabel = "SHARE",
            description = "Share of the packets that a replica misses. Default: ${DEFAULT-VALUE}.")
    private double losses;

    @Option(
            names = "--retries",
            defaultValue = "0.05",
            paramLabel = "SHARE",
            description =
                    "Share of the packets that a replica sees more than once. Default:"
                            + " ${DEFAULT-VALUE}.")
    private double retries;

    @Option(
            names = "--windows",
            defaultValue = "4",
            paramLabel = "N",
            description =
                    "How many windows the capture's time is cut into. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int windows;

    @Option(names = "--two-brokers", description = "Each replica has its own broker.")
    private boolean twoBrokers;

    @Option(
            names = "--ttl",
            defaultValue = "1 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How long a window waits for the peer before it is suspended. Default:"
                            + " ${DEFAULT-VALUE}.")
    private Duration ttl;

    @Option(
            names = "--json",
            description = "Print report.json on standard output, and progress on standard error.")
    private boolean json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Logging.into(out);
        PrintWriter results = spec.commandLine().getOut();
        PrintWriter progress = json ? spec.commandLine().getErr() : results;
        long start = System.nanoTime();
        ReconcileReport report =
                ReconcileDemo.run(
                        new ReconcileDemoOptions(
                                Optional.ofNullable(capture),
                                packets,
                                out,
                                seed,
                                method,
                                losses,
                                retries,
                                windows,
                                twoBrokers,
                                ttl),
                        line -> {
                            progress.printf(
                                    "[%5.1f s] %s%n", (System.nanoTime() - start) / 1e9, line);
                            progress.flush();
                        });
        if (json) {
            results.println(ReportPage.json(report));
        } else {
            print(report, results);
        }
        results.flush();
        return report.succeeded() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private void print(ReconcileReport report, PrintWriter to) {
        ReconcileReport.Input input = report.input();
        ReconcileReport.Exchange exchange = report.reconcile();
        to.println();
        to.printf("%-26s%,14d%n", "records, both replicas", input.records());
        to.printf("%-26s%,14d%n", "operations of either", input.operations());
        to.printf(
                "%-26s%,14d  %,d on the other%n",
                "missed by one", input.missedByFirst(), input.missedBySecond());
        to.printf(
                "%-26s%,14d  %,d and %,d of them wrong%n",
                "counters",
                report.counters().counters(),
                report.counters().wrongAtFirst(),
                report.counters().wrongAtSecond());
        to.printf(
                "%-26s%14s%n",
                "totals and seen sets", report.counters().state() ? "equal" : "differ");
        to.printf(
                "%-26s%,14d  %,d agreed, %,d after they were suspended%n",
                "exchanges", exchange.exchanges(), exchange.agreed(), exchange.suspended());
        to.printf("%-26s%,14d%n", "elements repaired", exchange.repaired());
        to.printf(
                "%-26s%,14d  %.2f of the %,d of a naive exchange%n",
                "bytes exchanged",
                exchange.bytes(),
                exchange.bytesRatioToNaive(),
                exchange.naiveBytes());
        to.println();
        to.println("verdict: " + report.verdict());
        to.println("report:  " + out.resolve(ReportFiles.HTML));
    }
}
