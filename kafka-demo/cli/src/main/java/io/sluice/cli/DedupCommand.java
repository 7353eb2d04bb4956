/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.JobTopics;
import io.sluice.job.dedup.CompactedTopics;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import io.sluice.job.dedup.FirstRecords;
import io.sluice.job.dedup.OutputRetention;
import io.sluice.job.dedup.StartingOffsets;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice job dedup}. */
@Command(
        name = "dedup",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Copies the records of topics to another topic, each id once; their bytes, headers,"
                        + " timestamps and partitions stay as they are. Runs until interrupted, or,"
                        + " with --bounded, to the end of the topics.")
final class DedupCommand implements Callable<Integer> {
    private static final String APPEND = "--append";

    @Mixin private DedupOptions options;

    @Mixin private LocalArguments local;

    @Option(
            names = APPEND,
            description =
                    "Write to an output topic that has records already, although the run has no"
                            + " state of them.")
    private boolean append;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        options.check();
        options.requireRegistry();
        JobTopics.prepare(options);
        List<String> warnings = new ArrayList<>(FirstRecords.warnings(options));
        if (!local.continues(options)) {
            if (!append && options.mayWriteAgain()) {
                JobTopics.requireEmptyOutput(options, APPEND);
            }
            warnings.addAll(StartingOffsets.warnings(options));
            warnings.addAll(OutputRetention.warnings(options));
        }
        warnings.addAll(CompactedTopics.warnings(options));
        PrintWriter err = spec.commandLine().getErr();
        warnings.forEach(line -> err.println("sluice: warning: " + line));
        err.flush();
        return LocalJob.run(
                "sluice-dedup",
                options,
                local,
                env -> DedupJob.define(env, options),
                spec.commandLine().getOut(),
                err);
    }
}
