/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

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

/** Runs a job in a Flink cluster inside this process, and prints its progress. */
final class LocalJob {
    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    private LocalJob() {}

    /** Runs until interrupted or, with bounded input, to its end. */
    static int run(
            String name,
            KafkaJobOptions options,
            Consumer<StreamExecutionEnvironment> define,
            PrintWriter out,
            PrintWriter err)
            throws IOException {
        options.check();
        JobTopics.prepare(options);
        Path work = Files.createTempDirectory("sluice-job-");
        int slots = options.parallelism().orElse(Runtime.getRuntime().availableProcessors());
        try (LocalFlink flink = LocalFlink.start(work, 1, slots);
                BrokerWatch broker = new BrokerWatch(options.brokers()).start()) {
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            env.setParallelism(slots);
            define.accept(env);
            RunningJob job = flink.submit(env, name);
            JobProgress progress =
                    new JobProgress(out, options.brokers().servers(), System::nanoTime);
            job.awaitEnd(
                    FOR_EVER,
                    () -> {
                        if (progress.isDue()) {
                            progress.show(
                                    read(flink, options),
                                    broker.answers(),
                                    job.restarts(),
                                    () -> job.lastFailure().orElse("unknown"));
                        }
                    });
            JobEnd.print(
                    options.outcome(),
                    flink.metrics()::total,
                    read(flink, options),
                    job.restarts(),
                    out,
                    err);
            return Failures.OK;
        } finally {
            Directories.deleteRecursively(work);
        }
    }

    private static long read(LocalFlink flink, KafkaJobOptions options) {
        return flink.metrics().total("Source: " + options.source(), "numRecordsOut");
    }
}
