/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job on a {@link LocalFlink}. Every wait has a deadline and ends early, with the job's own
 * error, when the job fails for good. Thread-safe.
 */
@Experimental
public final class RunningJob {
    private static final Logger LOG = LoggerFactory.getLogger(RunningJob.class);

    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 20;
    private static final Set<ExecutionState> YET_TO_RUN =
            EnumSet.of(
                    ExecutionState.CREATED,
                    ExecutionState.SCHEDULED,
                    ExecutionState.DEPLOYING,
                    ExecutionState.INITIALIZING);

    private final MiniCluster cluster;
    private final JobID id;
    private final String name;

    RunningJob(MiniCluster cluster, JobID id, String name) {
        this.cluster = cluster;
        this.id = id;
        this.name = name;
    }

    /** Waits until every task runs, so that a checkpoint can be taken. */
    public void awaitRunning(Duration limit) throws IOException {
        await("running", limit, this::isRunning);
    }

    /** Whether every task runs now. */
    public boolean isRunning() {
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

    /**
     * Whether a task of the job's first attempt has yet to run. Until then no checkpoint or
     * savepoint can be taken, and nothing is committed.
     */
    public boolean isStarting() {
        AccessExecutionGraph graph = graph();
        if (graph.getState() == JobStatus.INITIALIZING || graph.getState() == JobStatus.CREATED) {
            return true;
        }
        if (graph.getState() != JobStatus.RUNNING) {
            return false;
        }
        for (AccessExecutionVertex vertex : graph.getAllExecutionVertices()) {
            if (vertex.getCurrentExecutionAttempt().getAttemptNumber() == 0
                    && YET_TO_RUN.contains(vertex.getExecutionState())) {
                return true;
            }
        }
        return false;
    }

    /** How often the job was restarted after a failure. */
    public long restarts() {
        long attempts = 0;
        for (AccessExecutionVertex vertex : graph().getAllExecutionVertices()) {
            attempts = Math.max(attempts, vertex.getCurrentExecutionAttempt().getAttemptNumber());
        }
        return attempts;
    }

    /** How often state was restored after a failure from a completed checkpoint. */
    public long restored() {
        CheckpointStatsSnapshot statistics = statistics();
        return statistics == null ? 0 : statistics.getCounts().getNumberOfRestoredCheckpoints();
    }

    /** Flink's own count of what checkpoints cost; null if the job takes none. */
    public CheckpointStatsSnapshot statistics() {
        return graph().getCheckpointStatsSnapshot();
    }

    /** All checkpoints and savepoints that completed so far, oldest first. */
    public List<Checkpoint> checkpoints() {
        CheckpointStatsSnapshot statistics = statistics();
        if (statistics == null) {
            return List.of();
        }
        return statistics.getHistory().getCheckpoints().stream()
                .filter(CompletedCheckpointStats.class::isInstance)
                .map(CompletedCheckpointStats.class::cast)
                .map(
                        c ->
                                new Checkpoint(
                                        c.getCheckpointId(),
                                        c.getTriggerTimestamp(),
                                        c.getEndToEndDuration(),
                                        c.getCheckpointedSize(),
                                        c.getProperties().isSavepoint()))
                .sorted(Comparator.comparingLong(Checkpoint::id))
                .toList();
    }

    /**
     * Takes a checkpoint and waits for it. A checkpoint may be declined for temporary reasons (a
     * task is being deployed, or is ending), so this retries until one completes.
     *
     * @throws IOException if none completes within a minute, or the job ends before
     */
    public void checkpoint() throws IOException {
        checkpoint(CheckpointType.DEFAULT);
    }

    /** Like {@link #checkpoint()}, of a kind, such as one that shares nothing with earlier ones. */
    public void checkpoint(CheckpointType type) throws IOException {
        long completed = checkpoints().size();
        await(
                "checkpointed",
                REQUEST_TIMEOUT,
                () -> {
                    try {
                        cluster.triggerCheckpoint(id, type)
                                .get(REQUEST_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
                        return true;
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return false;
                    } catch (ExecutionException | TimeoutException e) {
                        LOG.info("A checkpoint of job '{}' was declined", name, e);
                        return type == CheckpointType.DEFAULT && checkpoints().size() > completed;
                    }
                });
    }

    /**
     * Stops the job with a savepoint and waits until it has ended.
     *
     * @param drain whether to end event time too: all windows close and no more input is expected.
     *     Without it the job may continue from the savepoint
     * @return where the savepoint is
     */
    public String stopWithSavepoint(boolean drain) throws IOException {
        String path =
                get(
                        cluster.stopWithSavepoint(id, null, drain, SavepointFormatType.NATIVE),
                        "stop with savepoint of");
        awaitFinished(REQUEST_TIMEOUT);
        return path;
    }

    /**
     * Takes a savepoint while the job runs on. Unlike a checkpoint, it commits nothing.
     *
     * @return where the savepoint is
     */
    public String savepoint() throws IOException {
        return get(
                cluster.triggerSavepoint(id, null, false, SavepointFormatType.NATIVE),
                "savepoint of");
    }

    /** Waits until the job has ended by itself, for a job with bounded input. */
    public void awaitFinished(Duration limit) throws IOException {
        try {
            cluster.requestJobResult(id)
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS)
                    .toJobExecutionResult(getClass().getClassLoader());
        } catch (TimeoutException e) {
            throw new IOException(
                    "job '" + name + "' has not finished within " + limit.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for job '" + name + "'", e);
        } catch (Exception e) {
            throw failure(e);
        }
    }

    /** Like {@link #awaitFinished}, calling {@code meanwhile} every few milliseconds until then. */
    public void awaitEnd(Duration limit, Runnable meanwhile) throws IOException {
        await(
                "finished",
                limit,
                () -> {
                    meanwhile.run();
                    return hasEnded();
                });
        awaitFinished(REQUEST_TIMEOUT);
    }

    /** Ends the job without a savepoint. */
    public void cancel() throws IOException {
        get(cluster.cancelJob(id), "cancellation of");
    }

    /** Whether the job has ended: finished, failed or cancelled. */
    public boolean hasEnded() {
        return graph().getState().isGloballyTerminalState();
    }

    /**
     * Waits until {@code condition} holds, checking it every few milliseconds.
     *
     * @param what the awaited state, for the message: "job 'x' was not {@code what} within 10 s"
     * @throws IOException if the limit passes or the job ends before
     */
    public void await(String what, Duration limit, BooleanSupplier condition) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            JobStatus status = graph().getState();
            if (status.isGloballyTerminalState()) {
                if (condition.getAsBoolean()) {
                    return;
                }
                if (status == JobStatus.FAILED) {
                    awaitFinished(REQUEST_TIMEOUT);
                }
                throw new IOException(
                        "job '" + name + "' is " + status + " and will never be " + what);
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(
                        "job '"
                                + name
                                + "' was not "
                                + what
                                + " within "
                                + limit.toSeconds()
                                + " s; it is "
                                + status
                                + lastFailure().map(text -> ", last failure: " + text).orElse(""));
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for job '" + name + "'", e);
            }
        }
    }

    /** One line about the last failure, from which the job may have recovered. */
    public Optional<String> lastFailure() {
        return Optional.ofNullable(graph().getFailureInfo())
                .map(info -> info.getException().deserializeError(getClass().getClassLoader()))
                .map(FailureCause::line);
    }

    private AccessExecutionGraph graph() {
        try {
            return cluster.getExecutionGraph(id).get(REQUEST_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while asking for job '" + name + "'", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the cluster does not know job '" + name + "'", e);
        }
    }

    private <T> T get(CompletableFuture<T> request, String what) throws IOException {
        try {
            return request.get(REQUEST_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted during " + what + " job '" + name + "'", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(what + " job '" + name + "' failed: " + e.getMessage(), e);
        }
    }

    private IOException failure(Exception e) {
        Throwable cause = FailureCause.of(e);
        String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return new IOException("job '" + name + "' failed: " + text, e);
    }
}
