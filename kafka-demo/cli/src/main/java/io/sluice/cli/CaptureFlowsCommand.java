/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flows.CaptureFlows;
import io.sluice.flows.FlowJson;
import io.sluice.flows.FlowsSummary;
import io.sluice.job.EventTimeArguments;
import io.sluice.job.flows.FlowArguments;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice flows}. */
@Command(
        name = "flows",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Follows the TCP flows of captures, without Kafka, and says how each ended.",
            "The results are those of 'sluice job flows' on the same packets.",
            "A capture that is cut or damaged gives the results of what could be read, and exit"
                    + " code 1; so does one without any packet that could be read."
        })
final class CaptureFlowsCommand implements Callable<Integer> {
    /** The buffers between the threads take memory with its square: half a gigabyte here. */
    private static final int MAX_PARALLELISM = 64;

    private static final long PROGRESS_NANOS = Duration.ofMillis(500).toNanos();

    @Mixin private CaptureArguments captures;

    @Option(
            names = "--out",
            defaultValue = "sluice-out/flows",
            paramLabel = "DIR",
            description =
                    "Folder for conn.log, flows.jsonl and alerts.jsonl; older ones are replaced."
                            + " Default: ${DEFAULT-VALUE}.")
    private Path out;

    @Option(
            names = "--format",
            defaultValue = "sluice",
            paramLabel = "FORMAT",
            description =
                    "How flows.jsonl is written: 'sluice', as the job writes to its topic, or"
                            + " 'zeek', as Zeek writes its conn.log as JSON. Default:"
                            + " ${DEFAULT-VALUE}.")
    private FlowJson format;

    @Mixin private Json json;

    @Option(
            names = "--parallelism",
            defaultValue = "1",
            paramLabel = "N",
            description =
                    "Threads that follow flows, at most 64. With 1, equal captures and options give"
                            + " equal files; with more, the same lines in any order. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int parallelism;

    @Mixin private FlowArguments flows;

    @Mixin private EventTimeArguments times;

    @Spec private CommandSpec spec;

    private long shownNanos = System.nanoTime();

    @Override
    public Integer call() throws IOException {
        if (parallelism < 1 || parallelism > MAX_PARALLELISM) {
            throw new IllegalArgumentException(
                    "--parallelism must be from 1 to "
                            + MAX_PARALLELISM
                            + ", but is "
                            + parallelism);
        }
        PrintWriter screen = spec.commandLine().getOut();
        ProgressLine progress = ProgressLine.to(screen);
        FlowsSummary summary =
                new CaptureFlows(flows, times, format, parallelism)
                        .run(
                                captures.set(),
                                out,
                                (packets, share) -> show(progress, packets, share));
        progress.end();
        json.print(screen, summary, FlowsText::print);
        PrintWriter errors = spec.commandLine().getErr();
        summary.warnings().forEach(text -> errors.println("sluice: warning: " + text));
        if (!summary.problem().isEmpty()) {
            errors.println("sluice: " + summary.problem());
            return Failures.READ_IN_PART;
        }
        if (summary.packets().read() > 0 && summary.packets().ip() == 0) {
            errors.println("sluice: no packet with an IP header could be read");
            return Failures.READ_IN_PART;
        }
        return Failures.OK;
    }

    /** Where lines stay, or are read by programs, only the result is printed. */
    private void show(ProgressLine progress, long packets, double share) {
        long now = System.nanoTime();
        if (!json.isWanted() && progress.isOverwritten() && now - shownNanos >= PROGRESS_NANOS) {
            shownNanos = now;
            progress.replace(
                    String.format(Locale.ROOT, "%,14d packets  %5.1f %%", packets, 100 * share));
        }
    }
}
