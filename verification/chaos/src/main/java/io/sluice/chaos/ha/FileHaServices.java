/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.Executor;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.runtime.blob.BlobUtils;
import org.apache.flink.runtime.checkpoint.CheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.DefaultCompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.DefaultCompletedCheckpointStoreUtils;
import org.apache.flink.runtime.highavailability.AbstractHaServices;
import org.apache.flink.runtime.highavailability.FileSystemApplicationResultStore;
import org.apache.flink.runtime.highavailability.FileSystemJobResultStore;
import org.apache.flink.runtime.jobmanager.ApplicationStore;
import org.apache.flink.runtime.jobmanager.DefaultExecutionPlanStore;
import org.apache.flink.runtime.jobmanager.ExecutionPlanStore;
import org.apache.flink.runtime.jobmanager.NoOpExecutionPlanStoreWatcher;
import org.apache.flink.runtime.jobmanager.StandaloneApplicationStore;
import org.apache.flink.runtime.leaderretrieval.DefaultLeaderRetrievalService;
import org.apache.flink.runtime.leaderretrieval.LeaderRetrievalService;
import org.apache.flink.runtime.state.SharedStateRegistryFactory;
import org.apache.flink.util.FileUtils;

/** Flink's own stores, on {@link FileStateHandleStore}, and a leader that a file names. */
// Flink declares that closing may throw anything.
@SuppressWarnings("try")
final class FileHaServices extends AbstractHaServices {
    private final Path root;

    FileHaServices(Path root, Configuration configuration, Executor executor) throws Exception {
        super(
                configuration,
                listener -> new FileLeaderElection(root.resolve("leaders"), listener),
                executor,
                BlobUtils.createBlobStoreFromConfig(configuration),
                new RecoverableJobResults(
                        FileSystemJobResultStore.fromConfiguration(configuration, executor)),
                FileSystemApplicationResultStore.fromConfiguration(configuration, executor));
        this.root = Files.createDirectories(root);
    }

    @Override
    protected LeaderRetrievalService createLeaderRetrievalService(String leaderName) {
        return new DefaultLeaderRetrievalService(
                (handler, failures) ->
                        new FileLeaderRetrieval(
                                LeaderFile.of(root.resolve("leaders"), leaderName), handler));
    }

    @Override
    protected CheckpointRecoveryFactory createCheckpointRecoveryFactory() {
        return new CheckpointRecoveryFactory() {
            @Override
            public CompletedCheckpointStore createRecoveredCompletedCheckpointStore(
                    JobID job,
                    int retained,
                    SharedStateRegistryFactory registries,
                    Executor ioExecutor,
                    RecoveryClaimMode claimMode)
                    throws Exception {
                FileStateHandleStore<CompletedCheckpoint> store =
                        new FileStateHandleStore<>(jobFolder(job).resolve("checkpoints"));
                Collection<CompletedCheckpoint> checkpoints =
                        DefaultCompletedCheckpointStoreUtils.retrieveCompletedCheckpoints(
                                store, Names.CHECKPOINTS);
                return new DefaultCompletedCheckpointStore<>(
                        retained,
                        store,
                        Names.CHECKPOINTS,
                        checkpoints,
                        registries.create(ioExecutor, checkpoints, claimMode),
                        ioExecutor);
            }

            @Override
            public CheckpointIDCounter createCheckpointIDCounter(JobID job) {
                return new FileCheckpointIdCounter(jobFolder(job).resolve("counter"));
            }
        };
    }

    @Override
    protected ExecutionPlanStore createExecutionPlanStore() throws Exception {
        return new DefaultExecutionPlanStore<>(
                new FileStateHandleStore<>(root.resolve("plans")),
                NoOpExecutionPlanStoreWatcher.INSTANCE,
                Names.PLANS);
    }

    @Override
    protected ApplicationStore createApplicationStore() {
        return new StandaloneApplicationStore();
    }

    @Override
    protected void internalClose() {}

    @Override
    protected void internalCleanup() throws Exception {
        FileUtils.deleteDirectory(root.toFile());
    }

    @Override
    protected void internalCleanupJobData(JobID job) throws Exception {
        FileUtils.deleteDirectory(jobFolder(job).toFile());
        Files.deleteIfExists(
                LeaderFile.of(root.resolve("leaders"), getLeaderPathForJobManager(job)).path());
    }

    private Path jobFolder(JobID job) {
        return root.resolve("jobs").resolve(job.toHexString());
    }

    @Override
    protected String getLeaderPathForResourceManager() {
        return "resource-manager";
    }

    @Override
    protected String getLeaderPathForDispatcher() {
        return "dispatcher";
    }

    @Override
    protected String getLeaderPathForJobManager(JobID job) {
        return "job-" + job.toHexString();
    }

    @Override
    protected String getLeaderPathForRestServer() {
        return "rest-server";
    }
}
