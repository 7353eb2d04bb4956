/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.process.FlinkCluster;
import io.sluice.flink.testkit.process.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/** A job on the cluster, through stops and starts. */
public final class RunningPart {
    /** The machine may be busy with other things. */
    private static final Duration TO_RECOVER = Duration.ofMinutes(5);

    /** The savepoint format that does not depend on the state backend. */
    public static final String CANONICAL = "CANONICAL";

    private final ChaosJob.Part part;
    private final FlinkCluster cluster;
    private final String servers;
    private volatile String id;
    private int parallelism = 2;

    /** Starts it without state. */
    public RunningPart(
            ChaosJob.Part part, FlinkCluster cluster, String servers, SplittableRandom choice)
            throws IOException, InterruptedException {
        this.part = part;
        this.cluster = cluster;
        this.servers = servers;
        id = submit(Optional.empty(), choice);
    }

    public ChaosJob.Part part() {
        return part;
    }

    /** Its id on the cluster now. */
    public String id() {
        return id;
    }

    public int parallelism() {
        return parallelism;
    }

    private String submit(Optional<String> from, SplittableRandom choice)
            throws IOException, InterruptedException {
        return submit(from, false, choice);
    }

    private String submit(Optional<String> from, boolean isCanonical, SplittableRandom choice)
            throws IOException, InterruptedException {
        return part.program()
                .start(cluster, new Program.Start(servers, from, isCanonical, parallelism, choice));
    }

    /** Waits until all tasks run, and a checkpoint was completed after this call. */
    public void awaitHealth() throws IOException, InterruptedException {
        long before =
                Await.value(
                        "an answer of the JobManager",
                        TO_RECOVER,
                        () -> Optional.of(cluster.rest().newestCheckpoint(id)));
        try {
            Await.until(
                    "all tasks of " + part.name() + ", and a checkpoint",
                    TO_RECOVER,
                    () -> {
                        cluster.startWhatEnded();
                        return cluster.rest().allTasksRun(id)
                                && cluster.rest().newestCheckpoint(id) > before;
                    });
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "\n" + cluster.rest().failures(id), e);
        }
    }

    /** Stops it with a savepoint, and goes on from there with other options. */
    public String rescale(int newParallelism, String format, SplittableRandom choice)
            throws IOException, InterruptedException {
        String savepoint = cluster.stop(id, format);
        parallelism = newParallelism;
        id = submit(Optional.of(savepoint), format.equals(CANONICAL), choice);
        return savepoint;
    }

    /** Stops it with a savepoint, which commits all that it wrote. */
    public void stop() throws IOException, InterruptedException {
        cluster.stop(id, "NATIVE");
    }

    /**
     * Cancels it, damages a file of its newest checkpoint, and starts it from there: it has to
     * refuse, and to name the file. Then the file is repaired, and the job goes on.
     *
     * @return what was done
     */
    public String damage(SplittableRandom random, CheckResult verdict)
            throws IOException, InterruptedException {
        awaitHealth();
        cluster.cancel(id);
        String checkpoint =
                Await.value(
                        "the newest checkpoint of " + part.name(),
                        TO_RECOVER,
                        () -> cluster.rest().newestCheckpointPath(id));
        Damage damage = Damage.to(checkpoint, part.hasOnlyFiltersInFiles(), random);
        String what = part.name() + ": " + damage;
        if (!damage.verify().contains(damage.fileName())) {
            verdict.broken("'sluice verify' does not name a damaged file", what);
        }
        String refusal = refusal(checkpoint, random);
        damage.repair();
        if (refusal.isEmpty()) {
            verdict.broken("a job started from a damaged checkpoint", what);
        } else if (!damage.isNamedBy(refusal)) {
            verdict.broken(
                    "a job refused a damaged checkpoint, and did not say what is damaged", what);
        }
        id = submit(Optional.of(checkpoint), random);
        return what + " at first";
    }

    /** Why the job does not start from {@code checkpoint}; empty if it does. */
    private String refusal(String checkpoint, SplittableRandom random)
            throws IOException, InterruptedException {
        String attempt;
        try {
            attempt = submit(Optional.of(checkpoint), random.split());
        } catch (FlinkCluster.RefusedException e) {
            return e.output();
        }
        String refusal =
                Await.value(
                        "tasks or a failure of " + part.name(),
                        TO_RECOVER,
                        () -> {
                            String failures = cluster.rest().failures(attempt);
                            return !failures.isEmpty() || cluster.rest().allTasksRun(attempt)
                                    ? Optional.of(failures)
                                    : Optional.empty();
                        });
        cluster.endNow(attempt);
        return refusal;
    }
}
