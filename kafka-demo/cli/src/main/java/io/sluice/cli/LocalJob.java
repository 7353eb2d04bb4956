/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flink.testkit.local.Directories;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.flink.testkit.local.StateFolder;
import io.sluice.job.KafkaJobOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a job in a Flink cluster inside this process, and prints its progress. */
final class LocalJob {
    private static final Logger LOG = LoggerFactory.getLogger(LocalJob.class);
    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    private LocalJob() {}

    /**
     * Runs until interrupted or, with bounded input, to its end. When it is interrupted, it ends
     * with a savepoint: everything that was read by then is written and committed.
     *
     * @param local where its state is kept for the next run, if anywhere
     */
    static int run(
            String name,
            KafkaJobOptions options,
            LocalArguments local,
            Consumer<StreamExecutionEnvironment> define,
            PrintWriter out,
            PrintWriter err)
            throws IOException {
        options.check();
        Optional<Path> stateDir = local.stateDir(options);
        int slots =
                LocalHeap.ofThisProcess()
                        .parallelism(
                                options,
                                Math.min(
                                        Runtime.getRuntime().availableProcessors(),
                                        options.mostSubtasks()),
                                note -> err.println("sluice: " + note));
        for (String warning : options.prepare(local.continues(options))) {
            err.println("sluice: warning: " + warning);
        }
        err.flush();
        Set<String> unknownProperties = new TreeSet<>(options.brokers().unknownProperties());
        unknownProperties.addAll(options.outputBrokers().unknownProperties());
        for (String unknown : unknownProperties) {
            err.printf(
                    "sluice: warning: Kafka's clients do not know the property %s: correct it, if"
                            + " it is not one of a plug-in%n",
                    unknown);
        }
        if (stateDir.isEmpty()) {
            return run(name, options, slots, Optional.empty(), define, out, err);
        }
        try (StateFolder state = StateFolder.open(stateDir.get(), LocalArguments.STATE_DIR)) {
            return run(name, options, slots, Optional.of(state), define, out, err);
        }
    }

    private static int run(
            String name,
            KafkaJobOptions options,
            int slots,
            Optional<StateFolder> state,
            Consumer<StreamExecutionEnvironment> define,
            PrintWriter out,
            PrintWriter err)
            throws IOException {
        InterruptibleJob running = new InterruptibleJob(state.isPresent(), err);
        return StopOnInterrupt.run(
                running::interrupt,
                () -> run(name, options, slots, state, define, running, out, err));
    }

    private static int run(
            String name,
            KafkaJobOptions options,
            int slots,
            Optional<StateFolder> state,
            Consumer<StreamExecutionEnvironment> define,
            InterruptibleJob running,
            PrintWriter out,
            PrintWriter err)
            throws IOException {
        Path work = Files.createTempDirectory("sluice-job-");
        try (LocalFlink flink = LocalFlink.start(work, 1, slots, state);
                BrokerWatch input = new BrokerWatch(options.brokers()).start();
                BrokerWatch output =
                        options.writesWhereItReads()
                                ? null
                                : new BrokerWatch(options.outputBrokers()).start()) {
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            env.setParallelism(slots);
            define.accept(env);
            Optional<String> newest = state.isPresent() ? state.get().newest() : Optional.empty();
            newest.ifPresent(path -> out.printf("continuing from %s%n", path));
            if (running.isInterrupted()) {
                running.tellThatItHadNotStarted();
                return Failures.WRONG_USE;
            }
            RunningJob job = flink.resume(env, name, newest);
            running.follows(job);
            try {
                follow(
                        job,
                        flink,
                        () ->
                                output == null || input.silent() != null
                                        ? input.silent()
                                        : output.silent(),
                        options,
                        out);
            } catch (IOException e) {
                if (running.isCancelled()) {
                    LOG.info("The job has ended as it was asked to", e);
                    return Failures.WRONG_USE;
                }
                throw newest.isPresent() && job.restored() == 0 ? misfit(newest.get(), e) : e;
            }
            JobEnd.print(
                    options.outcome(),
                    flink.metrics()::total,
                    flink.metrics()::text,
                    read(flink, options),
                    job.restarts(),
                    out,
                    err);
            return Failures.OK;
        } finally {
            Directories.deleteRecursively(work);
        }
    }

    /** Flink's own message names an option of its command, not of this one. */
    private static IOException misfit(String newest, IOException failure) {
        return new IOException(
                "the job does not start from "
                        + newest
                        + ": give it the options of the run that left this state, or another "
                        + LocalArguments.STATE_DIR
                        + " ("
                        + failure.getMessage().lines().findFirst().orElse("")
                        + ")",
                failure);
    }

    private static void follow(
            RunningJob job,
            LocalFlink flink,
            Supplier<String> silent,
            KafkaJobOptions options,
            PrintWriter out)
            throws IOException {
        JobProgress progress = new JobProgress(ProgressLine.to(out), System::nanoTime);
        job.awaitEnd(
                FOR_EVER,
                () -> {
                    if (progress.isDue()) {
                        progress.show(
                                read(flink, options),
                                job.isRunning(),
                                silent.get(),
                                job.restarts(),
                                () -> job.lastFailure().orElse("unknown"));
                    }
                });
        progress.end();
    }

    private static long read(LocalFlink flink, KafkaJobOptions options) {
        return flink.metrics().total("Source: " + options.source(), "numRecordsOut");
    }
}
