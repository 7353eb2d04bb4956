/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flink.testkit.local.Directories;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.reconcile.ReconcileJob;
import io.sluice.job.reconcile.ReconcileOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice job reconcile}. */
@Command(
        name = "reconcile",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs one of two replicas that see copies of one stream, which each lose and repeat"
                        + " records, and that repair their differences after every window: of"
                        + " records of any kind (--id), or of packets; with --peer-input-topic,"
                        + " both. Runs until interrupted.")
final class ReconcileCommand implements Callable<Integer> {
    private static final Duration FOR_EVER = Duration.ofDays(10_000);
    private static final long PROGRESS_NANOS = 5_000_000_000L;
    private static final String OPERATOR = "Reconcile: " + ReconcileJob.RECONCILE;

    @Mixin private ReconcileOptions options;

    @Mixin private LocalArguments local;

    @Option(
            names = "--peer-input-topic",
            paramLabel = "TOPIC",
            description =
                    "Run the peer too, in its own cluster, reading this topic of its broker. For a"
                            + " trial, since neither keeps its state.")
    private @Nullable String peerInputTopic;

    @Spec private CommandSpec spec;

    private long lastNanos = System.nanoTime();

    @Override
    public Integer call() throws IOException {
        options.check();
        if (peerInputTopic == null) {
            return LocalJob.run(
                    name(options),
                    options,
                    local,
                    env -> ReconcileJob.define(env, options),
                    spec.commandLine().getOut(),
                    spec.commandLine().getErr());
        }
        if (local.stateDir(options).isPresent()) {
            throw new IllegalArgumentException(
                    LocalArguments.STATE_DIR
                            + " is of one job, and --peer-input-topic runs two: leave either out,"
                            + " and run each replica by itself to keep its state");
        }
        List<ReconcileOptions> replicas = List.of(options, options.mirrored(peerInputTopic));
        for (ReconcileOptions replica : replicas) {
            for (String warning : replica.prepare(false)) {
                spec.commandLine().getErr().println("sluice: warning: " + warning);
            }
        }
        spec.commandLine().getErr().flush();
        return StopOnInterrupt.run(Thread.currentThread()::interrupt, () -> run(replicas));
    }

    private static String name(ReconcileOptions replica) {
        return "sluice-reconcile-" + replica.replica();
    }

    private int run(List<ReconcileOptions> replicas) throws IOException {
        Path work = Files.createTempDirectory("sluice-job-");
        int slots = options.parallelism().orElse(1);
        List<LocalFlink> clusters = new ArrayList<>();
        List<RunningJob> jobs = new ArrayList<>();
        try {
            for (ReconcileOptions replica : replicas) {
                LocalFlink flink = LocalFlink.start(work, 1, slots);
                clusters.add(flink);
                StreamExecutionEnvironment env =
                        StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
                env.setParallelism(slots);
                ReconcileJob.define(env, replica);
                jobs.add(flink.submit(env, name(replica)));
            }
            jobs.get(0)
                    .await(
                            "finished",
                            FOR_EVER,
                            () -> {
                                print(replicas, clusters);
                                return jobs.stream().anyMatch(RunningJob::hasEnded);
                            });
            return Failures.OK;
        } finally {
            for (LocalFlink flink : clusters) {
                flink.close();
            }
            Directories.deleteRecursively(work);
        }
    }

    private void print(List<ReconcileOptions> replicas, List<LocalFlink> clusters) {
        long now = System.nanoTime();
        if (now - lastNanos < PROGRESS_NANOS) {
            return;
        }
        lastNanos = now;
        PrintWriter out = spec.commandLine().getOut();
        for (int i = 0; i < replicas.size(); i++) {
            out.printf(
                    "%-12s%,14d records  %,10d agreed  %,10d repaired  %,14d bytes sent%n",
                    replicas.get(i).replica(),
                    total(clusters.get(i), "records"),
                    total(clusters.get(i), "agreed"),
                    total(clusters.get(i), "repaired"),
                    total(clusters.get(i), "sentBytes"));
        }
        out.flush();
    }

    private static long total(LocalFlink flink, String metric) {
        return flink.metrics().total(OPERATOR, metric);
    }
}
