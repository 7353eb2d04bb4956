/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.CountersJob;
import io.sluice.job.JobTopics;
import io.sluice.job.KafkaJobOptions;
import io.sluice.local.Directories;
import io.sluice.local.LocalFlink;
import io.sluice.local.RunningJob;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Runs a job in a Flink cluster inside this process, and says how far it is. */
final class LocalJob {
    private static final Duration FOR_EVER = Duration.ofDays(10_000);
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);

    private LocalJob() {}

    /** Runs until interrupted or, with bounded input, to its end. */
    static int run(
            String name,
            KafkaJobOptions options,
            Consumer<StreamExecutionEnvironment> define,
            PrintWriter out)
            throws IOException {
        options.check();
        JobTopics.prepare(options);
        Path work = Files.createTempDirectory("sluice-job-");
        int slots = options.parallelism().orElse(Runtime.getRuntime().availableProcessors());
        try (LocalFlink flink = LocalFlink.start(work, 1, slots)) {
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            env.setParallelism(slots);
            define.accept(env);
            RunningJob job = flink.submit(env, name);
            Progress progress = new Progress(flink, out);
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
