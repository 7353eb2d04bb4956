/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.demo.Demo;
import io.sluice.demo.DemoOptions;
import io.sluice.job.Converters;
import io.sluice.record.CounterKind;
import io.sluice.report.DemoReport;
import io.sluice.report.ReportPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice demo}. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Demonstrates everything end to end: a client that retries sends a capture through a"
                    + " real Kafka broker and a real Flink cluster, both in this process, to"
                    + " idempotent counters. On the way the cluster loses a TaskManager, and the"
                    + " job is rescaled from a savepoint. Then the committed results are compared"
                    + " with what was sent.",
            "Writes report.html, report.json and the truth file into the output folder."
        },
        subcommands = ReconcileDemoCommand.class)
final class DemoCommand implements Callable<Integer> {
    @Option(
            names = "--capture",
            paramLabel = "FILE",
            description = "A pcap file, plain or gzip. Default: one is generated.")
    private Path capture;

    @Option(
            names = "--accept-damaged",
            description = "Replay a cut or damaged capture up to the damage.")
    private boolean acceptDamaged;

    @Option(
            names = "--packets",
            defaultValue = "1200000",
            paramLabel = "N",
            description = "Packets to generate. Default: ${DEFAULT-VALUE}.")
    private long packets;

    @Option(
            names = "--out",
            defaultValue = "sluice-out/demo",
            paramLabel = "DIR",
            description = "Where the results go. Default: ${DEFAULT-VALUE}.")
    private Path out;

    @Option(
            names = "--seed",
            defaultValue = "1",
            paramLabel = "N",
            description = "Seed of capture and retries. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--retries",
            defaultValue = "0.1",
            paramLabel = "SHARE",
            description =
                    "Share of the packets that are sent again, one to three times. Default:"
                            + " ${DEFAULT-VALUE}.")
    private double retries;

    @Option(
            names = "--window",
            defaultValue = "10 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description = "How late a retry may come, in capture time. Default: ${DEFAULT-VALUE}.")
    private Duration window;

    @Option(
            names = "--fpp",
            defaultValue = "1e-4",
            paramLabel = "P",
            description =
                    "Probability of taking a new packet for a retry; the default is large enough to"
                            + " see some. Default: ${DEFAULT-VALUE}.")
    private double fpp;

    @Option(
            names = "--count-by",
            defaultValue = "source",
            converter = Converters.OfCounterKind.class,
            paramLabel = "KIND",
            description =
                    "One counter per 'source' address or 'service'. Default: ${DEFAULT-VALUE}.")
    private CounterKind countBy;

    @Option(
            names = "--parallelism",
            defaultValue = "2",
            paramLabel = "N",
            description =
                    "Initial parallelism of the job, and number of TaskManagers. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int parallelism;

    @Option(
            names = "--rescale-to",
            defaultValue = "3",
            paramLabel = "N",
            description = "Parallelism after the savepoint. Default: ${DEFAULT-VALUE}.")
    private int rescaleTo;

    @Option(
            names = "--no-filter",
            description = "Count without a filter: the verdict fails, and says by how much.")
    private boolean noFilter;

    @Option(
            names = "--keep",
            description =
                    "Keep the broker with its topics, and Flink with its web interface, until"
                            + " interrupted, and print their addresses.")
    private boolean keep;

    @Option(
            names = "--json",
            description = "Print report.json on standard output, and progress on standard error.")
    private boolean json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        DemoOptions options =
                new DemoOptions(
                        Optional.ofNullable(capture),
                        packets,
                        out,
                        seed,
                        !noFilter,
                        countBy,
                        window,
                        fpp,
                        retries,
                        parallelism,
                        rescaleTo,
                        acceptDamaged);
        Logging.into(out);
        PrintWriter results = spec.commandLine().getOut();
        PrintWriter progress = json ? spec.commandLine().getErr() : results;
        return StopOnInterrupt.run(
                Thread.currentThread()::interrupt, () -> run(options, progress, results));
    }

    private int run(DemoOptions options, PrintWriter progress, PrintWriter results)
            throws IOException {
        long start = System.nanoTime();
        DemoReport report =
                Demo.run(
                        options,
                        line -> {
                            double seconds = (System.nanoTime() - start) / 1e9;
                            progress.printf("[%5.1f s] %s%n", seconds, line);
                            progress.flush();
                        },
                        (result, brokers, web) -> {
                            print(result, results);
                            if (keep) {
                                keep(brokers, web, progress);
                            }
                        });
        return report.isOk() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private void print(DemoReport report, PrintWriter results) {
        if (json) {
            results.println(ReportPage.json(report));
        } else {
            DemoSummary.print(report, out, results);
        }
        results.flush();
    }

    /** Returns when the thread is interrupted. */
    private static void keep(String brokers, String web, PrintWriter to) {
        to.println();
        to.printf("Kafka runs at %s, with the topics of the demo%n", brokers);
        to.printf("Flink's web interface is at %s%n", web);
        to.println("Ctrl+C stops both and removes their data");
        to.flush();
        while (!Thread.interrupted()) {
            LockSupport.park();
        }
    }
}
