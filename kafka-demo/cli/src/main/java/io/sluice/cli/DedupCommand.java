/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.JobTopics;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import java.io.IOException;
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
        if (!append && options.mayWriteAgain() && !local.continues(options)) {
            // A missing topic or right is told first.
            JobTopics.prepare(options);
            JobTopics.requireEmptyOutput(options, APPEND);
        }
        return LocalJob.run(
                "sluice-dedup",
                options,
                local,
                env -> DedupJob.define(env, options),
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
    }
}
