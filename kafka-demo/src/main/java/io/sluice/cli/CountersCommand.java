/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.CountersJob;
import io.sluice.job.CountersOptions;
import io.sluice.job.JobTopics;
import io.sluice.local.Directories;
import io.sluice.local.LocalFlink;
import io.sluice.local.RunningJob;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice job counters}. */
@Command(
        name = "counters",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Counts packet records per source or service; a record that came before, within the"
                    + " window, does not count again. Runs until interrupted, or, with --bounded,"
                    + " to the end of the topic.")
final class CountersCommand implements Callable<Integer> {
    private static final Duration FOR_EVER = Duration.ofDays(10_000);
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);

    @Mixin private CountersOptions options;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        options.check();
        JobTopics.prepare(options);
        Path work = Files.createTempDirectory("sluice-job-");
        int slots = options.parallelism().orElse(Runtime.getRuntime().availableProcessors());
        try (LocalFlink flink = LocalFlink.start(work, 1, slots)) {
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            env.setParallelism(slots);
            CountersJob.define(env, options);
            RunningJob job = flink.submit(env, "sluice-counters");
            Progress progress = new Progress(flink, spec.commandLine().getOut());
            job.awaitEnd(FOR_EVER, progress::print);
            progress.print();
            return Failures.OK;
        } finally {
            Directories.deleteRecursively(work);
        }
    }

    /** A line now and then. */
    private static final class Progress {
        private final LocalFlink flink;
        private final PrintWriter out;
        private long lastNanos = System.nanoTime();
        private long last;

        Progress(LocalFlink flink, PrintWriter out) {
            this.flink = flink;
            this.out = out;
        }

        void print() {
            long now = System.nanoTime();
            double seconds = (now - lastNanos) / 1e9;
            long read = flink.metrics().total("Source: " + CountersJob.SOURCE, "numRecordsOut");
            if (seconds * 1000 < PROGRESS_INTERVAL.toMillis()) {
                return;
            }
            out.printf("%,14d records read  %,10.0f/s%n", read, (read - last) / seconds);
            out.flush();
            last = read;
            lastNanos = now;
        }
    }
}
