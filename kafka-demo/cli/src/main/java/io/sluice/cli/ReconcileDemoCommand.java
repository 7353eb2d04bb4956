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
            "Two replicas agree: both get the same capture, each with different losses and"
                    + " repetitions. One starts long after the other has closed its windows, and"
                    + " the other is killed in the middle of the exchange; in the end both have the"
                    + " union of what either saw, at maximum multiplicity.",
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
            defaultValue = "QUERY",
            paramLabel = "METHOD",
            description =
                    "How differences are found: ${COMPLETION-CANDIDATES}. Default:"
                            + " ${DEFAULT-VALUE}.")
    private DifferenceMethod method;

    @Option(
            names = "--fpp",
            defaultValue = "1e-4",
            paramLabel = "P",
            description = "False positive probability of the filters. Default: ${DEFAULT-VALUE}.")
    private double fpp;

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
            defaultValue = "10 min",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How long a window waits for the peer; with 1 ms the verdict fails. Default:"
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
                                fpp,
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
        to.printf("%-26s%,14d%n", "elements of the union", input.elements());
        to.printf(
                "%-26s%,14d  %,d on the other%n",
                "lacking on one", input.lackedByFirst(), input.lackedBySecond());
        to.printf(
                "%-26s%,14d  of %,d agreed%n",
                "exchanges", exchange.exchanges(), exchange.agreed());
        to.printf("%-26s%14.6f%n", "equal after one round", exchange.accuracy());
        to.printf("%-26s%14.6f%n", "equal after two", exchange.accuracySecondRound());
        to.printf("%-26s%14.6f%n", "equal at the end", exchange.accuracyAtTheEnd());
        to.printf(
                "%-26s%,14d  %.2f of the %,d of a naive exchange%n",
                "bytes exchanged",
                exchange.bytes(),
                exchange.bytesRatioToNaive(),
                exchange.naiveBytes());
        to.printf("%-26s%14.1f%n", "filter bits per element", exchange.bitsPerElement());
        to.println();
        to.println("verdict: " + report.verdict());
        to.println("report:  " + out.resolve(ReportFiles.HTML));
    }
}
