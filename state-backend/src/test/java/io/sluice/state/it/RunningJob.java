/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job on a cluster, controlled by the test. Every wait ends after a minute. */
final class RunningJob {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final long PAUSE_NANOS = 2_000_000;

    private final Cluster cluster;
    private final MiniCluster flink;
    private final Run run;
    private final JobID id;

    private RunningJob(Cluster cluster, Run run, JobID id) {
        this.cluster = cluster;
        this.flink = cluster.flink();
        this.run = run;
        this.id = id;
    }

    /**
     * Starts a job.
     *
     * @param pipeline adds the operators to an environment; the text is the name of the run
     */
    static RunningJob start(
            Cluster cluster,
            Run run,
            Configuration configuration,
            BiConsumer<StreamExecutionEnvironment, String> pipeline)
            throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        pipeline.accept(env, run.name());
        JobGraph graph = env.getStreamGraph().getJobGraph();
        RunningJob job =
                new RunningJob(
                        cluster,
                        run,
                        cluster.flink()
                                .submitJob(graph)
                                .get(DEADLINE.toSeconds(), TimeUnit.SECONDS)
                                .getJobID());
        job.awaitAllRunning();
        return job;
    }

    /** Lets {@code records} more pass, and waits until the source has emitted them. */
    void advance(long records) throws Exception {
        run.gate().admit(run.gate().admitted() + records);
        awaitAllEmitted();
    }

    private void awaitAllEmitted() throws Exception {
        until(
                "all admitted records were emitted",
                () -> run.gate().position() == run.gate().admitted());
    }

    /**
     * Takes a checkpoint of everything that was admitted, and returns its location. Its barrier
     * comes after these records.
     */
    String checkpoint() throws Exception {
        awaitAllRunning();
        awaitAllEmitted();
        return flink.triggerCheckpoint(id).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    /** What the ledger {@code name} held when it was last asked for a checkpoint or savepoint. */
    <T> List<T> ledger(String name, Class<T> type) {
        return run.lastPage(name).stream().map(type::cast).toList();
    }

    /**
     * Lets {@code records} more pass, makes the job fail at the {@code entries}-th entry of a
     * ledger among them, and waits until it runs again. They must bring at least this many entries.
     */
    void failWithin(long records, int entries) throws Exception {
        int failures = run.failures();
        int attempts = attempts();
        run.failAfter(entries);
        run.gate().admit(run.gate().admitted() + records);
        until("the induced failure", () -> run.failures() > failures);
        awaitRestart(attempts);
    }

    /** Lets {@code records} more pass, removes a task manager, and waits for the restart. */
    void loseTaskManager(long records) throws Exception {
        advance(records);
        int attempts = attempts();
        cluster.replaceTaskManager();
        awaitRestart(attempts);
    }

    private void awaitRestart(int attempts) throws Exception {
        until("a restart", () -> attempts() > attempts);
        awaitAllRunning();
    }

    /** Ends the job; its checkpoints stay. */
    void cancel() throws Exception {
        flink.cancelJob(id).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        until("the job is cancelled", () -> status() == JobStatus.CANCELED);
    }

    /** Ends the job with a savepoint of everything that was admitted, and returns its location. */
    String stopWithSavepoint(String directory, SavepointFormatType format) throws Exception {
        awaitAllRunning();
        awaitAllEmitted();
        String path =
                flink.stopWithSavepoint(id, directory, false, format)
                        .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        until("the job is finished", () -> status() == JobStatus.FINISHED);
        return path;
    }

    /** Takes a savepoint while the job keeps running. */
    String savepoint(String directory, SavepointFormatType format) throws Exception {
        awaitAllRunning();
        awaitAllEmitted();
        return flink.triggerSavepoint(id, directory, false, format)
                .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    private JobStatus status() throws Exception {
        return flink.getJobStatus(id).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    private AccessExecutionGraph graph() throws Exception {
        return flink.getExecutionGraph(id).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    /** The highest attempt number of any task. */
    int attempts() throws Exception {
        int highest = 0;
        for (AccessExecutionVertex vertex : graph().getAllExecutionVertices()) {
            highest = Math.max(highest, vertex.getCurrentExecutionAttempt().getAttemptNumber());
        }
        return highest;
    }

    private void awaitAllRunning() throws Exception {
        until("all tasks run", this::allRun);
    }

    private boolean allRun() throws Exception {
        AccessExecutionGraph graph = graph();
        if (graph.getState() != JobStatus.RUNNING) {
            return false;
        }
        for (AccessExecutionVertex vertex : graph.getAllExecutionVertices()) {
            if (vertex.getExecutionState() != ExecutionState.RUNNING) {
                return false;
            }
        }
        return true;
    }

    private void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (!condition.call()) {
            if (status() == JobStatus.FAILED) {
                AccessExecutionGraph graph = graph();
                throw new AssertionError(
                        "the job failed before: "
                                + what
                                + "\n"
                                + (graph.getFailureInfo() == null
                                        ? "without a reason"
                                        : graph.getFailureInfo().getExceptionAsString()));
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + DEADLINE + ": " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
